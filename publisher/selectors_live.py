"""Selectors of live checkouts: what was seen there, what was sent, and what waits for its next try."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Q

from publisher import spoiled
from publisher.models import LiveSight, Outbox, Site

KIND = "external_sync"
"""The lane's messages in the outbox; they belong to no job."""
AUTHOR = ("Imprimatur external sync", "imprimatur@localhost")
"""Who commits of the lane are by; they belong to no job."""
SHOWN = 20
STUCK_TRIES = 3


@dataclass(frozen=True, slots=True)
class LiveMessage:
    """One set of hand edits on its way, or sent."""

    id: str
    paths: tuple[str, ...]
    tries: int
    last_error: str
    created_at: datetime
    done_at: datetime | None
    next_try: datetime | None


@dataclass(frozen=True, slots=True)
class LiveReport:
    """All that is told about one live checkout; ``notes`` are codes with paths."""

    site: str
    live_checkout: str
    quiet_seconds: int
    looked_at: datetime | None = None
    sent_at: datetime | None = None
    sent_commit: str = ""
    forwarded_at: datetime | None = None
    notes: list[dict[str, Any]] = field(default_factory=list)
    messages: list[LiveMessage] = field(default_factory=list)


def report(site: Site) -> LiveReport:
    """What the page and the console tell."""
    sight = LiveSight.objects.filter(site=site).first() or LiveSight()
    rows = Outbox.objects.filter(kind=KIND, payload__site=site.pk).order_by("-created_at")
    return LiveReport(
        site=site.name,
        live_checkout=site.live_checkout,
        quiet_seconds=site.quiet_seconds,
        looked_at=sight.looked_at,
        sent_at=sight.sent_at,
        sent_commit=sight.sent_commit,
        forwarded_at=sight.forwarded_at,
        notes=sight.notes,
        messages=[_message(row) for row in spoiled.readable(rows[:SHOWN])],
    )


def _message(row: Outbox) -> LiveMessage:
    return LiveMessage(
        id=row.pk,
        paths=tuple(sorted(row.payload.get("files", ()))),
        tries=row.tries,
        last_error=row.last_error,
        created_at=row.created_at,
        done_at=row.done_at,
        next_try=None if row.done_at else max(row.due_at, row.lease_until or row.due_at),
    )


def stuck_messages(now: datetime, *, limit: int = 20) -> list[Outbox]:
    """Messages of any kind that were tried often, or failed and are overdue: somebody should look."""
    rows = Outbox.objects.filter(done_at__isnull=True, tries__gte=1).exclude(last_error="")
    late = now - timedelta(minutes=10)
    stuck = rows.filter(Q(tries__gte=STUCK_TRIES) | Q(due_at__lt=late))
    return spoiled.readable(stuck.order_by("created_at", "pk")[:limit])
