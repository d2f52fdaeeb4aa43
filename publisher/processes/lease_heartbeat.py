"""The lease's heartbeat: a thread with its own connection renews at a third of the lease.

It shows the worker's life as well: while every worker has a job, no hint comes through that could.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime

import structlog
from django.db import DatabaseError, connection

from publisher import leases, nodes
from publisher.domain.errors import StaleWorker
from publisher.journal import Lease

log = structlog.get_logger(__name__)

MISSES = 3
"""Renewals in a row that the database may refuse before the lease counts as lost."""


class LeaseBeat:
    """Whether the lease is still held, as far as the heartbeat knows."""

    def __init__(self, lease: Lease, watched: "list[LeaseBeat]") -> None:
        self.lease = lease
        self.misses = 0
        self._lost = threading.Event()
        self._watched = watched
        watched.append(self)

    @property
    def lost(self) -> bool:
        """True once a renewal failed for good."""
        return self._lost.is_set()

    def give_up(self) -> None:
        """Tell the worker to stop before its next effect."""
        self._lost.set()

    def also(self, lease: Lease) -> "LeaseBeat":
        """Renew one more lease in the same thread; each is lost on its own."""
        return LeaseBeat(lease, self._watched)


@contextmanager
def renewing(lease: Lease, *, seconds: float, now: Callable[[], datetime]) -> Iterator[LeaseBeat]:
    """Renew the lease, and those that join it, while the block runs."""
    watched: list[LeaseBeat] = []
    beat, done = LeaseBeat(lease, watched), threading.Event()
    thread = threading.Thread(
        target=_renew, args=(watched, done, seconds, now), daemon=True, name="lease-heartbeat"
    )
    thread.start()
    try:
        yield beat
    finally:
        done.set()
        thread.join()


def _renew(
    watched: list[LeaseBeat], done: threading.Event, seconds: float, now: Callable[[], datetime]
) -> None:
    try:
        while not done.wait(seconds / 3):
            for beat in list(watched):
                if not beat.lost:
                    _renew_one(beat, seconds, now)
    finally:
        connection.close()


def _renew_one(beat: LeaseBeat, seconds: float, now: Callable[[], datetime]) -> None:
    lease = beat.lease
    try:
        moment = now()
        leases.renew(lease, now=moment, seconds=seconds)
        beat.misses = 0
        nodes.show_life(lease.owner.rpartition(":")[0], "worker", moment)
    except StaleWorker:
        beat.give_up()
    except DatabaseError as error:
        beat.misses += 1
        log.warning("heartbeat_missed", job_id=lease.job_id, error=str(error))
        if beat.misses >= MISSES:
            beat.give_up()
