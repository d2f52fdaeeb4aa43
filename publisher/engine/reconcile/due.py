"""due: hint the queue about every job that a worker may claim; brings lost hints and dead leases back."""

from django.db.models import Q

from publisher import selectors, wakeup
from publisher.engine import external_sync, sites, waiting
from publisher.engine.reconcile.alone import alone
from publisher.engine.reconcile.counts import Counts
from publisher.ports import Ports


def run(ports: Ports, *, site: str = "") -> Counts:
    """A hint for a job that somebody claims meanwhile finds nothing to do and is harmless."""
    now = ports.clock.now()
    counts = Counts()
    for job in selectors.due_jobs(now, _within(ports, counts, site)):
        counts.looked_at += 1
        with alone(counts, "due", job_id=job.pk):
            wakeup.hint(job.pk, due_at=now, now=now)
            counts.changed += 1
    for row in external_sync.watched():
        with alone(counts, "due", site=row.name):
            external_sync.ask_after_publications(row, now)
    if selectors.due_messages(now, limit=1):
        wakeup.deliver()
    return counts


def _within(ports: Ports, counts: Counts, site: str) -> Q:
    """All but what would only wait beside a silent remote, however long it is due: it hides no other."""
    wanted = Q(site__name=site) if site else Q()
    for row in selectors.sites(scopes=None):
        with alone(counts, "due", site=row.name):
            if sites.is_silent(row, ports, pushes=True):
                drafts = Q() if sites.is_silent(row, ports, pushes=False) else waiting.IN_PREPARE
                wanted &= ~Q(site=row.pk) | drafts
    return wanted
