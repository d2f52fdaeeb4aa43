"""Assignments: a job is given to a person or a group to look at. That gives nobody a right."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from publisher import journal
from publisher.domain.errors import InvalidInput, NotFound, WrongState
from publisher.domain.states import Event, State
from publisher.models import Job
from publisher.services import meanwhile
from reviews.models import Assignment, Membership, Principal
from reviews.permissions import ROLES, Caller, require
from reviews.services import work

WITH_PEOPLE = frozenset({State.WAITING_APPROVAL, State.REVIEW, State.CONFLICT})
"""Only what waits for somebody can be given: elsewhere a worker may be at it."""
ABLE = frozenset(role for right in ("decide", "edit", "resolve") for role in ROLES[right])
"""Who could do something about what waits."""


@dataclass(frozen=True, slots=True)
class Takers:
    """To whom a job can be given, by name."""

    people: list[str]
    groups: list[str]


def of(job: Job) -> list[Assignment]:
    """To whom a job was given, oldest first."""
    return list(Assignment.objects.select_related("person", "by").filter(job=job).order_by("pk"))


def may_give(caller: Caller, job: Job) -> bool:
    """Whether the caller can give this job to somebody now."""
    may = caller.may("edit", job.scope, job.site, owner=job.requester)
    return may and State(job.state) in WITH_PEOPLE


def takers(job: Job) -> Takers:
    """Every person who could do something about it, and the groups that such people are in."""
    rows = Membership.objects.select_related("principal__user").filter(scope=job.scope)
    able = [held for held in rows.filter(role__in=sorted(ABLE)) if _could_act(held, job)]
    people = {held.principal.name for held in able}
    return Takers(sorted(people), sorted({group for held in able for group in held.groups}))


def give(job: Job, *, caller: Caller, now: datetime, person: str = "", group: str = "") -> None:
    """Give it to one person or one group; given once more it stays as it is.

    Raises InvalidInput for somebody who could do nothing about it, and WrongState where nobody can.
    """
    _require(job, caller)
    known = takers(job)
    _check(person, known.people, group, known.groups)
    to = Principal.objects.get(name=person) if person else None
    with transaction.atomic():
        row, is_new = Assignment.objects.get_or_create(
            job=job, person=to, group=group, defaults={"by": caller.principal, "at": now}
        )
        if is_new:
            _note(job, "assigned", caller, now, row)


def take_back(job: Job, assignment_id: int, *, caller: Caller, now: datetime) -> None:
    """It is theirs no longer; NotFound for one that is not of this job."""
    _require(job, caller)
    with transaction.atomic():
        rows = Assignment.objects.select_for_update(of=("self",)).select_related("person")
        row = rows.filter(job=job, pk=assignment_id).first()
        if row is None:
            raise NotFound("This job is no longer given to them.")
        _note(job, "unassigned", caller, now, row)
        row.delete()


def _require(job: Job, caller: Caller) -> None:
    require(caller, "edit", job.scope, job.site, owner=job.requester)
    if State(job.state) not in WITH_PEOPLE:
        raise WrongState("It waits for nobody now, so it can be given to nobody.")


def _check(person: str, people: Collection[str], group: str, groups: Collection[str]) -> None:
    if bool(person) == bool(group):
        raise InvalidInput("to", "Name one person or one group.")
    if (person and person not in people) or (group and group not in groups):
        raise InvalidInput("to", f"{person or group} could do nothing about this job.")


def _could_act(held: Membership, job: Job) -> bool:
    """Programs do not look at an inbox."""
    is_here = held.site_id in (None, job.site_id)
    return is_here and held.principal.is_active and not held.principal.is_agent


def _note(job: Job, event: str, caller: Caller, now: datetime, row: Assignment) -> None:
    to = row.person.name if row.person else row.group
    who = work.who(caller, job, Event.REVISE)
    with meanwhile.told():
        journal.note(job, event, who=who, now=now, to=to)
