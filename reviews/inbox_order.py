"""Inbox order: risky actions first, then what ends soon, what would be void, and all else by age.

Who may answer is part of the questions, so that nothing out of reach stands before what is within.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from django.db.models import (
    BooleanField,
    CharField,
    Exists,
    ExpressionWrapper,
    F,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Value,
)
from django.db.models.expressions import Combinable
from django.db.models.functions import Coalesce

from publisher.domain.states import TERMINAL, State
from publisher.domain.workflows import Risk
from publisher.models import Article, Conflict, Job
from publisher.models.job import Operation
from reviews.inbox_filters import NOTHING, Filters, to_groups_of
from reviews.inbox_lines import Source
from reviews.models import Approval, ApprovalStatus, Assignment
from reviews.own_work import may_be_answered, perhaps_own
from reviews.permissions import Caller

RISKY, SOON, LOSING, LATER = range(4)
"""The groups, as they stand: the first three hold approvals alone."""
DAY = timedelta(hours=24)
LOOKED_AT = 500
"""So many of the oldest are looked at for what would void them; the rows of all others tell it, too."""


def sources(caller: Caller, *, now: datetime, chosen: Filters = NOTHING) -> list[Source]:
    """All that waits for this person; each line tells whether it passes the filters."""
    found: list[Source] = []
    if caller.may_somewhere("decide"):
        found += _approvals(caller, now, chosen)
    if caller.may_somewhere("edit"):
        rows = Job.objects.filter(caller.within("edit"), state=State.REVIEW.value)
        told = {**_plain(), **_given("pk", caller), "passes": chosen.passes("review", caller)}
        found.append(Source(LATER, "review", rows, "updated_at", "", told))
    if caller.may_somewhere("resolve"):
        clashes = Conflict.objects.filter(
            caller.within("resolve", of="job__"),
            settled_at__isnull=True,
            job__state=State.CONFLICT.value,
        )
        told = {**_plain(), **_given("job_id", caller), "passes": chosen.passes("conflict", caller)}
        found.append(Source(LATER, "conflict", clashes, "created_at", "job__", told))
    return found


def passing(asked: Sequence[Source]) -> list[Source]:
    """The same with nothing but what passes the filters."""
    return [replace(one, rows=one.rows.filter(one.told["passes"])) for one in asked]


def _approvals(caller: Caller, now: datetime, chosen: Filters) -> list[Source]:
    rows = Approval.objects.filter(
        caller.within("decide", of="job__"),
        status=ApprovalStatus.PENDING.value,
        wait_until__gte=now,
    )
    rows = rows.exclude(decisions__actor=caller.principal).filter(may_be_answered(caller))
    risky = rows.filter(risk=Risk.RISKY.value)
    # Said by "not", so that each is read in the order of the index that gives it.
    soon = rows.exclude(risk=Risk.RISKY.value).filter(wait_until__lt=now + DAY)
    later = rows.filter(risk=Risk.ROUTINE.value).exclude(wait_until__lt=now + DAY)
    losing = _losing() & Q(pk__in=later.order_by("opened_at", "pk").values("pk")[:LOOKED_AT])
    told = {
        **_told(caller),
        **_given("job_id", caller),
        "passes": chosen.passes("approval", caller),
    }

    def source(group: int, rows: QuerySet[Approval], column: str) -> Source:
        return Source(group, "approval", rows, column, "job__", told)

    return [
        source(RISKY, risky, "opened_at"),
        source(SOON, soon, "wait_until"),
        source(LOSING, later.filter(losing), "opened_at"),
        source(LATER, later.exclude(losing), "opened_at"),
    ]


def _losing() -> Q:
    """Whether an approval given now would likely not last until its bytes leave."""
    return _stopped() | _moved() | Q(Exists(_rivals()))


def _stopped() -> Q:
    return Q(job__site__stop_reason__gt="") | ~Q(job__site__paused_lanes=[])


def _moved() -> Q:
    """Whether the index of the site's branch has the path of a new article, or lost that of a change."""
    there = Exists(
        Article.objects.filter(site=OuterRef("job__site"), path=OuterRef("job__target_path"))
    )
    is_new = Q(job__operation=Operation.CREATE.value)
    is_indexed = ~Q(job__site__indexed_commit="") & ~Q(job__target_path="")
    return is_indexed & ((is_new & there) | (~is_new & ~there))


def _rivals() -> QuerySet[Job]:
    """Other open jobs for the same path."""
    same = Job.objects.filter(
        site=OuterRef("job__site"), target_path=OuterRef("job__target_path")
    ).exclude(target_path="")
    open_ones = same.exclude(state__in=sorted(map(str, TERMINAL)))
    return open_ones.exclude(pk=OuterRef("job_id"))


def _told(caller: Caller) -> dict[str, Any]:
    """What a line tells of an approval, and what would void it."""
    rivals = _rivals().order_by("-pk")
    return {
        "since": F("opened_at"),
        "ends_at": F("wait_until"),
        "risk": F("risk"),
        "is_stopped": _flag(_stopped()),
        "is_moved": _flag(_moved()),
        "is_perhaps_own": _flag(perhaps_own(caller)),
        "rival": _first(rivals, "pk"),
        "rival_by": _first(rivals, "requester"),
    }


def _plain() -> dict[str, Any]:
    """The same of what is no approval."""
    nobody, no = _text(""), Value(False, BooleanField())
    flags = dict.fromkeys(("is_stopped", "is_moved", "is_perhaps_own"), no)
    return {"risk": nobody, "rival": nobody, "rival_by": nobody, **flags}


def _given(job_id: str, caller: Caller) -> dict[str, Any]:
    """Who gave it to this person, or to which group of theirs."""
    rows = Assignment.objects.filter(
        Q(person=caller.principal) | to_groups_of(caller), job=OuterRef(job_id)
    ).order_by("group", "pk")
    return {"given_by": _first(rows, "by__name"), "given_group": _first(rows, "group")}


def _first(rows: QuerySet[Any], column: str) -> Coalesce:
    return Coalesce(Subquery(rows.values(column)[:1]), _text(""), output_field=CharField())


def _text(value: str) -> Value:
    return Value(value, CharField())


def _flag(claim: Q) -> Combinable:
    return ExpressionWrapper(claim, BooleanField())
