"""seals: a digest over all event heads that changed, in a row and in an append-only file."""

from typing import Any

import structlog
from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Max

from publisher import seal_file
from publisher.domain.envelope import digest
from publisher.domain.errors import WrongState
from publisher.engine.reconcile.counts import Counts
from publisher.models import Job, JobEvent, Seal
from publisher.ports import Ports

log = structlog.get_logger(__name__)
OVERLAP = 1000
BATCH = 50_000


def run(ports: Ports, *, site: str = "") -> Counts:
    """Seal what changed since the last seal, so that a lost or rewritten history is noticed."""
    path = settings.IMPRIMATUR_DATA_DIR / seal_file.NAME
    missed = seal_file.unknown(path)
    if missed is not None:
        # One more line in the file would make the older copy pass for the right one.
        raise WrongState(f"The database is older than seal {missed} in {path}: nothing is sealed.")
    if added := seal_file.bring_up(path):
        log.warning("seals_added", reason="the file ended before them", count=added)
    now = ports.clock.now()
    last = Seal.objects.defer("at").order_by("-number").first()
    heads, seen = _changed(last.last_event if last else 0)
    counts = Counts(looked_at=len(heads))
    if not heads:
        return counts
    number, before = (last.number + 1, last.hash) if last else (1, "")
    value = digest({"number": number, "heads": heads, "previous": before})
    try:
        with transaction.atomic():
            sealed = Seal.objects.create(
                number=number,
                heads=heads,
                previous_hash=before,
                hash=value,
                at=now,
                last_event=seen,
            )
    except IntegrityError:
        # Another sweep sealed at the same moment.
        return counts
    seal_file.append(path, seal_file.line_of(sealed))
    counts.changed = len(heads)
    return counts


def _changed(since: int) -> tuple[dict[str, list[Any]], int]:
    """Heads of jobs with events after ``since``, and the newest event's row; costs per new event.

    A transaction that began earlier may end later, so the last rows before are looked at again.
    """
    floor = max(since - OVERLAP, 0)
    events = JobEvent.objects.filter(pk__gt=floor).order_by()
    # One seal's heads are one row: what a long stop left behind is sealed by several sweeps.
    last = events.order_by("pk").values_list("pk", flat=True)[BATCH : BATCH + 1].first()
    events = events.filter(pk__lt=last) if last else events
    newest = events.aggregate(newest=Max("pk"))["newest"] or since
    sealed: dict[str, object] = {}
    # Sorted here: SQLite would read all seals in order rather than sort the few that are asked for.
    recent = Seal.objects.filter(last_event__gt=floor).only("number", "heads").order_by()
    for seal in sorted(recent, key=lambda one: one.number):
        sealed.update(seal.heads)
    rows = Job.objects.filter(pk__in=events.values("job_id")).order_by("pk")
    heads = {
        job_id: [seq, head]
        for job_id, seq, head in rows.values_list("pk", "event_seq", "event_hash")
        if sealed.get(job_id) != [seq, head]
    }
    return heads, newest
