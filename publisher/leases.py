"""Leases: who works on a job or delivers a message, and until when. Expiry is the only recovery."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from itertools import permutations
from typing import Any

from django.db.models import Exists, F, OuterRef, Q, QuerySet

from publisher import journal, statements
from publisher.domain.errors import StaleWorker
from publisher.domain.states import CLAIMABLE, MAY_HOLD_INTENT, Actor, Lane
from publisher.journal import Lease, Who
from publisher.models import Job, JobEvent, Outbox, Site
from publisher.models.site import CloneState

_SEEN = ("state", "state_version", "generation", "owner", "lease_until", "attempt")
"""What a claim needs to know of a row before the journal reads and locks all of it."""

HELD_UNSEEN = timedelta(hours=1)
"""How long a due job that a pause holds is left alone before it is sent; resuming ends that at once."""

CLAIMABLE_STATES = sorted(str(state) for state in CLAIMABLE)


@dataclass(frozen=True, slots=True)
class Delivery:
    """The right to deliver a message of the outbox."""

    message_id: str
    owner: str


def _free(now: datetime) -> Q:
    return Q(lease_until__isnull=True) | Q(lease_until__lte=now)


def due(now: datetime) -> Q:
    """Jobs that a worker may claim now: something to do, due, and free or with a dead owner."""
    return Q(state__in=CLAIMABLE_STATES, available_at__lte=now) & _free(now)


def due_messages(now: datetime) -> Q:
    """Messages that a worker may take now: not done, due, and free or with a dead owner."""
    return Q(done_at__isnull=True, due_at__lte=now) & _free(now)


def was_held() -> Exists:
    """That the last a worker said of the job is that it is held."""
    last = {"job": OuterRef("pk"), "seq": OuterRef("event_seq")}
    return Exists(JobEvent.objects.filter(**last, event="held"))


def _is_paused() -> Q:
    """The job's lane is paused at its site; the database compares such a list as a whole."""
    lanes = [lane.value for lane in Lane]
    lists = [list(some) for size in range(len(lanes)) for some in permutations(lanes, size + 1)]
    cases = [Q(lane=lane, site__paused_lanes=some) for some in lists for lane in some]
    return Q(*cases, _connector=Q.OR)


def due_rows(now: datetime) -> QuerySet[Job]:
    """The due jobs, with their sites, that can be worked on: a site without a clone has to wait.

    So has a job that its paused site holds, without a word each time; it is looked at now and then.
    One that may have been sent is looked for all the while, since a pause stops no answer.
    """
    rows = Job.objects.select_related("site").filter(due(now))
    unsent = ~Q(state__in=sorted(MAY_HOLD_INTENT))
    waits = _is_paused() & unsent & Q(available_at__gt=now - HELD_UNSEEN)
    return rows.filter(site__clone_state=CloneState.READY.value).exclude(waits, was_held())


def claim(job_id: str, *, owner: str, now: datetime, seconds: float) -> tuple[Job, Lease] | None:
    """Take the job if it is due and free; None when there is nothing to take.

    The row as it was seen is part of the journal's compare-and-swap, so of two claims one takes
    it. A claim raises the generation, which fences whoever held the job before.
    """
    seen = due_rows(now).select_related(None).filter(pk=job_id).only("site_id", *_SEEN).first()
    taken = None if seen is None else take(seen, owner=owner, now=now, seconds=seconds)
    if taken is not None:
        job, _ = taken
        job.site = statements.read(Site, job.site_id)
    return taken


def take(job: Job, *, owner: str, now: datetime, seconds: float) -> tuple[Job, Lease] | None:
    """Take a job that was just read and found due; None when it is not as it was read any more."""
    job_id, seen_until = job.pk, job.lease_until

    def still_free(fresh: Job) -> Mapping[str, Any]:
        if fresh.lease_until != seen_until:
            raise StaleWorker("Its owner still lives.", job_id=job_id)
        return without_idle_time(fresh, now)

    taken = {
        "generation": job.generation + 1,
        "owner": owner,
        "lease_until": now + timedelta(seconds=seconds),
        "attempt": job.attempt + 1,
    }
    try:
        journal.note(
            job, "claimed", who=Who(Actor.WORKER, owner), now=now, guard=still_free, changes=taken,
            attempt=job.attempt + 1, taken_over_from=job.owner,
        )  # fmt: skip
    except StaleWorker:
        return None
    return job, Lease(job_id=job_id, owner=owner, generation=job.generation)


def without_idle_time(fresh: Job, now: datetime) -> Mapping[str, Any]:
    """A deadline is one of work: how long the job lay due and free does not count.

    So whatever was under way when all workers were stopped goes on when they are back. Whoever
    makes a job due now has to count this as well: from its ``available_at`` it is known.
    """
    if fresh.deadline_at is None:
        return {}
    free_since = max(fresh.available_at, fresh.lease_until or fresh.available_at)
    return {"deadline_at": fresh.deadline_at + max(now - free_since, timedelta())}


def take_message(message: Outbox, *, owner: str, now: datetime, seconds: float) -> Delivery | None:
    """Take a message that was just read; None when it is not due or not free any more."""
    taken = Outbox.objects.filter(due_messages(now), pk=message.pk).update(
        owner=owner, lease_until=now + timedelta(seconds=seconds), tries=F("tries") + 1
    )
    return Delivery(message.pk, owner) if taken == 1 else None


def renew(held: Lease | Delivery, *, now: datetime, seconds: float) -> None:
    """Hold the job or the message for longer; StaleWorker when it is no longer held."""
    until = now + timedelta(seconds=seconds)
    if _rows_of(held).filter(lease_until__gt=now).update(lease_until=until) != 1:
        raise StaleWorker("The lease is lost.", **asdict(held))


def release(held: Lease | Delivery) -> None:
    """Give the job or the message back; nothing happens when somebody else holds it meanwhile."""
    _rows_of(held).update(owner="", lease_until=None)


def _rows_of(held: Lease | Delivery) -> QuerySet[Job] | QuerySet[Outbox]:
    """The row that is held, as long as it is."""
    if isinstance(held, Delivery):
        return Outbox.objects.filter(pk=held.message_id, owner=held.owner)
    return Job.objects.filter(pk=held.job_id, owner=held.owner, generation=held.generation)
