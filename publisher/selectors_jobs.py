"""Selectors of the list of jobs: newest first, by keyset, each filter from an index of its own.

Neither COUNT nor OFFSET. Rights that lie in several places, and states of a group, are asked for
one by one and joined: in one question no index would have them in the order of the list.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q

from publisher import selectors_search, spoiled
from publisher.domain.ids import job_id
from publisher.models import Job, Site

MOST_BRANCHES = 100


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a keyset-paged list; ``next`` is the key to go on after, or None."""

    items: list[Job]
    next: str | None


def jobs(
    within: Q,
    *,
    state: str = "",
    states: Collection[str] = (),
    kind: str = "",
    site: str = "",
    operation: str = "",
    requester: str = "",
    since: datetime | None = None,
    q: str = "",
    after: str = "",
    limit: int = 50,
) -> Page:
    """Jobs within reach, newest first; those of a search too."""
    wanted = {
        "kind": kind,
        "site": _key_of(site) if site else None,
        "operation": operation,
        "created_at__gte": since,
        "pk__gte": first_since(since) if since else "",
        "pk__lt": after,
    }
    rows = Job.objects.filter(
        **{column: value for column, value in wanted.items() if value not in ("", None)}
    )
    if requester:
        rows = rows.filter(selectors_search.named("requester", requester))
    one_of = [state] if state else list(states)
    if q:
        mine = rows.filter(within, *([Q(state__in=one_of)] if one_of else []))
        branches = selectors_search.found(q, mine, after=after, count=limit + 1)
    else:
        apart = _apart(within, one_of)
        branches = [rows.filter(each).order_by("-pk").values("pk") for each in apart]
    keys = selectors_search.newest(branches, limit + 1)
    shown = Job.objects.filter(pk__in=keys[:limit]).select_related("site").order_by("-pk")
    if q:
        shown = shown.select_related("search_text").defer("search_text__words")
    return Page(spoiled.readable(shown), keys[limit - 1] if len(keys) > limit else None)


def first_since(moment: datetime) -> str:
    """The least key that a job of that moment can have: the list stops there."""
    return job_id(unix_milliseconds=int(moment.timestamp() * 1000), randomness=bytes(10))


def _key_of(site: str) -> int:
    """As a number, whose share of the jobs the database knows; none has the number nought."""
    return Site.objects.filter(name=site).values_list("pk", flat=True).first() or 0


def _apart(within: Q, states: Collection[str]) -> list[Q]:
    """The places of the reach, times the states; where these are too many, all of them as one."""
    places = list(_places(within))
    each = [place & Q(state=state) for place in places for state in states] if states else places
    if len(each) > MOST_BRANCHES:
        return [within & (Q(state__in=states) if states else Q())]
    return each


def _places(within: Q) -> Iterator[Q]:
    """What is joined by "or", one by one; of a list of values, each value."""
    if within.negated or (within.connector != Q.OR and len(within.children) > 1):
        yield within
        return
    for child in within.children:
        if isinstance(child, Q):
            yield from _places(child)
        elif isinstance(child, tuple) and child[0].endswith("__in"):
            column = child[0].removesuffix("__in")
            yield from (Q(**{column: value}) for value in child[1])
        else:
            yield Q(child)
