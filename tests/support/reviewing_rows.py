"""Rows of the reviewers' own tables, whose rules nobody's page needs to be run for."""

from datetime import datetime, timedelta

from publisher.models import Job
from reviews.models import Assignment, Delegation, Principal


def delegation(
    giver: str, delegate: str, *, now: datetime, scope: str = "default", days: int = 7
) -> Delegation:
    """From now on, for some days."""
    return Delegation.objects.create(
        scope=scope, giver=Principal.objects.get(name=giver),
        delegate=Principal.objects.get(name=delegate), starts_at=now,
        ends_at=now + timedelta(days=days), why="on leave", by=giver, created_at=now,
    )  # fmt: skip


def assignment(
    job: Job, *, by: str, now: datetime, person: str = "", group: str = ""
) -> Assignment:
    """A job given to a person, or to a group."""
    found = Principal.objects.get(name=person) if person else None
    asking = Principal.objects.get(name=by)
    return Assignment.objects.create(job=job, person=found, group=group, by=asking, at=now)
