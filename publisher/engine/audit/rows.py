"""Rows: no job in an impossible place, no write without its proof, no message done for nothing."""

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from functools import partial, reduce
from operator import or_
from typing import Any

from django.db.models import Count, Exists, F, Max, OuterRef, Q, QuerySet, Value
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Coalesce, NullIf

from publisher import nodes
from publisher.domain.states import CLAIMABLE, MAY_HOLD_INTENT, State
from publisher.engine import effects
from publisher.engine.audit import intents
from publisher.engine.audit.breach import Breach, unchecked, unreadable
from publisher.models import Artifact, Conflict, Effect, Job, Outbox, Revision, Site
from publisher.spoiled import each, whole

LONGEST_LEASE = timedelta(hours=2)
"""Twice the longest that can be set for one."""
LONGEST_PAUSE = timedelta(hours=24)
"""No retry and no probe is put off for longer; only ``not_before`` is, by a person's wish."""

_ENDS = {State.PUBLISHED.value, State.EFFECT_CONFIRMED.value}
_CLAIMABLE = [state.value for state in CLAIMABLE]


def check(now: datetime, site: str = "") -> Iterator[Breach]:
    """Set by set, in the database."""
    jobs = Job.objects.filter(site__name=site) if site else Job.objects.all()
    writes = Effect.objects.filter(job__site__name=site) if site else Effect.objects.all()
    checks: dict[str, Callable[[], Iterator[Breach]]] = {
        "leases": partial(_leases, jobs),
        "waits": partial(_stuck, jobs, now),
        "writes": partial(_writes, jobs, writes),
        "open writes": partial(intents.check, writes),
        "receipts": partial(_receipts, writes),
        "named artifacts": partial(_artifacts, jobs),
        "revisions": partial(_revisions, jobs),
        "messages": partial(_messages, site),
    }
    for name, check in checks.items():
        yield from whole(name, check, unchecked)


def _leases(jobs: QuerySet[Job]) -> Iterator[Breach]:
    held = jobs.filter(~Q(owner="") | Q(lease_until__isnull=False))
    for job_id, state in held.exclude(state__in=_CLAIMABLE).values_list("pk", "state"):
        yield Breach("lease_left", job_id, f"A worker still holds it, and it is {state}.")


def _stuck(jobs: QuerySet[Job], now: datetime) -> Iterator[Breach]:
    """Whatever waits must be waited for: by a time that comes, by a worker, or by a person."""
    due = jobs.filter(state__in=_CLAIMABLE)
    late = due.filter(available_at__gt=now + LONGEST_PAUSE).filter(
        Q(not_before__isnull=True) | Q(available_at__gt=F("not_before") + LONGEST_PAUSE)
    )
    for job_id, when in late.values_list("pk", "available_at"):
        yield Breach(
            "stuck", job_id, f"It waits until {when:%Y-%m-%d %H:%M}, which nothing asks for."
        )
    for job_id in due.filter(lease_until__gt=now + LONGEST_LEASE).values_list("pk", flat=True):
        yield Breach("stuck", job_id, "Its lease ends so late that nobody takes it over.")
    for job_id in due.filter(state=State.RETRY_WAIT.value, resume_state="").values_list(
        "pk", flat=True
    ):
        yield Breach("stuck", job_id, "It waits for a retry, and nobody knows of what.")
    asked = Conflict.objects.filter(job=OuterRef("pk"), settled_at__isnull=True)
    for job_id in jobs.filter(~Exists(asked), state=State.CONFLICT.value).values_list(
        "pk", flat=True
    ):
        yield Breach("stuck", job_id, "It waits for a conflict to be settled that is not there.")
    pushing = jobs.filter(~Exists(_of_job(status__in=effects.OPEN)), state=State.PUSHING.value)
    for job_id in pushing.values_list("pk", flat=True):
        yield Breach("stuck", job_id, "It waits for a push of which no open write is known.")


def _of_job(**narrowed: Any) -> QuerySet[Effect]:
    return Effect.objects.filter(job=OuterRef("pk"), **narrowed)


def _writes(jobs: QuerySet[Job], writes: QuerySet[Effect]) -> Iterator[Breach]:
    allowed = [state.value for state in MAY_HOLD_INTENT]
    left = writes.filter(status__in=effects.OPEN).exclude(job__state__in=allowed)
    for job_id in left.values_list("job", flat=True):
        yield Breach("open_intent", job_id, "A state that may hold no open write holds one.")
    confirmed = writes.filter(status="confirmed").order_by()
    twice = confirmed.values("job", "step").annotate(times=Count("pk")).filter(times__gt=1)
    for job_id in twice.values_list("job", flat=True):
        yield Breach("second_receipt", job_id, "It has two receipts for one write.")
    for job_id, state in confirmed.exclude(job__state__in=_ENDS).values_list("job", "job__state"):
        yield Breach("receipt_unpublished", job_id, f"It has a receipt, and it is {state}.")
    proved = Exists(_of_job(status="confirmed"))
    for job_id in jobs.filter(~proved, state__in=_ENDS).values_list("pk", flat=True):
        yield Breach("no_receipt", job_id, "It counts as done, and no write of it is confirmed.")


