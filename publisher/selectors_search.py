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
Keys = QuerySet[Any, Any]


def found(q: str, rows: QuerySet[Job], after: str) -> list[Keys]:
    """Keys of those of the jobs that answer: by their words, by who wrote or approved, by a hash."""
    mine = Exists(rows.filter(pk=OuterRef("job_id")))
    people = JobEvent.objects.filter(GIVES_A_NAME, mine, named("actor_name", q))
    branches: list[Keys] = [people.order_by("-job_id").values("job_id").distinct()]
    if terms := terms_of(q):
        texts = _holding(terms)
        if after:
            texts = texts.filter(pk__lte=last_place_of(after))
        branches.append(texts.filter(mine).values("job_id"))
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


def _holding(terms: Sequence[Term]) -> QuerySet[SearchText]:
    """The texts with all of these words, newest first, as the index hands them out.

    A word holds letters and digits alone, so that no part of it is an order to the index.
    """
    rows = SearchText.objects.order_by()
    if connection.vendor == "sqlite":
        asked = " AND ".join(f'"{term.word}"{"*" * term.begins}' for term in terms)
        of_index = [f"{INDEX}.rowid = publisher_searchtext.id", f"{INDEX} MATCH %s"]
        rows = rows.extra(tables=[INDEX], where=of_index, params=[asked])  # noqa: S610
        return rows.extra(order_by=[f"-{INDEX}.rowid"])
    asked = " & ".join(f"'{term.word}'{':*' * term.begins}" for term in terms)
    holds = "publisher_searchtext.vector @@ %s::tsquery"
    return rows.extra(where=[holds], params=[asked]).order_by("-pk")  # noqa: S610


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
