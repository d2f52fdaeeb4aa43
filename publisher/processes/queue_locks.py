"""A queue whose locks die with their holder.

A killed worker takes the semaphore of ``multiprocessing.Queue`` with it, and then nobody reads
any more. The kernel releases record locks with the process, so these cannot be lost.
"""

import errno
import fcntl
import os
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

import django_q.cluster
from django_q.queues import Queue

from publisher.checks import QUEUE_VERSION

PAUSE_SECONDS = 0.01


class DeathSafeLock:
    """A lock between processes (not threads) that the kernel releases when the holder dies."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._opened_by = 0
        self._descriptor = -1

    def _own_descriptor(self) -> int:
        if self._opened_by != os.getpid():  # record locks are not inherited, so open anew
            self._descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            self._opened_by = os.getpid()
        return self._descriptor

    def acquire(self, block: bool = True, timeout: float | None = None) -> bool:
        """Take the lock, like ``multiprocessing.Lock.acquire``."""
        descriptor = self._own_descriptor()
        if block and timeout is None:
            _wait_for(descriptor)
            return True
        end = time.monotonic() + (timeout or 0.0)
        while True:
            try:
                fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                if not block or time.monotonic() >= end:
                    return False
                time.sleep(PAUSE_SECONDS)
            else:
                return True

    def release(self) -> None:
        """Give the lock back."""
        fcntl.lockf(self._own_descriptor(), fcntl.LOCK_UN)

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(self, *details: object) -> None:
        self.release()


def _wait_for(descriptor: int) -> None:
    """Wait as long as it takes.

    Record locks belong to processes: of two workers that each wait to read and still write a result
    in another thread, the kernel says that they wait for each other, and refuses one (fcntl(2), EDEADLK).
    """
    while True:
        try:
            fcntl.lockf(descriptor, fcntl.LOCK_EX)
        except OSError as refused:
            if refused.errno != errno.EDEADLK:
                raise
            time.sleep(PAUSE_SECONDS)
        else:
            return


class UnlockedCounter:
    """The size of a queue for display; a lock here could be lost, a count off by one cannot hurt."""

    def __init__(self, shared: Any) -> None:
        self._shared = shared

    def increment(self, n: int = 1) -> None:
        """Add to the count."""
        self._shared.value += n

    @property
    def value(self) -> int:
        """The count, never below nothing."""
        return max(0, int(self._shared.value))


class DeathSafeQueue(Queue):  # type: ignore[misc]
    """django-q2's queue with the two locks and the counter replaced."""

    folder = Path()
    made = 0

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        name = f"{os.getpid()}-{type(self).made}"
        type(self).made += 1
        self._rlock = DeathSafeLock(self.folder / f"{name}.read")
        self._wlock = DeathSafeLock(self.folder / f"{name}.write")
        self.size: Any = UnlockedCounter(self.size.count.get_obj())
        self._reset()


class UnknownQueue(Exception):
    """The installed django-q2 is not the release whose inner parts are replaced here."""


def install(folder: Path) -> None:
    """Make clusters started from now on use the queue; refuse any release but the known one."""
    found = version("django-q2")
    if found != QUEUE_VERSION:
        raise UnknownQueue(f"django-q2 is {found}, but only {QUEUE_VERSION} is known to work.")
    folder.mkdir(parents=True, exist_ok=True)
    for leftover in folder.iterdir():
        leftover.unlink()
    DeathSafeQueue.folder = folder
    django_q.cluster.Queue = DeathSafeQueue
