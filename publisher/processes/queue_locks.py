"""A queue and a worker's timer whose locks die with their holder.

A killed worker takes the semaphore of ``multiprocessing.Queue`` with it, and then nobody reads
any more; with that of its timer, which it holds while it hands in a result, the sentinel waits for it
for good. The kernel releases record locks with the process, so these cannot be lost.
"""

import errno
import fcntl
import os
import time
from importlib.metadata import version
from multiprocessing.sharedctypes import RawValue
from pathlib import Path
from typing import Any, ClassVar

import django_q.cluster
from django_q.queues import Queue

from publisher.checks import QUEUE_VERSION

PAUSE_SECONDS = 0.01


class DeathSafeLock:
    """A lock between processes (not threads) that the kernel releases when the holder dies.

    It is one byte of a file, so that those which come and go need no file each.
    """

    opened: ClassVar[dict[Path, tuple[int, int]]] = {}
    """By file, the process that opened it, and its descriptor."""

    def __init__(self, path: Path, byte: int = 0) -> None:
        self._path = path
        self._byte = byte

    def _own_descriptor(self) -> int:
        process, descriptor = self.opened.get(self._path, (0, -1))
        if process != os.getpid():  # record locks are not inherited, so open anew
            descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            self.opened[self._path] = os.getpid(), descriptor
        return descriptor

    def acquire(self, block: bool = True, timeout: float | None = None) -> bool:
        """Take the lock, like ``multiprocessing.Lock.acquire``."""
        descriptor = self._own_descriptor()
        if block and timeout is None:
            _wait_for(descriptor, self._byte)
            return True
        end = time.monotonic() + (timeout or 0.0)
        while True:
            try:
                fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, self._byte)
            except OSError:
                if not block or time.monotonic() >= end:
                    return False
                time.sleep(PAUSE_SECONDS)
            else:
                return True

    def release(self) -> None:
        """Give the lock back."""
        fcntl.lockf(self._own_descriptor(), fcntl.LOCK_UN, 1, self._byte)

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(self, *details: object) -> None:
        self.release()


def _wait_for(descriptor: int, byte: int) -> None:
    """Wait as long as it takes.

    Record locks belong to processes: of two workers that each wait to read and still write a result
    in another thread, the kernel says that they wait for each other, and refuses one (fcntl(2), EDEADLK).
    """
    while True:
        try:
            fcntl.lockf(descriptor, fcntl.LOCK_EX, 1, byte)
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


class DeathSafeTimer:
    """A worker's time limit, as django-q2 has it: a number that both sides change under its lock."""

    folder = Path()
    made = 0

    def __init__(self, kind: str, start: float) -> None:
        self._shared: Any = RawValue(kind, start)
        self._lock = DeathSafeLock(self.folder / "timers", byte=type(self).made)
        type(self).made += 1

    def get_lock(self) -> DeathSafeLock:
        """What the worker holds while it hands in a result, and the sentinel while it looks."""
        return self._lock

    @property
    def value(self) -> float:
        """Seconds left; less than none while there is no limit."""
        return float(self._shared.value)

    @value.setter
    def value(self, seconds: float) -> None:
        self._shared.value = seconds


class UnknownQueue(Exception):
    """The installed django-q2 is not the release whose inner parts are replaced here."""


def install(folder: Path) -> None:
    """Make clusters started from now on use queue and timer; refuse any release but the known one."""
    found = version("django-q2")
    if found != QUEUE_VERSION:
        raise UnknownQueue(f"django-q2 is {found}, but only {QUEUE_VERSION} is known to work.")
    folder.mkdir(parents=True, exist_ok=True)
    for leftover in folder.iterdir():
        leftover.unlink()
    DeathSafeLock.opened.clear()
    DeathSafeQueue.folder = DeathSafeTimer.folder = folder
    django_q.cluster.Queue = DeathSafeQueue
    django_q.cluster.Value = DeathSafeTimer
