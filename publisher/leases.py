"""Leases: who works on a job, and until when. Expiry is the only recovery."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Q, QuerySet

from publisher import journal, statements
from publisher.domain.errors import StaleWorker
from publisher.domain.states import CLAIMABLE, Actor
from publisher.journal import Lease, Who
from publisher.models import Job, Site
from publisher.models.site import CloneState

_SEEN = ("state", "state_version", "generation", "owner", "lease_until", "attempt")
"""What a claim needs to know of a row before the journal reads and locks all of it."""

CLAIMABLE_STATES = sorted(str(state) for state in CLAIMABLE)


def due(now: datetime) -> Q:
    """Jobs that a worker may claim now: something to do, due, and free or with a dead owner."""
    free = Q(lease_until__isnull=True) | Q(lease_until__lte=now)
    return Q(state__in=CLAIMABLE_STATES, available_at__lte=now) & free


def due_rows(now: datetime) -> QuerySet[Job]:
    """The due jobs, with their sites, that can be worked on: a site without a clone has to wait."""
    rows = Job.objects.select_related("site").filter(due(now))
    return rows.filter(site__clone_state=CloneState.READY.value)


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
        return _without_idle_time(fresh, now)

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


def _without_idle_time(fresh: Job, now: datetime) -> Mapping[str, Any]:
    """A deadline is one of work: how long the job lay due and free does not count.

    So whatever was under way when all workers were stopped goes on when they are back.
    """
    if fresh.deadline_at is None:
        return {}
    free_since = max(fresh.available_at, fresh.lease_until or fresh.available_at)
    return {"deadline_at": fresh.deadline_at + max(now - free_since, timedelta())}


def renew(lease: Lease, *, now: datetime, seconds: float) -> None:
    """Hold the job for longer; StaleWorker when it is no longer held."""
    renewed = Job.objects.filter(
        pk=lease.job_id, owner=lease.owner, generation=lease.generation, lease_until__gt=now
    ).update(lease_until=now + timedelta(seconds=seconds))
    if renewed != 1:
        raise StaleWorker("The lease is lost.", job_id=lease.job_id, generation=lease.generation)


def release(lease: Lease) -> None:
    """Give the job back; nothing happens when it is held by somebody else meanwhile."""
    Job.objects.filter(pk=lease.job_id, owner=lease.owner, generation=lease.generation).update(
        owner="", lease_until=None
    )
