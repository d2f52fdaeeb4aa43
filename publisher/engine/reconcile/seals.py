"""seals: a digest over all event heads that changed, in a row and in an append-only file."""

import json
import os

from django.conf import settings
from django.db import IntegrityError, transaction

from publisher.domain.envelope import digest
from publisher.engine.reconcile.counts import Counts
from publisher.models import Job, Seal
from publisher.ports import Ports

FILE = "seals.jsonl"


def run(ports: Ports, *, site: str = "") -> Counts:
    """Seal what changed since the last seal, so that a lost or rewritten history is noticed."""
    now = ports.clock.now()
    last = Seal.objects.order_by("-number").first()
    rows = Job.objects.order_by("pk")
    if last is not None:
        rows = rows.filter(updated_at__gte=last.at)
    sealed: dict[str, object] = dict(last.heads) if last else {}
    heads = {
        job.pk: [job.event_seq, job.event_hash]
        for job in rows.only("pk", "event_seq", "event_hash")
        if sealed.get(job.pk) != [job.event_seq, job.event_hash]
    }
    counts = Counts(looked_at=len(heads))
    if not heads:
        return counts
    number, before = (last.number + 1, last.hash) if last else (1, "")
    value = digest({"number": number, "heads": heads, "previous": before})
    try:
        with transaction.atomic():
            Seal.objects.create(
                number=number, heads=heads, previous_hash=before, hash=value, at=now
            )
    except IntegrityError:
        # Another sweep sealed at the same moment.
        return counts
    _append({"number": number, "heads": heads, "previous": before, "hash": value})
    counts.changed = len(heads)
    return counts


def _append(line: dict[str, object]) -> None:
    path = settings.IMPRIMATUR_DATA_DIR / FILE
    with path.open("a", encoding="utf-8") as out:
        out.write(json.dumps(line, sort_keys=True) + "\n")
        out.flush()
        os.fsync(out.fileno())
