"""due: hint the queue about every job that a worker may claim; brings lost hints and dead leases back."""

from publisher import selectors, wakeup
from publisher.engine import external_sync
from publisher.engine.reconcile.alone import alone
from publisher.engine.reconcile.counts import Counts
from publisher.models.site import CloneState
from publisher.ports import Ports


def run(ports: Ports, *, site: str = "") -> Counts:
    """A hint for a job that somebody claims meanwhile finds nothing to do and is harmless."""
    now = ports.clock.now()
    counts = Counts()
    for job in selectors.due_jobs(now):
        if site and job.site.name != site:
            continue
        counts.looked_at += 1
        if job.site.clone_state != CloneState.READY.value:
            counts.left += 1
            continue
        with alone(counts, "due", job_id=job.pk):
            wakeup.hint(job.pk, due_at=now, now=now)
            counts.changed += 1
    for row in external_sync.watched():
        with alone(counts, "due", site=row.name):
            external_sync.ask_after_publications(row, now)
    if selectors.due_messages(now, limit=1):
        wakeup.deliver()
    return counts
