"""restored: ask that a job in review be recorded as published, which an older database forgot."""

from datetime import datetime

from django.db import transaction

from publisher import envelopes, journal, nodes, wakeup
from publisher.domain.errors import InvalidInput, WrongState
from publisher.domain.secrets import scrub_text
from publisher.domain.states import Event, Lane, State, can
from publisher.journal import Message, Who
from publisher.models import Job
from publisher.services import meanwhile

KIND = "record_published"
"""The outbox message that has a worker look at the remote."""


def check(job: Job, *, who: Who, reason: str) -> None:
    """Refuse what no look at the remote could allow. Raises InvalidInput, WrongState."""
    if not reason.strip():
        raise InvalidInput("reason", "Say why, so that others can follow.")
    if not can(State(job.state), Event.RESTORE, actor=who.actor, lane=Lane(job.lane)):
        raise WrongState("Only a job in review can be recorded as published.", state=job.state)
    if not nodes.is_from_backup(job):
        raise WrongState(
            "No backup was restored here since this job was made, so nothing of it was forgotten. "
            "If an older copy was put in place by other means, say so first: restore --accept."
        )
    envelopes.manifest_of(job)


def ask(job: Job, *, who: Who, now: datetime, reason: str) -> Job:
    """Have a worker look at the remote; what it finds appears in the job's history."""
    check(job, who=who, reason=reason)
    reason = scrub_text(reason)
    message = Message(f"{KIND}:{job.pk}:{job.event_seq}", KIND, {"who": who.name, "reason": reason})
    with meanwhile.told(), transaction.atomic():
        journal.note(job, "record_asked", who=who, now=now, reason=reason, messages=[message])
        wakeup.deliver()
    return job
