"""Wrong hashes: who sends many that never belonged to their jobs may not decide for a while.

They are rows, so that they count for every process and machine. The hash of an older version of the
job is none: its page was open while the draft changed, which happens to everybody.
"""

from contextlib import suppress
from datetime import datetime, timedelta
from math import ceil

from publisher import journal
from publisher.domain.errors import StaleWorker, TooManyTries
from publisher.domain.states import Actor, State
from publisher.journal import Who
from publisher.models import Job
from reviews.models import Approval, Principal, WrongHash
from reviews.services.asking import Asked

MOST = 10
WITHIN = timedelta(minutes=10)


def require_few(actor: Principal, now: datetime) -> None:
    """TooManyTries while the last ten of this principal, at any door and job, are too recent."""
    recent = WrongHash.objects.filter(actor=actor, at__gt=now - WITHIN).order_by("-at")
    times = list(recent.values_list("at", flat=True)[:MOST])
    if len(times) < MOST:
        return
    raise TooManyTries(
        "Too many hashes that you sent never belonged to their job. Wait ten minutes, then take the "
        "hash from the job's page or from inspect.",
        retry_seconds=ceil((times[-1] + WITHIN - now).total_seconds()),
    )


def keep(job_id: str, asked: Asked) -> None:
    """Keep the try when its hash is of no version of the job; the history of a waiting job tells it.

    Elsewhere a worker may be at the job, which an event would take it out of the hands of.
    """
    job = Job.objects.get(pk=job_id)
    versions = Approval.objects.filter(job=job, binding_hash=asked.reviewed_hash)
    if asked.reviewed_hash == job.binding_hash or versions.exists():
        return
    WrongHash.objects.create(
        actor=asked.caller.principal,
        job=job,
        reviewed_hash=asked.reviewed_hash,
        door=asked.door,
        at=asked.now,
    )
    if job.state == State.WAITING_APPROVAL.value:
        who = Who(Actor.REVIEWER, asked.caller.name)
        with suppress(StaleWorker):  # it moved on meanwhile; the row tells it
            journal.note(
                job, "wrong_hash", who=who, now=asked.now, reviewed_hash=asked.reviewed_hash,
                door=asked.door,
            )  # fmt: skip
