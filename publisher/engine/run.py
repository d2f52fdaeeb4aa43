"""One claim's work on one job: the lease, the ports, and the journal as the worker may use it."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Protocol

from publisher import journal
from publisher.domain.errors import StaleWorker
from publisher.domain.retries import DEFAULT_LIMITS, Limits
from publisher.domain.states import Actor, Event, State
from publisher.journal import Guard, Lease, Who
from publisher.leases import Delivery
from publisher.models import Job, JobEvent
from publisher.ports import Ports, Repository


class Beat(Protocol):
    """The heartbeat of a lease; ``lost`` turns true when it could not be renewed."""

    @property
    def lost(self) -> bool: ...

    def also(self, held: Lease) -> "Beat":
        """Renew one more lease along with this one; each is lost on its own."""


HeartbeatOf = Callable[[Lease | Delivery], AbstractContextManager[Beat]]
"""Renews a lease while the block runs; handed in, so that the engine owns no thread."""


@dataclass(slots=True)
class Run:
    """What a handler is given. Nothing is done or written once the lease is lost."""

    job: Job
    lease: Lease
    ports: Ports
    repository: Repository
    beat: Beat
    node: str
    random: Callable[[], float]
    limits: Limits = DEFAULT_LIMITS
    fetched_tip: str = ""
    fields: dict[str, Any] = field(default_factory=dict)

    @property
    def who(self) -> Who:
        """The worker as an actor."""
        return Who(Actor.WORKER, self.lease.owner)

    @property
    def state(self) -> State:
        """The job's present state."""
        return State(self.job.state)

    def now(self) -> datetime:
        """The database's time."""
        return self.ports.clock.now()

    def is_lost(self) -> bool:
        """Whether the lease is lost; whatever waits for something outside asks this meanwhile."""
        return self.beat.lost

    def check(self) -> None:
        """Stop before the next effect when the lease is lost."""
        if self.is_lost():
            raise StaleWorker("The lease is lost.", job_id=self.job.pk)

    def record(
        self,
        event: Event,
        *,
        to: State | None = None,
        guard: Guard | None = None,
        reason: str = "",
        changes: Mapping[str, Any] | None = None,
        **facts: Any,
    ) -> JobEvent:
        """Move the job under this lease."""
        self.check()
        return journal.record(
            self.job,
            event,
            who=self.who,
            now=self.now(),
            to=to,
            lease=self.lease,
            guard=guard,
            reason=reason,
            changes=changes,
            **facts,
        )

    def note(
        self,
        event: str,
        *,
        guard: Guard | None = None,
        reason: str = "",
        changes: Mapping[str, Any] | None = None,
        **facts: Any,
    ) -> JobEvent:
        """Append an event under this lease, without a move."""
        self.check()
        return journal.note(
            self.job,
            event,
            who=self.who,
            now=self.now(),
            lease=self.lease,
            guard=guard,
            reason=reason,
            changes=changes,
            **facts,
        )

    def after(self, seconds: float) -> datetime:
        """A moment from now."""
        return self.now() + timedelta(seconds=seconds)
