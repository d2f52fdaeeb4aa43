"""The engine in the foreground: the same work as the workers', one job after the other, no queue needed."""

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta

import structlog
from django.db.models import Q

from publisher import selectors, spoiled
from publisher.engine import outbox, worker
from publisher.engine.reconcile import clocks
from publisher.engine.run import HeartbeatOf
from publisher.leases import CLAIMABLE_STATES
from publisher.models import Job, Outbox
from publisher.models.site import CloneState
from publisher.ports import Ports

SOON_SECONDS = 60
PAUSE_SECONDS = 0.2
MISSES = 10
"""How often a due job that nobody holds is tried in vain, before nothing waits for it any more."""
log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Foreground:
    """How this process works on jobs."""

    ports: Ports
    owner: str
    node: str
    heartbeat: HeartbeatOf
    lease_seconds: float
    only: str = ""
    pause: Callable[[float], None] = time.sleep
    missed: Counter[str] = field(default_factory=Counter)

    def once(self) -> int:
        """Deliver due messages and advance every due job once; how many were worked on."""
        clocks.run(self.ports)
        worked = outbox.deliver_due(
            self.ports, owner=self.owner, heartbeat=self.heartbeat, lease_seconds=self.lease_seconds
        )
        wanted = Q(pk=self.only) if self.only else Q()
        for job in selectors.due_jobs(self.ports.clock.now(), wanted):
            is_worked = self._advance(job.pk)
            self.missed[job.pk] = 0 if is_worked else self.missed[job.pk] + 1
            worked += is_worked
        return worked

    def until_idle(self) -> int:
        """Go on until nothing can be advanced now or falls due within a minute."""
        total = 0
        while True:
            worked = self.once()
            total += worked
            if worked:
                continue
            if not self._falls_due_soon():
                for job_id in self.given_up():
                    log.warning("job_not_claimed", job_id=job_id, tries=self.missed[job_id])
                return total
            self.pause(PAUSE_SECONDS)

    def given_up(self) -> list[str]:
        """Jobs that are due and free, and that could not be claimed however often it was tried."""
        return sorted(job_id for job_id, count in self.missed.items() if count >= MISSES)

    def _advance(self, job_id: str) -> bool:
        return worker.advance(
            job_id,
            ports=self.ports,
            owner=self.owner,
            node=self.node,
            heartbeat=self.heartbeat,
            lease_seconds=self.lease_seconds,
            alone=bool(self.only),
        )

    def _falls_due_soon(self) -> bool:
        """A retry, a hold's end, or a dead owner's lease that runs out within a minute.

        A message counts that somebody died over: jobs may wait for the clone that it asks for. What
        cannot be read or claimed does not count: it would be waited for without end.
        """
        now = self.ports.clock.now()
        soon = now + timedelta(seconds=SOON_SECONDS)
        rows = Job.objects.select_related("site").filter(
            state__in=CLAIMABLE_STATES, site__clone_state=CloneState.READY.value
        )
        if self.only:
            rows = rows.filter(pk=self.only)
        due = rows.filter(available_at__lte=soon).exclude(pk__in=self.given_up())
        free = due.filter(lease_until__isnull=True) | due.filter(lease_until__lte=soon)
        died_over = Outbox.objects.filter(done_at__isnull=True, lease_until__lte=soon)
        return bool(spoiled.readable(free[:1]) or spoiled.readable(died_over[:1]))
