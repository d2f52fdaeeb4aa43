"""Turns: the order in which an SQLite file's writers come, which is that of their coming.

SQLite itself keeps none: who finds the file locked asks again after ever longer pauses, and whoever
comes anew meanwhile goes first, so that one may wait for seconds though each write takes milliseconds.
"""

import fcntl
import os
import struct
import time
import weakref
from contextlib import suppress
from pathlib import Path

PAUSE_SECONDS = 0.005

_LOCK = "hhqqi"
"""The kernel's ``struct flock``: kind, whence, start, length, process."""


class Turn:
    """One connection's place among the writers of all databases in a folder.

    A place is a lock on the byte whose number is the moment of coming, in nanoseconds; who sees no
    lock before its own is next. The locks lie on the folder, which is there anyway, and belong to the
    descriptor: threads have their own, and the kernel drops those of the dead.
    It is an order only. What excludes others is SQLite's lock, so where the system knows no such locks,
    or shows the folder to nobody, everybody is first.
    """

    def __init__(self, folder: Path) -> None:
        self._descriptor = -1
        self._is_in_queue = False
        with suppress(OSError):
            self._descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            # Threads that end leave their connections to the collector of garbage.
            weakref.finalize(self, os.close, self._descriptor)

    def take(self, seconds: float) -> float:
        """Wait until it is this one's turn, or for so long; how many of the seconds are left.

        None left is no refusal: a place may be held for nothing, as by a child of who was killed.
        """
        came = time.monotonic_ns()
        end = came + int(seconds * 1e9)
        self._is_in_queue = True
        self._lock(fcntl.F_OFD_SETLK, fcntl.F_RDLCK, came, 1)
        if self._is_first(came):
            return seconds
        while time.monotonic_ns() < end and not self._is_first(came):
            time.sleep(PAUSE_SECONDS)
        return max(end - time.monotonic_ns(), 0) / 1e9

    def give(self) -> None:
        """Let the next one come, if this one was in the queue at all."""
        if self._is_in_queue:
            self._is_in_queue = False
            self._lock(fcntl.F_OFD_SETLK, fcntl.F_UNLCK, 0, 0)

    def _is_first(self, came: int) -> bool:
        # Asked as a writer, who sees all; a folder can only be opened to read and so be locked.
        return self._lock(fcntl.F_OFD_GETLK, fcntl.F_WRLCK, 0, came) != fcntl.F_RDLCK

    def _lock(self, command: int, kind: int, start: int, length: int) -> int:
        wanted = struct.pack(_LOCK, kind, os.SEEK_SET, start, length, 0)
        try:
            found = fcntl.fcntl(self._descriptor, command, wanted)
        except (OSError, ValueError):
            return fcntl.F_UNLCK
        return int(struct.unpack(_LOCK, found)[0])
