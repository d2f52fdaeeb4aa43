"""The pulse: decides from what was seen whether the cluster lives, needs a heartbeat, or hangs."""

from dataclasses import dataclass
from enum import Enum

STALL_SECONDS = 3.0
QUIET_SECONDS = 5.0
REPEAT_SECONDS = 1.0
PATIENCE_SECONDS = 0.5
BLIND_SECONDS = 1.5


class Verdict(Enum):
    """What is to be done."""

    FINE = "fine"
    BEAT = "beat"
    STALLED = "stalled"


@dataclass(frozen=True, slots=True)
class Seen:
    """One look: tasks acknowledged so far, whether a worker is free, whether hints wait."""

    at: float
    acknowledged: int
    has_idle_worker: bool
    hints_wait: bool


class Pulse:
    """Remembers since when nothing came out although something went in."""

    def __init__(self, now: float, *, quiet_seconds: float = QUIET_SECONDS) -> None:
        self._quiet_seconds = quiet_seconds
        self._acknowledged = -1
        self._owed = False
        self._waiting_since: float | None = None
        self._last_beat = now - quiet_seconds  # the first beat goes out as soon as a worker is free
        self._last_look = now

    def look(self, seen: Seen) -> Verdict:
        """Judge one look. A cluster whose workers are all at work is never called stalled."""
        blind = seen.at - self._last_look > BLIND_SECONDS  # then the watcher itself was held up
        progress = seen.acknowledged != self._acknowledged
        self._last_look, self._acknowledged = seen.at, seen.acknowledged
        # A hint that came in the same moment as another's receipt is still owed.
        self._owed = seen.hints_wait or (self._owed and not progress)
        if progress or blind or not seen.has_idle_worker:
            self._waiting_since = None
        if self._owed and seen.has_idle_worker and self._waiting_since is None:
            self._waiting_since = seen.at
        return self._verdict(seen)

    def _verdict(self, seen: Seen) -> Verdict:
        if self._waiting_since is None:
            return self._beat_if(seen, seen.at - self._last_beat >= self._quiet_seconds)
        waited = seen.at - self._waiting_since
        if waited >= STALL_SECONDS:
            return Verdict.STALLED
        again = seen.at - self._last_beat >= REPEAT_SECONDS
        return self._beat_if(seen, waited >= PATIENCE_SECONDS and again)

    def _beat_if(self, seen: Seen, wanted: bool) -> Verdict:
        if not wanted or not seen.has_idle_worker:
            return Verdict.FINE
        self._last_beat = seen.at
        self._owed = True
        return Verdict.BEAT
