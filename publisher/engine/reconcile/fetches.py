"""fetches: one look at every site in use, so that heads, conflicts and the index stay fresh."""

from datetime import datetime, timedelta

from publisher import spoiled
from publisher.domain.retries import DEFAULT_LIMITS
from publisher.engine.reconcile.alone import alone
from publisher.engine.reconcile.counts import Counts
from publisher.models import Outbox, Site
from publisher.ports import Ports


def run(ports: Ports, *, site: str = "") -> Counts:
    """Ask for a fetch through the outbox, where one hung remote delays nobody else's reconciler."""
    now = ports.clock.now()
    old = now - timedelta(seconds=DEFAULT_LIMITS.sweep_seconds / 2)
    counts = Counts()
    for row in spoiled.readable(Site.objects.filter(removed_at__isnull=True)):
        if site and row.name != site:
            continue
        counts.looked_at += 1
        # Jobs fetch as well, and leave the index to this; a time to come was written by a clock
        # that was wrong.
        is_fresh = row.fetched_at is not None and old < row.fetched_at <= now
        if is_fresh and row.indexed_commit == row.head and not site:
            counts.left += 1
            continue
        with alone(counts, "fetches", site=row.name):
            ask(row, now)
            counts.changed += 1
    return counts


def ask(row: Site, now: datetime) -> None:
    """One message a site, to be delivered now."""
    message, created = Outbox.objects.get_or_create(
        pk=f"site_fetch:{row.pk}",
        defaults={
            "kind": "site_fetch", "payload": {"site": row.pk}, "due_at": now, "created_at": now,
        },
    )  # fmt: skip
    if not created:
        Outbox.objects.filter(pk=message.pk, done_at__isnull=False).update(
            due_at=now, done_at=None, tries=0
        )
