"""Stored events: the hash of an event straight from its columns, for millions of them.

Python's own encoder spells everything that events hold as RFC 8785 does, apart from some numbers.
A hash that does not come out is therefore not yet a breach: the exact check decides.
"""

import json
from collections.abc import Iterator
from datetime import datetime
from functools import lru_cache
from hashlib import sha256
from json.encoder import encode_basestring
from typing import Any

from django.db import connection

from publisher.domain.states import TRANSITIONS

COLUMNS = (
    "e.seq, e.event, e.actor, e.actor_name, e.source, e.target, e.reason, e.generation, e.facts, "
    "{at}, e.previous_hash, e.hash"
)
_AT = {"sqlite": "e.at || ''", "postgresql": "e.at"}
"""SQLite's times stay text: turned into Python's they cost more than all the rest of a row."""
LEGAL = frozenset(
    (move.source.value if move.source else "", move.event.value, move.target.value, actor.value)
    for move in TRANSITIONS
    for actor in move.actors
)
"""(source, event, target, actor) of every legal move."""
_ROWS = 5000

_encode = json.JSONEncoder(
    ensure_ascii=False, sort_keys=True, separators=(",", ":"), check_circular=False
).encode
_quote = lru_cache(maxsize=4096)(encode_basestring)


@lru_cache(maxsize=16384)
def _canonical(facts: str) -> str:
    return _encode(json.loads(facts))


def plain_digest(value: Any) -> str:
    """The usual digest of a value, quickly; for what differs, ask the exact one."""
    return "sha256:" + sha256(_encode(value).encode("utf-8", "replace")).hexdigest()


def jobs_with_events(site: str) -> Iterator[tuple[Any, ...]]:
    """One row an event: the job's id, state, seq and hash, then COLUMNS; one snapshot, in order."""
    where = "JOIN publisher_site s ON s.id = j.site_id AND s.name = %s" if site else ""
    columns = COLUMNS.format(at=_AT[connection.vendor])
    query = (
        f"SELECT j.id, j.state, j.event_seq, j.event_hash, {columns} FROM publisher_job j {where} "  # noqa: S608
        "LEFT JOIN publisher_jobevent e ON e.job_id = j.id ORDER BY j.id, e.seq"
    )
    with connection.chunked_cursor() as cursor:
        cursor.execute(query, [site] if site else [])
        while rows := cursor.fetchmany(_ROWS):
            yield from rows


def suspects(site: str = "") -> Iterator[str]:
    """The jobs whose row and events are not surely in order."""
    job = state = previous = ""
    seq = generation = 0
    head: tuple[Any, ...] = ("", 0, "")
    sound = True
    for row in jobs_with_events(site):
        if row[0] != job:
            if not (sound and head == (state, seq, previous)):
                yield job
            job, head = row[0], row[1:4]
            state, previous, seq, generation, sound = "", "", 0, 0, True
        if not sound:
            continue
        number, event, actor, _, source, target, _, fence, _, _, before, found = row[4:]
        sound = (
            number == seq + 1
            and before == previous
            and fence >= generation
            and _plain_hash(job, row) == found
            and (not target or (source == state and (source, event, target, actor) in LEGAL))
        )
        if sound:
            state, previous, seq, generation = target or state, found, number, fence
    if not (sound and head == (state, seq, previous)):
        yield job


def _plain_hash(job: str, row: tuple[Any, ...]) -> str:
    seq, event, actor, name, source, target, reason, generation, facts, at, previous, _ = row[4:]
    moment = at.isoformat() if isinstance(at, datetime) else f"{at[:10]}T{at[11:]}+00:00"
    told = "{}" if facts == "{}" else _canonical(facts)
    text = (
        f'{{"actor":{_quote(actor)},"actor_name":{_quote(name)},"at":"{moment}",'
        f'"event":{_quote(event)},"facts":{told},"generation":{generation},"job":{_quote(job)},'
        f'"previous":{_quote(previous)},"reason":{encode_basestring(reason)},"seq":{seq},'
        f'"source":{_quote(source)},"target":{_quote(target)}}}'
    )
    return "sha256:" + sha256(text.encode("utf-8", "replace")).hexdigest()
