"""Delegations: for a time somebody's answers have the weight of somebody else's, never for own work.

A right is not lent: who stands in holds the reviewer's role too. What is lent is the weight, which
is the place in the policy's groups.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db.models import Q

from publisher.domain.errors import InvalidInput, NotAllowed, NotFound
from publisher.domain.secrets import scrub_text
from publisher.models import Job
from reviews.models import Delegation, Kind, Membership, Principal, Role
from reviews.permissions import Caller, require

LONGEST = timedelta(days=366)


def give(
    giver: Principal,
    *,
    delegate: Principal,
    scope: str,
    starts_at: datetime,
    ends_at: datetime,
    why: str = "",
    caller: Caller,
    now: datetime,
) -> Delegation:
    """Let somebody stand in, from then on until then; an admin may set it up for others.

    A time of beginning that is over means now. Raises NotAllowed, InvalidInput.
    """
    if caller.name != giver.name:
        require(caller, "admin", scope)
    _require_reviewer(giver, scope, "giver")
    _require_reviewer(delegate, scope, "delegate")
    if giver.pk == delegate.pk:
        raise InvalidInput("delegate", "Choose somebody else: nobody stands in for themselves.")
    starts_at = max(starts_at, now)
    if not starts_at < ends_at <= now + LONGEST:
        raise InvalidInput("ends_at", "It ends after it begins, and within a year.")
    return Delegation.objects.create(
        scope=scope,
        giver=giver,
        delegate=delegate,
        starts_at=starts_at,
        ends_at=ends_at,
        why=scrub_text(why),
        by=caller.name,
        created_at=now,
    )


def end(delegation_id: int, *, caller: Caller, now: datetime) -> Delegation:
    """End one now: its giver may, who stands in, and an admin. What was answered keeps its weight."""
    rows = Delegation.objects.select_related("giver", "delegate")
    found = rows.filter(pk=delegation_id, scope__in=list(caller.scopes)).first()
    if found is None:
        raise NotFound("There is no such delegation that you may see.")
    if caller.name not in (found.giver.name, found.delegate.name):
        require(caller, "admin", found.scope)
    _end(Q(pk=found.pk), by=caller.name, now=now)
    found.refresh_from_db()
    return found


def end_all(person: Principal, *, by: str, now: datetime) -> None:
    """End whatever this person gave or was given."""
    _end(Q(giver=person) | Q(delegate=person), by=by, now=now)


def _end(which: Q, *, by: str, now: datetime) -> None:
    Delegation.objects.filter(which, _present(now)).update(ended_at=now, ended_by=by)


def present(scopes: Iterable[str], *, now: datetime) -> list[Delegation]:
    """Those of the scopes that run or will, the soonest to end first."""
    rows = Delegation.objects.select_related("giver", "delegate")
    found = rows.filter(_present(now), scope__in=list(scopes))
    return list(found.order_by("ends_at", "pk"))


def past(scopes: Iterable[str], *, now: datetime, limit: int = 20) -> list[Delegation]:
    """The last of the scopes' that are over, newest first."""
    rows = Delegation.objects.select_related("giver", "delegate")
    found = rows.filter(~_present(now), scope__in=list(scopes))
    return list(found.order_by("-pk")[:limit])


def lenders(delegate: Principal, job: Job, *, now: datetime) -> list[Principal]:
    """Those in whose place this person may answer about the job's scope now, by name."""
    rows = Delegation.objects.select_related("giver__user").filter(
        _covering(now), delegate=delegate, scope=job.scope
    )
    return sorted({row.giver for row in rows}, key=lambda giver: giver.name)


def covers(giver: Principal, delegate: Principal, scope: str, at: datetime) -> bool:
    """Whether the one stood in for the other at that moment."""
    rows = Delegation.objects.filter(_covering(at), giver=giver, delegate=delegate, scope=scope)
    return rows.exists()


def reviewers(scope: str) -> list[Principal]:
    """Who could stand in, or be stood in for, by name."""
    rows = Principal.objects.filter(
        kind=Kind.PERSON.value,
        disabled_at__isnull=True,
        memberships__scope=scope,
        memberships__role=Role.REVIEWER.value,
    )
    return list(rows.distinct().order_by("name"))


def _require_reviewer(person: Principal, scope: str, field: str) -> None:
    roles = Membership.objects.filter(principal=person, scope=scope, role=Role.REVIEWER.value)
    if person.is_agent or not person.is_active or not roles.exists():
        if field == "giver":
            raise NotAllowed(f"{person.name} decides nothing there, so there is nothing to lend.")
        raise InvalidInput(field, f"{person.name} cannot decide there. Choose a reviewer.")


def _present(now: datetime) -> Q:
    return Q(ended_at__isnull=True, ends_at__gt=now)


def _covering(at: datetime) -> Q:
    not_ended = Q(ended_at__isnull=True) | Q(ended_at__gt=at)
    return not_ended & Q(starts_at__lte=at, ends_at__gt=at)
