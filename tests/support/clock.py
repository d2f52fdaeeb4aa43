"""A clock that stands still until a test moves it."""

from datetime import UTC, datetime, timedelta


class ManualClock:
    """Both times move together, by ``advance`` alone."""

    def __init__(self, start: datetime = datetime(2026, 1, 1, 12, tzinfo=UTC)) -> None:
        self._now = start
        self._seconds = 0.0

    def now(self) -> datetime:
        """The moment that the test has set."""
        return self._now

    def monotonic(self) -> float:
        """Seconds that the test has let pass."""
        return self._seconds

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        self._now += timedelta(seconds=seconds)
        self._seconds += seconds
