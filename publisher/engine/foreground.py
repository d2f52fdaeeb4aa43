"""The engine in the foreground: the same work as the workers', one job after the other, no queue needed."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from publisher import selectors
from publisher.engine import outbox, worker
from publisher.engine.reconcile import clocks
from publisher.engine.run import HeartbeatOf
from publisher.leases import CLAIMABLE_STATES
from publisher.models import Job, Outbox
from publisher.models.site import CloneState
from publisher.ports import Ports

SOON_SECONDS = 60
PAUSE_SECONDS = 0.2


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

    def once(self) -> int:
        """Deliver due messages and advance every due job once; how many were worked on."""
        clocks.run(self.ports)
        worked = outbox.deliver_due(
            self.ports, owner=self.owner, heartbeat=self.heartbeat, lease_seconds=self.lease_seconds
        )
        for job in selectors.due_jobs(self.ports.clock.now()):
            if not self.only or job.pk == self.only:
                worked += self._advance(job.pk)
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
                return total
            self.pause(PAUSE_SECONDS)

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

        A message counts that somebody died over: jobs may wait for the clone that it asks for.
        """
        now = self.ports.clock.now()
        soon = now + timedelta(seconds=SOON_SECONDS)
        rows = Job.objects.filter(
            state__in=CLAIMABLE_STATES, site__clone_state=CloneState.READY.value
        )
        if self.only:
            rows = rows.filter(pk=self.only)
        due = rows.filter(available_at__lte=soon)
        free = due.filter(lease_until__isnull=True) | due.filter(lease_until__lte=soon)
        died_over = Outbox.objects.filter(done_at__isnull=True, lease_until__lte=soon)
        return free.exists() or died_over.exists()
