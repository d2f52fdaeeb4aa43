"""Stored events: the hash of an event straight from its columns, for millions of them.

orjson spells everything that events hold as RFC 8785 does, apart from some numbers. A hash that does
not come out is therefore not yet a breach: the exact check decides. One that comes out is of the very
text that was hashed when the event was written.
"""

from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from itertools import groupby, pairwise
from operator import itemgetter
from typing import Any

import orjson
from django.db import connection

from publisher.domain.states import TRANSITIONS, State
from publisher.domain.workflows import ACTIONS
from publisher.models import Job
from publisher.spoiled import ERRORS

LEGAL = frozenset(
    (move.source.value if move.source else "", move.event.value, move.target.value, actor.value)
    for move in TRANSITIONS
    for actor in move.actors
)
"""(source, event, target, actor) of every legal move."""
LANES = frozenset((action.name, action.lane.value) for action in ACTIONS.values())
"""The lane of each kind."""
_PUBLISHED = State.PUBLISHED.value
Share = tuple[str, str]
"""The jobs from one id on and before another; an empty one is no bound, one id twice is that job."""
ALL: Share = ("", "")
SHARE = 2000
"""Jobs of one share: what is in memory at a time, and what one process does in one go."""

_HEADS = (
    "SELECT j.id, j.state, j.event_seq, j.event_hash, j.remote_commit, j.requester, j.generation, "
    "j.kind, j.lane, j.request_hash, j.key_digest FROM publisher_job j WHERE true"
)
_EVENTS = (
    "SELECT e.job_id, e.seq, e.event, e.actor, e.actor_name, e.source, e.target, e.reason, "
    "e.generation, e.facts, {at}, e.previous_hash, e.hash FROM publisher_jobevent e WHERE true"
)
_IDS = "SELECT j.id FROM publisher_job j WHERE true"
_NAMED = "SELECT DISTINCT e.job_id FROM publisher_jobevent e WHERE true"
_AT = {"sqlite": "e.at || ''", "postgresql": "(e.at AT TIME ZONE 'UTC')::text"}
"""Times stay text: turned into Python's they cost more than all the rest of a row."""
_OF_SITE = (
    "SELECT j.id FROM publisher_job j JOIN publisher_site s ON s.id = j.site_id "
    "WHERE s.name = %(site)s"
)
_ROWS = 2000


def shares() -> list[Share]:
    """All jobs, cut at every so many ids, in the order that the database sees in ids."""
    ids = Job.objects.order_by("pk").values_list("pk", flat=True).iterator(chunk_size=_ROWS)
    cuts = [job_id for number, job_id in enumerate(ids) if number and number % SHARE == 0]
    return list(pairwise(["", *cuts, ""]))


def ids(share: Share, site: str) -> list[str]:
    """The jobs of a share, and those that there are only events of."""
    known = {job_id for (job_id,) in rows(_IDS, "j.id", share, site)}
    return sorted(known | {job_id for (job_id,) in rows(_NAMED, "e.job_id", share, site)})


def suspects(share: Share = ALL, site: str = "") -> list[str]:
    """The jobs whose row and events are not surely in order, or whose row was not there before them."""
    heads = {row[0]: row[1:] for row in rows(_HEADS, "j.id", share, site)}
    events = rows(_EVENTS.format(at=_AT[connection.vendor]), "e.job_id", share, site)
    found = [
        job_id
        for job_id, its in groupby(events, key=itemgetter(0))
        if not _is_sound(heads.pop(job_id, None), its)
    ]
    return [*found, *heads]


def plain_digest(value: Any) -> str:
    """The usual digest of a value, quickly; empty where there is none. What differs, ask exactly."""
    try:
        text = orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    except TypeError:
        return ""
    return "sha256:" + sha256(text).hexdigest()


def commit_of(facts: Any) -> str:
    """The commit that the facts of a move to PUBLISHED name."""
    return str(facts.get("commit", "")) if isinstance(facts, dict) else ""


def rows(query: str, columns: str, share: Share, site: str) -> Iterator[Sequence[Any]]:
    """What a query finds of the jobs of a share, whose id each of these columns holds.

    Of joined tables all are named: the database would read the one that is not from end to end,
    for every share.
    """
    first, end = share
    bounds = {"{} >= %(first)s": first, "{} < %(end)s": end}
    if first == end:
        bounds = {"{} = %(first)s": first}
    bounds[f"{{}} IN ({_OF_SITE})"] = site
    where = "".join(
        f" AND {text.format(column)}"
        for column in columns.split()
        for text, value in bounds.items()
        if value
    )
    order = " ORDER BY e.job_id, e.seq" if "e.seq" in query else ""
    with connection.cursor() as cursor:
        cursor.execute(query + where + order, {"first": first, "end": end, "site": site})
        while rows := cursor.fetchmany(_ROWS):
            yield from rows


def _is_sound(head: Sequence[Any] | None, rows: Iterable[Sequence[Any]]) -> bool:
    """Whether all is in order at a glance; what no event holds is not."""
    try:
        return _is_in_order(head, rows)
    except ERRORS:
        return False


def _is_in_order(head: Sequence[Any] | None, rows: Iterable[Sequence[Any]]) -> bool:
    state = previous = proof = ""
    seq = generation = 0
    for row in rows:
        _, number, event, actor, name, source, target, _, fence, facts, _, before, found = row
        if number != seq + 1 or before != previous or fence < generation:
            return False
        if target and (source != state or (source, event, target, actor) not in LEGAL):
            return False
        if _plain_hash(row) != found:
            return False
        if number == 1 and (head is None or not _is_asked(head, name, facts)):
            return False
        if target == _PUBLISHED:
            proof = commit_of(orjson.loads(facts))
        state, previous, seq, generation = target or state, found, number, fence
    if head is None or tuple(head[:3]) != (state, seq, previous):
        return False
    if head[5] < generation or (head[6], head[7]) not in LANES:
        return False
    return state != _PUBLISHED or head[3] == proof


def _is_asked(head: Sequence[Any], name: str, facts: str) -> bool:
    """Whether the job is of who asked, under the key and for the request that it came with."""
    return name == head[4] and not differing_request(orjson.loads(facts), head[8], head[9])


def differing_request(facts: Any, request: str, key: str | None) -> list[str]:
    """Which of the two the first event tells otherwise; older ones, and none, tell of neither."""
    if not isinstance(facts, dict):
        return []
    present = {"request_hash": request, "key_digest": key or ""}
    return [name for name, value in present.items() if facts.get(name, value) != value]


def _plain_hash(row: Sequence[Any]) -> str:
    job, seq, event, actor, name, source, target, reason, generation, facts, at, previous, _ = row
    try:
        told = orjson.loads(facts)
    except ValueError:
        return ""
    # PostgreSQL leaves out zeros at the end.
    moment = at if len(at) == 19 else at.ljust(26, "0")
    return plain_digest(
        {
            "actor": actor,
            "actor_name": name,
            "at": f"{moment[:10]}T{moment[11:]}+00:00",
            "event": event,
            "facts": told,
            "generation": generation,
            "job": job,
            "previous": previous,
            "reason": reason,
            "seq": seq,
            "source": source,
            "target": target,
        }
    )
