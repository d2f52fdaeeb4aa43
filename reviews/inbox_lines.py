"""Inbox lines: all that waits, read by one question in pages by keyset: neither COUNT nor OFFSET."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, NamedTuple

from django.db.models import F, Q, QuerySet, Value
from django.db.models.functions import Coalesce

from publisher import spoiled

NUMBERED = ("approval", "conflict")
"""Kinds whose key is a number; of a job in review it is the job's."""


class Line(NamedTuple):
    """One thing that waits, with as much of its job as a row tells. No value is ever NULL.

    ``number`` is the key of an approval or conflict, 0 for a job itself. ``rival`` is another open
    job for the same path, ``rival_by`` its requester. ``given_by`` gave it to the caller, or to
    ``given_group``, a group of theirs. ``compensates_id`` is the job that it takes back, or "".
    ``passes``: whether it passes the filters.
    """

    group: int
    at: datetime
    kind: str
    number: int
    job_id: str
    since: datetime
    ends_at: datetime
    risk: str
    title: str
    topic: str
    target_path: str
    requester: str
    state: str
    state_version: int
    site: str
    compensates_id: str
    is_stopped: bool
    is_moved: bool
    is_perhaps_own: bool
    rival: str
    rival_by: str
    given_by: str
    given_group: str
    passes: bool


COLUMNS = tuple(f"line_{name}" for name in Line._fields)
ORDER = tuple(f"line_{name}" for name in ("group", "at", "kind", "number", "job_id"))


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """Where a line stands; its text is the end of an address."""

    group: int
    when: datetime
    kind: str
    key: Any

    def __str__(self) -> str:
        return f"{self.group}~{self.when.isoformat()}~{self.kind}~{self.key}"


def place_of(text: str) -> Place | None:
    """The place that an address names; None where it names none."""
    group, _, rest = text.partition("~")
    moment, _, rest = rest.partition("~")
    kind, _, key = rest.partition("~")
    try:
        when = datetime.fromisoformat(moment).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    number = int(group) if group.isdecimal() and len(group) == 1 else 0
    if kind == "review" and key.isascii() and key.isprintable():
        return Place(number, when, kind, key)
    is_number = kind in NUMBERED and key.isdecimal() and len(key) < 19
    return Place(number, when, kind, int(key)) if is_number else None


def place(line: Line) -> Place:
    """Where a line stands."""
    return Place(line.group, line.at, line.kind, line.number or line.job_id)


@dataclass(frozen=True, slots=True)
class Source:
    """Rows of one kind in one group, ordered by one time.

    ``to_job`` leads from a row to its job. ``told`` are the values of a line that depend on who
    asks, or that only this kind has.
    """

    group: int
    kind: str
    rows: QuerySet[Any]
    column: str
    to_job: str
    told: Mapping[str, Any]


def read(asked: Sequence[Source], *, after: Place | None, limit: int) -> list[Line]:
    """The first lines behind a place, by one question; rows that cannot be read are left out."""
    ahead = [source for source in (_behind(source, after) for source in asked) if source]
    try:
        return _read(ahead, limit)
    except spoiled.ERRORS:
        return _read([_readable(source, limit) for source in ahead], limit)


def _read(asked: Sequence[Source], limit: int) -> list[Line]:
    if not asked:
        return []
    first, *others = [_lines(source, limit) for source in asked]
    rows = first.union(*others, all=True) if others else first
    return [Line(*row) for row in rows.order_by(*ORDER)[:limit]]


def _readable(source: Source, limit: int) -> Source:
    """The same without the rows that somebody spoiled."""
    rows = source.rows if not source.to_job else source.rows.select_related("job")
    found = spoiled.readable(rows.order_by(source.column, "pk")[:limit])
    return replace(source, rows=source.rows.filter(pk__in=[row.pk for row in found]))


def _behind(source: Source, after: Place | None) -> Source | None:
    """The rows of a source that are behind a place; None when none can be."""
    if after is None or source.group > after.group:
        return source
    if source.group < after.group:
        return None
    behind = Q(**{f"{source.column}__gt": after.when})
    same = Q(**{source.column: after.when})
    if source.kind == after.kind:
        behind |= same & Q(pk__gt=after.key)
    elif source.kind > after.kind:
        behind |= same
    return replace(source, rows=source.rows.filter(behind))


def _lines(source: Source, limit: int) -> QuerySet[Any, Any]:
    """The first rows of a source as lines. In a union only a question within may have a limit."""
    first = source.rows.order_by(source.column, "pk").values("pk")[:limit]
    values = {**_columns(source), **source.told}
    told = {f"line_{name}": values[name] for name in Line._fields}
    rows: QuerySet[Any] = QuerySet(source.rows.model)
    found: QuerySet[Any, Any] = rows.filter(pk__in=first).annotate(**told).values_list(*COLUMNS)
    return found.order_by()


def _columns(source: Source) -> dict[str, Any]:
    """What every kind tells of itself and its job."""
    of_job = ("title", "topic", "target_path", "requester", "state", "state_version")
    numbered = source.kind in NUMBERED
    return {
        "group": Value(source.group),
        "at": F(source.column),
        "kind": Value(source.kind),
        "number": F("pk") if numbered else Value(0),
        "job_id": F("job_id") if numbered else F("pk"),
        "since": F(source.column),
        "ends_at": F(source.column),
        "site": F(f"{source.to_job}site__name"),
        "compensates_id": Coalesce(F(f"{source.to_job}compensates_id"), Value("")),
        **{name: F(f"{source.to_job}{name}") for name in of_job},
    }
