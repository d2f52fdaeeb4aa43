"""Selectors of what was recorded by hand: publications that an older database forgot."""

from publisher.domain.states import Event
from publisher.models import JobEvent


def was_recorded(job_id: str, commit: str) -> bool:
    """Whether an operator recorded this commit as the job's, after a look at the remote."""
    rows = JobEvent.objects.filter(job=job_id, event=Event.RESTORE.value)
    return any(facts.get("commit") == commit for facts in rows.values_list("facts", flat=True))
