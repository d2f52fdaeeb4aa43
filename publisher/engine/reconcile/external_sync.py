"""external_sync: look for hand edits in every live checkout on this machine, and forward what is behind."""

from publisher import spoiled
from publisher.engine.external_sync import scan
from publisher.engine.reconcile.alone import alone
from publisher.engine.reconcile.counts import Counts
from publisher.models import Site
from publisher.models.site import CloneState
from publisher.ports import Ports


def run(ports: Ports, *, site: str = "") -> Counts:
    """Status scans alone find everything; a watcher only makes them come sooner."""
    counts = Counts()
    rows = Site.objects.filter(removed_at__isnull=True, clone_state=CloneState.READY.value)
    for row in spoiled.readable(rows.exclude(live_checkout="")):
        if site and row.name != site:
            continue
        counts.looked_at += 1
        with alone(counts, "external_sync", site=row.name):
            found = scan(row, ports)
            counts.changed += found
            counts.left += not found
    return counts
