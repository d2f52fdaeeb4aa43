"""search_fill: gives the jobs from before there was a search what they are found by, newest first.

One message, written by the migration, goes through them; it keeps the place where it goes on.
"""

from datetime import timedelta

from django.db import transaction

from publisher import spoiled
from publisher.models import Job, Outbox
from publisher.ports import Ports
from publisher.services import search

KIND = "search_fill"
BATCH = 200
BATCHES = 10
"""In one delivery, so that other messages have their turn."""


def consume(message: Outbox, ports: Ports) -> None:
    """Fill some, and be due again at once for the next ones; done when no job is left."""
    before = str(message.payload.get("before", ""))
    for _ in range(BATCHES):
        rows = Job.objects.filter(**({"pk__lt": before} if before else {})).order_by("-pk")
        keys = list(rows.values_list("pk", flat=True)[:BATCH])
        if not keys:
            return
        _fill(keys)
        before = keys[-1]
    due_at = ports.clock.now() + timedelta(milliseconds=1)
    mine = Outbox.objects.filter(pk=message.pk)
    mine.update(payload={**message.payload, "before": before}, due_at=due_at)


def _fill(keys: list[str]) -> None:
    jobs = spoiled.readable(Job.objects.filter(pk__in=keys, search_text=None))
    texts = [(job, _text_of(job)) for job in jobs]
    with transaction.atomic():
        known = set(Job.objects.filter(pk__in=keys, search_text=None).values_list("pk", flat=True))
        for job, text in texts:
            if job.pk in known:  # nobody wrote a newer one meanwhile
                search.keep(job, text)


def _text_of(job: Job) -> str:
    draft = job.steps.filter(revision=job.revision, name="draft", state="succeeded").first()
    if draft is not None:
        return search.text_of_draft(job, draft.outputs)
    revision = job.revisions.filter(number=job.revision).first()
    return search.text_of(job, revision.inputs if revision else {})