def _receipts(writes: QuerySet[Effect]) -> Iterator[Breach]:
    """What proves a publication, and the job that it proves, speak of the same commit and bytes."""
    pairs = {
        "commit": ("external_id", "job__remote_commit"),
        "manifest": ("manifest_hash", "job__manifest_hash"),
        "bytes": ("request_hash", "job__payload_hash"),
    }
    proofs = writes.filter(status="confirmed", job__state=State.PUBLISHED.value)
    differ = reduce(or_, (~Q(**{one: F(other)}) for one, other in pairs.values()))
    columns = [name for pair in pairs.values() for name in pair]
    for job_id, *found in proofs.filter(differ).values_list("job", *columns):
        what = [
            name
            for name, one, other in zip(pairs, found[::2], found[1::2], strict=True)
            if one != other
        ]
        message = f"The job and the receipt of its write name another {' and '.join(what)}."
        yield Breach("receipt_differs", job_id, message)


def _revisions(jobs: QuerySet[Job]) -> Iterator[Breach]:
    """Each job has all its versions, and each names the text that came with it."""
    present = Revision.objects.filter(job=OuterRef("pk"), number=OuterRef("revision"))
    for job_id in jobs.filter(~Exists(present)).values_list("pk", flat=True):
        yield Breach("revision_missing", job_id, "The version that it works with is gone.")
    rows = Revision.objects.filter(job__in=jobs.order_by()).order_by()
    counted = rows.values("job").annotate(times=Count("pk"), last=Max("number"))
    for job_id in counted.exclude(times=F("last")).values_list("job", flat=True):
        yield Breach("revision_missing", job_id, "Versions before its last one are gone.")
    # SQLite's question gives the word for a null.
    text = NullIf(KeyTextTransform("content", "inputs"), Value("null"))
    named = Coalesce(text, Value(""))
    for job_id, number in (
        rows.annotate(named=named).exclude(content=F("named")).values_list("job", "number")
    ):
        message = f"The text of revision {number} is not the one that came with it."
        yield Breach("revision_changed", job_id, message)


def _artifacts(jobs: QuerySet[Job]) -> Iterator[Breach]:
    """Rows that name bytes of which no artifact is known."""
    named = Artifact.objects.filter(pk=OuterRef("manifest_artifact"))
    for job_id in (
        jobs.exclude(manifest_artifact="").filter(~Exists(named)).values_list("pk", flat=True)
    ):
        yield Breach("artifact_unknown", job_id, "Its manifest is not among the artifacts.")
    others = jobs.exclude(manifest_artifact="").exclude(manifest_hash=F("manifest_artifact"))
    for job_id in others.values_list("pk", flat=True):
        yield Breach("manifest_differs", job_id, "Its manifest is not the one that is stored.")
    content = Artifact.objects.filter(pk=OuterRef("content"))
    rows = Revision.objects.exclude(content="").filter(~Exists(content), job__in=jobs.order_by())
    for job_id, number in rows.values_list("job", "number"):
        yield Breach("artifact_unknown", job_id, f"The text of revision {number} is not there.")


def _messages(name: str) -> Iterator[Breach]:
    """A fetch that is done was seen by its site after it was due; a restore makes sites forget it."""
    done = Outbox.objects.filter(kind="site_fetch", done_at__isnull=False)
    rows = Site.objects.filter(removed_at__isnull=True)
    rows = rows.filter(name=name) if name else rows
    sites = {row.pk: row for row in rows.only("name", "fetched_at")}
    done = done.filter(pk__in=[f"site_fetch:{key}" for key in sites]) if name else done
    restored = nodes.restored_at()

    def is_undone(site: Site, asked: datetime) -> bool:
        if site.fetched_at is None and restored is not None and asked <= restored:
            return False
        return site.fetched_at is None or site.fetched_at < asked

    def check(message: Outbox) -> Iterator[Breach]:
        site = sites.get(message.payload.get("site"))
        asked = min(message.due_at, message.done_at or message.due_at)
        if site is None or not is_undone(site, asked):
            return
        # It may have been made, and called done, after the sites were read.
        present = rows.filter(pk=site.pk).first()
        if present is not None and is_undone(present, asked):
            yield Breach("message_undone", site.name, "A fetch is called done that never was made.")

    yield from each(done, check, unreadable("publisher_outbox"))
