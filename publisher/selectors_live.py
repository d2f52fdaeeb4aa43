"""Selectors of live checkouts: what was seen there, what was sent, and what waits for its next try."""

from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import islice
from typing import Any

from django.db.models import F, Q

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
        next_try=None if row.done_at else next_try(row),
    )


def next_try(row: Outbox) -> datetime:
    """When it comes again: not before the lease of a worker that died with it is over."""
    return max(row.due_at, row.lease_until or row.due_at)


def stuck_messages(
    now: datetime, *, sites: Collection[int], limit: int = 20
) -> list[tuple[Outbox, int]]:
    """Messages of these sites that somebody should look at, each with its site's key.

    They were tried often, or failed and are overdue. One that kills its workers has no error.
    """
    late = now - timedelta(minutes=10)
    overdue = Q(tries__gte=1, due_at__lt=late) & ~Q(last_error="")
    rows = Outbox.objects.filter(Q(tries__gte=STUCK_TRIES) | overdue, done_at__isnull=True)
    rows = rows.annotate(job_site=F("job__site_id")).order_by("created_at", "pk")
    found = ((row, _site_of(row)) for row in spoiled.readable(rows))
    return list(islice(((row, site) for row, site in found if site in sites), limit))


def _site_of(row: Outbox) -> int:
    """The site that it names, or that its job is for; 0 for none, as of a payload that is no object."""
    named = row.payload.get("site") if isinstance(row.payload, dict) else None
    site = named or getattr(row, "job_site", None)
    return site if isinstance(site, int) else 0
