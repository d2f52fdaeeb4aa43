"""Clock: the database's time for moments, the machine's own counter for lengths of time."""

import time
from datetime import datetime

from publisher import clock


class DatabaseClock:
    """The clock that all machines of an installation share."""

    def now(self) -> datetime:
        """The database's time, aware, UTC."""
        return clock.now()

    def monotonic(self) -> float:
        """Seconds that no change of the machine's time can bend."""
        return time.monotonic()
