"""Restarts: when what ended is started again: at once, and the later the oftener it died young."""

YOUNG_SECONDS = 10.0
LONGEST_SECONDS = 5.0


class Restarts:
    """Of one kind of process; times are monotonic seconds."""

    def __init__(self) -> None:
        self._failures = 0
        self._started_at = 0.0
        self._at = 0.0

    def are_due(self, now: float) -> bool:
        """Whether the pause is over."""
        return now >= self._at

    def began(self, now: float) -> None:
        """It was started."""
        self._started_at = now

    def ended(self, now: float) -> None:
        """It died. The first time nobody waits; then a second longer each time."""
        is_young = now - self._started_at <= YOUNG_SECONDS
        self._failures = self._failures + 1 if is_young else 0
        self._at = now + min(LONGEST_SECONDS, max(0, self._failures - 1))
