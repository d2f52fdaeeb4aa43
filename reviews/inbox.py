"""Inbox: what waits for a person, soonest to expire first, then oldest first; paged by keyset.

Who may answer is part of the questions, so that nothing out of reach stands before what is within.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from heapq import merge
from itertools import islice
from typing import Any

from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from publisher import spoiled
from publisher.domain.states import State
from publisher.models import Conflict, Job
from reviews.models import Approval, ApprovalStatus
from reviews.own_work import Deciding, may_be_answered
from reviews.permissions import Caller

SOON = timedelta(hours=24)
SHOWN = 100
"""How many a page shows, and up to where they are counted."""


@dataclass(frozen=True, slots=True)
class InboxItem:
    """One thing that waits for the caller: ``kind`` is approval, review or conflict."""

    kind: str
    job: Job
    approval: Approval | None
    conflict: Conflict | None
    why: str
    since: datetime
    expires_at: datetime | None
    requester: str
    place: "Place"


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """Where an item stands: what expires soon is in group 0, everything else in group 1."""

    group: int
    when: datetime
    kind: str
    key: Any

    def __str__(self) -> str:
        return f"{self.group}~{self.when.isoformat()}~{self.kind}~{self.key}"


@dataclass(frozen=True, slots=True)
class InboxPage:
    """Some of what waits; ``next`` is the place to go on after, or ""."""

    items: list[InboxItem]
    next: str


@dataclass(frozen=True, slots=True)
class Waiting:
    """How many things wait: ``number``, or more than that."""

    number: int = 0
    is_more: bool = False

    def __bool__(self) -> bool:
        return self.number > 0

    def __str__(self) -> str:
        return f"{self.number}+" if self.is_more else str(self.number)


def place_of(text: str) -> Place | None:
    """The place that an address names; None where it names none."""
    group, _, rest = text.partition("~")
    moment, _, rest = rest.partition("~")
    kind, _, key = rest.partition("~")
    try:
        when = datetime.fromisoformat(moment).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    if kind == "review" and key.isascii() and key.isprintable():
        return Place(1, when, kind, key)
    is_number = kind in ("approval", "conflict") and key.isdecimal() and len(key) < 19
    return Place(int(group == "1"), when, kind, int(key)) if is_number else None


def page(caller: Caller, *, now: datetime, after: Place | None = None) -> InboxPage:
    """The first of what waits behind a place."""
    found = list(islice(items(caller, now=now, after=after), SHOWN + 1))
    shown = found[:SHOWN]
    return InboxPage(shown, str(shown[-1].place) if len(found) > SHOWN else "")


def waiting(caller: Caller, *, now: datetime) -> Waiting:
    """How many wait, as far as they are counted."""
    found = sum(1 for _item in islice(items(caller, now=now), SHOWN + 1))
    return Waiting(min(found, SHOWN), found > SHOWN)


def items(caller: Caller, *, now: datetime, after: Place | None = None) -> Iterator[InboxItem]:
    """All that waits for this person behind a place, most urgent first, read as it is asked for."""
    sources = [*_approvals(caller, now), *_reviews(caller), *_conflicts(caller)]
    streams = [_stream(source, after) for source in sources]
    return merge(*streams, key=lambda item: item.place)


@dataclass(frozen=True, slots=True)
class _Source:
    """Rows of one kind in one group, ordered by one time; ``kept`` leaves out what is not theirs."""

    group: int
    kind: str
    rows: QuerySet[Any]
    column: str
    why: str
    kept: Callable[[list[Any]], list[Any]] = list


def _stream(source: _Source, after: Place | None) -> Iterator[InboxItem]:
    """The items of a source behind a place, read in parts."""
    while True:
        behind = _behind(source, after)
        if behind is None:
            return
        part = source.rows.filter(behind).order_by(source.column, "pk")
        found = spoiled.readable(part[: SHOWN + 1])
        for row in source.kept(found):
            yield _item(source, row)
        if len(found) <= SHOWN:
            return
        after = _place(source, found[-1])


def _behind(source: _Source, after: Place | None) -> Q | None:
    """Which rows of a source are behind a place; None when none can be."""
    if after is None or source.group > after.group:
        return Q()
    if source.group < after.group:
        return None
    later = Q(**{f"{source.column}__gt": after.when})
    same = Q(**{source.column: after.when})
    if source.kind == after.kind:
        return later | (same & Q(pk__gt=after.key))
    return later | same if source.kind > after.kind else later


def _place(source: _Source, row: Any) -> Place:
    return Place(source.group, getattr(row, source.column), source.kind, row.pk)


def _item(source: _Source, row: Any) -> InboxItem:
    approval = row if isinstance(row, Approval) else None
    conflict = row if isinstance(row, Conflict) else None
    job = row if isinstance(row, Job) else row.job
    return InboxItem(
        kind=source.kind,
        job=job,
        approval=approval,
        conflict=conflict,
        why=source.why,
        since=approval.opened_at if approval else getattr(row, source.column),
        expires_at=approval.wait_until if approval else None,
        requester=job.requester,
        place=_place(source, row),
    )


def _approvals(caller: Caller, now: datetime) -> list[_Source]:
    if not caller.may_somewhere("decide"):
        return []
    rows = Approval.objects.select_related("job__site").filter(
        caller.within("decide", of="job__"), status=ApprovalStatus.PENDING.value
    )
    rows = rows.exclude(decisions__actor=caller.principal).filter(may_be_answered(caller))
    soon = rows.filter(wait_until__gte=now, wait_until__lt=now + SOON)
    later = rows.filter(wait_until__gte=now + SOON)
    why, deciding = _("It waits for your yes or no."), Deciding(caller)

    def kept(found: list[Approval]) -> list[Approval]:
        barred = deciding.barred([request.job for request in found])
        return [request for request in found if request.job_id not in barred]

    return [
        _Source(0, "approval", soon, "wait_until", why, kept),
        _Source(1, "approval", later, "opened_at", why, kept),
    ]


def _reviews(caller: Caller) -> list[_Source]:
    if not caller.may_somewhere("edit"):
        return []
    rows = Job.objects.select_related("site").filter(
        caller.within("edit"), state=State.REVIEW.value
    )
    why = _("A check stopped it; somebody has to look.")
    return [_Source(1, "review", rows, "updated_at", why)]


def _conflicts(caller: Caller) -> list[_Source]:
    if not caller.may_somewhere("resolve"):
        return []
    rows = Conflict.objects.select_related("job__site").filter(
        caller.within("resolve", of="job__"),
        settled_at__isnull=True,
        job__state=State.CONFLICT.value,
    )
    return [_Source(1, "conflict", rows, "created_at", _("Somebody else changed the same text."))]
