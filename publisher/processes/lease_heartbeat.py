"""The lease's heartbeat: a thread with its own connection renews at a third of the lease.

It shows the worker's life as well: while every worker is busy, no hint comes through that could.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import datetime

import structlog
from django.db import DatabaseError, connection

from publisher import leases, nodes
from publisher.domain.errors import StaleWorker
from publisher.journal import Lease
from publisher.leases import Delivery

log = structlog.get_logger(__name__)

MISSES = 3
"""Renewals in a row that the database may refuse before the lease counts as lost."""


class LeaseBeat:
    """Whether the lease is still held, as far as the heartbeat knows."""

    def __init__(self, held: Lease | Delivery, watched: "list[LeaseBeat]") -> None:
        self.held = held
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

    def also(self, held: Lease | Delivery) -> "LeaseBeat":
        """Renew one more lease in the same thread; each is lost on its own."""
        return LeaseBeat(held, self._watched)


@contextmanager
def renewing(
    held: Lease | Delivery, *, seconds: float, now: Callable[[], datetime]
) -> Iterator[LeaseBeat]:
    """Renew the lease, and those that join it, while the block runs."""
    watched: list[LeaseBeat] = []
    beat, done = LeaseBeat(held, watched), threading.Event()
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
    held = beat.held
    try:
        moment = now()
        leases.renew(held, now=moment, seconds=seconds)
        beat.misses = 0
        nodes.show_life(held.owner.rpartition(":")[0], "worker", moment)
    except StaleWorker:
        beat.give_up()
    except DatabaseError as error:
        beat.misses += 1
        log.warning("heartbeat_missed", **asdict(held), error=str(error))
        if beat.misses >= MISSES:
            beat.give_up()
