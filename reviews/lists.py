"""Lists within the caller's reach, in pages by keyset: neither COUNT nor OFFSET."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Exists, OuterRef, Prefetch, Q, QuerySet

from publisher import spoiled
from publisher.domain.errors import InvalidInput
from publisher.domain.states import State
from publisher.models import Conflict, Effect, Site
from reviews import selectors
from reviews.models import Approval, ApprovalStatus, Decision
from reviews.permissions import Caller


@dataclass(frozen=True, slots=True)
class Page:
    """Some rows, and the cursor to go on after; None at the end."""

    items: Sequence[Any]
    next: str | None


def conflicts(asking: Caller, *, after: int, limit: int) -> Page:
    """Open conflicts, oldest first."""
    rows = Conflict.objects.select_related("job__site").filter(
        asking.within("read", of="job__"), settled_at__isnull=True, job__state=State.CONFLICT.value
    )
    return _by_id(rows, after, limit)


def closed(
    asking: Caller,
    *,
    after: int,
    limit: int,
    now: datetime,
    statuses: Collection[str] = (),
    site: str = "",
    since: datetime | None = None,
    mine: bool = False,
) -> Page:
    """Requests that nobody can decide any more, newest first, with the answers that each got.

    One whose time ran out is pending until the sweep has seen it, and counts as expired.
    """
    is_over = Q(status=ApprovalStatus.PENDING.value, wait_until__lt=now)
    asked = Q(status__in=list(statuses)) if statuses else ~Q(status=ApprovalStatus.PENDING.value)
    if not statuses or ApprovalStatus.EXPIRED.value in statuses:
        asked |= is_over
    rows = Approval.objects.filter(asked, asking.within("read", of="job__"))
    if site:
        rows = rows.filter(job__site__name=site)
    if since:
        rows = rows.filter(opened_at__gte=since)
    if mine:
        answers = Decision.objects.filter(approval=OuterRef("pk"), actor=asking.principal)
        rows = rows.filter(Exists(answers))
    if after:
        rows = rows.filter(pk__lt=after)
    rows = rows.select_related("job__site").prefetch_related(
        Prefetch("decisions", Decision.objects.select_related("actor"))
    )
    return _cut(spoiled.readable(rows.order_by("-pk")[: limit + 1]), limit, "pk")


def effects(asking: Caller, *, after: int, limit: int, right: str = "read") -> Page:
    """Outside writes whose outcome is open, oldest first."""
    is_open = Q(status="intent") | Q(status="unknown")
    rows = Effect.objects.select_related("job__site").filter(
        is_open, asking.within(right, of="job__")
    )
    return _by_id(rows, after, limit)


def sites(asking: Caller, *, after: str, limit: int) -> Page:
    """Sites in use, by name; the cursor is a name."""
    rows = Site.objects.filter(asking.within("read", site="pk"), removed_at__isnull=True)
    found = spoiled.readable(rows.filter(name__gt=after).order_by("name")[: limit + 1])
    return _cut(found, limit, "name")


def has_site(asking: Caller, name: str) -> bool:
    """Whether a site within reach is called so, removed ones included."""
    rows = Site.objects.filter(asking.within("read", site="pk"), name=name)
    return name.isprintable() and rows.exists()


def policies(asking: Caller, *, after: str, limit: int) -> Page:
    """The newest version of each policy within reach; the cursor is its place in their order."""
    mark = _place(after)
    rows = [row for row in selectors.policies_for(asking) if _of(row) > mark]
    more = "/".join(map(str, _of(rows[limit - 1]))) if len(rows) > limit else None
    return Page(rows[:limit], more)


def _of(row: Any) -> tuple[str, int, str]:
    return (row.scope, row.site_id or 0, row.action)


def _place(after: str) -> tuple[str, int, str]:
    if not after:
        return ("", 0, "")
    scope, _, rest = after.partition("/")
    site, _, action = rest.partition("/")
    if not site.isdecimal() or not action:
        raise InvalidInput("after", "Give what the page before named as next.")
    return (scope, int(site), action)


def _by_id(rows: QuerySet[Any], after: int, limit: int) -> Page:
    found = spoiled.readable(rows.filter(pk__gt=after).order_by("pk")[: limit + 1])
    return _cut(found, limit, "pk")


def _cut(found: list[Any], limit: int, key: str) -> Page:
    more = str(getattr(found[limit - 1], key)) if len(found) > limit else None
    return Page(found[:limit], more)
