"""Clock: the database's time for moments, the machine's own counter for lengths of time."""

import time
from datetime import datetime, timedelta

from publisher import clock

TRUSTED_SECONDS = 1.0
"""How long a reading is counted on from, by the machine's counter, before the database is asked again."""

_COUNTER = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
"""Goes on while the machine sleeps, where the system has such a counter."""


class DatabaseClock:
    """The clock that all machines of an installation share, asked once a second at most."""

    def __init__(self) -> None:
        self._read: tuple[datetime, float] | None = None

    def now(self) -> datetime:
        """The database's time, aware, UTC."""
        if self._read is not None:
            moment, mark = self._read
            passed = time.clock_gettime(_COUNTER) - mark
            if passed < TRUSTED_SECONDS:
                return moment + timedelta(seconds=passed)
        moment = clock.now()
        self._read = (moment, time.clock_gettime(_COUNTER))
        return moment

    def monotonic(self) -> float:
        """Seconds that no change of the machine's time can bend."""
        return time.monotonic()
