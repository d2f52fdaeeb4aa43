"""Selectors of the search: which jobs a question finds, newest first.

Each branch of a question is asked for no more than a page, in the order that its index has.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from django.core.exceptions import EmptyResultSet
from django.db import DEFAULT_DB_ALIAS, connection
from django.db.models import Exists, OuterRef, Q, QuerySet, Value
from django.db.models.functions import Lower
from django.db.models.lookups import Exact

from publisher.domain.terms import Term, terms_of
from publisher.models import Job, JobEvent, SearchText
from publisher.models.event import GIVES_A_NAME
from publisher.models.job import SOUGHT
from publisher.models.search import last_place_of

HASHES = (*SOUGHT, "binding_hash", "source_sha256")
MOST_OF_ONE_HASH = 200
_DIGITS = re.compile(r"[0-9a-f]{4,64}")
_ID = re.compile(r"[0-9a-f-]{4,36}")
_AFTER_EACH_DIGIT = "g"
INDEX = "publisher_searchwords"
NEAR = 2000
COMMON = 1000
_AND = " || ' AND ' || "
_UNLESS_COMMON = """(CASE WHEN (SELECT count(*) FROM (
    SELECT 1 FROM publisher_searchwords WHERE publisher_searchwords MATCH %s LIMIT {common}
)) < {common} THEN %s ELSE %s END)"""
_HOLDS = "publisher_searchtext.vector @@ %s::tsquery"
_ONE_OF = """publisher_searchtext.id = ANY(ARRAY(
    SELECT id FROM publisher_searchtext WHERE vector @@ %s::tsquery
))"""
Keys = QuerySet[Any, Any]


def found(q: str, rows: QuerySet[Job], *, after: str, count: int) -> list[Keys]:
    """Keys of those of the jobs that answer: by their words, by who wrote or approved, by a hash."""
    mine = Exists(rows.filter(pk=OuterRef("job_id")))
    people = JobEvent.objects.filter(GIVES_A_NAME, mine, named("actor_name", q))
    branches: list[Keys] = [people.order_by("-job_id").values("job_id").distinct()]
    if terms := terms_of(q):
        holding = _on_sqlite if connection.vendor == "sqlite" else _on_postgresql
        branches.append(holding(terms, mine, last_place_of(after) if after else None, count))
    if keys := newest(_hashed(q), MOST_OF_ONE_HASH):
        branches.append(rows.filter(pk__in=keys).order_by("-pk").values("pk"))
    return branches


def newest(branches: Iterable[Keys], count: int) -> list[str]:
    """The greatest keys of all branches together, in one question."""
    parts, values = [], []
    for branch in branches:
        try:
            part, own = branch[:count].query.get_compiler(DEFAULT_DB_ALIAS).as_sql()
        except EmptyResultSet:
            continue
        parts.append(f"SELECT * FROM ({part}) AS part")  # noqa: S608
        values += own
    if not parts:
        return []
    with connection.cursor() as cursor:
        cursor.execute(f"{' UNION '.join(parts)} ORDER BY 1 DESC LIMIT {int(count)}", values)
        return [key for (key,) in cursor.fetchall()]


def named(column: str, name: str) -> Exact:
    """That a column holds this name, in small letters or in capitals."""
    return Exact(Lower(column), Lower(Value(name)))


def digits_of(q: str) -> str:
    """The beginning of a hash or commit; "" where the question cannot be one."""
    digits = q.lower().removeprefix("sha256:")
    return digits if _DIGITS.fullmatch(digits) else ""


def _on_sqlite(terms: Sequence[Term], mine: Exists, last: int | None, _count: int) -> Keys:
    """The texts with all of these words, in the order that FTS5 hands them out, newest first.

    A word holds letters and digits alone, so that no part of it is an order to the index. One that
    many jobs hold is not taken for the beginning of others: FTS5 would join all of their lists first.
    """
    parts, values = [], []
    for term in terms:
        parts.append(_UNLESS_COMMON.format(common=COMMON) if term.begins else "%s")
        word = f'"{term.word}"'
        values += [word, f"{word}*", word] if term.begins else [word]
    where = [f"{INDEX}.rowid = publisher_searchtext.id", f"{INDEX} MATCH {_AND.join(parts)}"]
    if last is not None:
        where.append(f"{INDEX}.rowid <= {last}")
    texts = SearchText.objects.order_by().filter(mine)
    texts = texts.extra(tables=[INDEX], where=where, params=values)  # noqa: S610
    return texts.extra(order_by=[f"-{INDEX}.rowid"]).values("job_id")


def _on_postgresql(terms: Sequence[Term], mine: Exists, last: int | None, count: int) -> Keys:
    """The same. What is common is met among the newest texts; all of a rare word's are few.

    PostgreSQL does not know beforehand which of both a word is, and guesses badly.
    """
    asked = " & ".join(f"'{term.word}'{':*' * term.begins}" for term in terms)
    texts = SearchText.objects.order_by("-pk")
    if last is not None:
        texts = texts.filter(pk__lte=last)
    edge = texts.values_list("pk", flat=True)[NEAR : NEAR + 1].first()
    near = texts.filter(mine).extra(where=[_HOLDS], params=[asked])  # noqa: S610
    if edge is None:
        return near.values("job_id")
    near = near.filter(pk__gt=edge)
    if len(newest([near.values("job_id")], count)) >= count:
        return near.values("job_id")
    return texts.filter(mine).extra(where=[_ONE_OF], params=[asked]).values("job_id")  # noqa: S610


def _hashed(q: str) -> list[Keys]:
    """Keys by the beginning of an id, and of each hash; they are few, whoever may see them."""
    asked = []
    if _ID.fullmatch(q.lower()):
        asked.append(_begins("pk", q.lower()))
    if digits := digits_of(q):
        asked += [_begins(column, digits) for column in HASHES]
        asked += [
            _begins(column, f"sha256:{digits}") for column in HASHES if "commit" not in column
        ]
    return [Job.objects.filter(each).order_by("-pk").values("pk") for each in asked]


def _begins(column: str, beginning: str) -> Q:
    """SQLite finds the place in an index by the order, PostgreSQL by the beginning."""
    above = {f"{column}__gte": beginning, f"{column}__lt": beginning + _AFTER_EACH_DIGIT}
    return Q(**above, **{f"{column}__startswith": beginning})
