"""Locks: one holder per site and name on this machine, always taken in the same order."""

import contextlib
import fcntl
import hashlib
import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote

from publisher.domain.errors import LockBusy, LockOrder

ORDER = ("delivery", "checkout", "repository")
"""The order in which one thread may take them; the database comes after all of them."""

_SHORTEST_WAIT = 0.005
_LONGEST_WAIT = 0.1
_LONGEST_NAME = 200


def _never() -> bool:
    return False


class FileLocks:
    """Locks on files below ``root``; the kernel lets them go when their holder dies.

    ``in_database_transaction`` says whether this thread is inside one: no lock may be waited for
    while rows are held.
    """

    def __init__(self, root: Path, *, in_database_transaction: Callable[[], bool] = _never) -> None:
        self._root = root
        self._in_database_transaction = in_database_transaction
        self._held = threading.local()

    @contextlib.contextmanager
    def hold(self, name: str, site: str, *, timeout_seconds: float = 15) -> Iterator[None]:
        """Hold one lock. Raises LockOrder when taken backwards, LockBusy when time is up."""
        rank = self._check(name, site)
        held = self._ranks()
        descriptor = self._open(name, site)
        try:
            _acquire(descriptor, name, site, timeout_seconds)
            held.append(rank)
            try:
                yield
            finally:
                held.remove(rank)
        finally:
            os.close(descriptor)

    def _ranks(self) -> list[int]:
        if not hasattr(self._held, "ranks"):
            self._held.ranks = []
        ranks: list[int] = self._held.ranks
        return ranks

    def _check(self, name: str, site: str) -> int:
        if name not in ORDER:
            raise LockOrder(f"There is no lock named {name}.")
        rank = ORDER.index(name)
        if self._in_database_transaction():
            raise LockOrder(f"The {name} lock of {site} was asked for inside a transaction.")
        # Of other sites too: two threads that hold one site's and want the other's never end.
        if any(held >= rank for held in self._ranks()):
            raise LockOrder(f"The {name} lock of {site} was asked for after a later one.")
        return rank

    def _open(self, name: str, site: str) -> int:
        self._root.mkdir(parents=True, exist_ok=True, mode=0o700)
        path = self._root / f"{_file_name(site)}.{name}.lock"
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)


def _file_name(site: str) -> str:
    """Plain letters that no other name has, and no more of them than a file's name may have."""
    raw = os.fsencode(site)
    quoted = quote(raw, safe="")
    return quoted if len(quoted) <= _LONGEST_NAME else hashlib.sha256(raw).hexdigest()


def _acquire(descriptor: int, name: str, site: str, timeout_seconds: float) -> None:
    limit = time.monotonic() + timeout_seconds
    pause = _SHORTEST_WAIT
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= limit:
                raise LockBusy(f"The {name} lock of {site} is held by somebody else.") from None
            time.sleep(pause)
            pause = min(pause * 2, _LONGEST_WAIT)
        else:
            return
