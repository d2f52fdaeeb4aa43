"""Leases: who works on a job, and until when. Expiry is the only recovery."""

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q

from publisher import journal
from publisher.domain.errors import StaleWorker
from publisher.domain.states import CLAIMABLE, Actor
from publisher.journal import Lease, Who
from publisher.models import Job

CLAIMABLE_STATES = sorted(str(state) for state in CLAIMABLE)


def due(now: datetime) -> Q:
    """Jobs that a worker may claim now: something to do, due, and free or with a dead owner."""
    free = Q(lease_until__isnull=True) | Q(lease_until__lte=now)
    return Q(state__in=CLAIMABLE_STATES, available_at__lte=now) & free


def claim(job_id: str, *, owner: str, now: datetime, seconds: float) -> tuple[Job, Lease] | None:
    """Take the job if it is due and free; None when there is nothing to take.

    The row as it was seen (generation, owner) is part of the filter, so of two claims one matches
    no row. A claim raises the generation, which fences whoever held the job before.
    """
    with transaction.atomic():
        job = Job.objects.select_for_update(skip_locked=True).filter(due(now), pk=job_id).first()
        if job is None:
            return None
        generation = job.generation + 1
        until = now + timedelta(seconds=seconds)
        taken = Job.objects.filter(
            due(now), pk=job_id, generation=job.generation, owner=job.owner
        ).update(generation=generation, owner=owner, lease_until=until, attempt=job.attempt + 1)
        if taken != 1:
            return None
        before = job.owner
        job.refresh_from_db()
        lease = Lease(job_id=job_id, owner=owner, generation=generation)
        journal.note(
            job,
            "claimed",
            who=Who(Actor.WORKER, owner),
            now=now,
            lease=lease,
            attempt=job.attempt,
            taken_over_from=before,
        )
    return job, lease


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
