"""Spoiled rows: what somebody changed past the product is told row by row, and stops no other."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from typing import TypeVar

import structlog
from django.db import DatabaseError, InterfaceError, OperationalError
from django.db.models import Model, QuerySet

from publisher.domain.errors import ImprimaturError, RowUnreadable

Row = TypeVar("Row", bound=Model)
Found = TypeVar("Found")
Tell = Callable[[str, str], Found]

ERRORS = (
    ValueError, TypeError, AttributeError, LookupError, ArithmeticError, RecursionError,
    DatabaseError, ImprimaturError,
)  # fmt: skip
"""What reading a value can raise that is not what the product writes there."""
BATCH = 500
UNREADABLE = "What is stored here cannot be read: the command verify names what is wrong with it."
log = structlog.get_logger(__name__)
_left_out: ContextVar[list[str] | None] = ContextVar("left_out", default=None)


def why(error: BaseException) -> str:
    """The error in one short line."""
    return (" ".join(str(error).split()) or type(error).__name__)[:200].rstrip(".")


def readable(rows: QuerySet[Row]) -> list[Row]:
    """The rows of a list, without those that cannot be read: these are logged and hold up nobody.

    It is one question as ever; only where a row spoils the answer, more are asked. Not for a single
    row: where that cannot be read, the next one would pass for it.
    """
    try:
        return list(rows.all())
    except ERRORS as error:
        if _is_outage(error):
            raise
    return _without_spoiled(rows)


def first(rows: QuerySet[Row]) -> Row | None:
    """The one row that is asked for, or None. RowUnreadable where it is there and cannot be read."""
    try:
        return rows.first()
    except ERRORS as error:
        if _is_outage(error):
            raise
        log.warning("row_unreadable", table=rows.model.__name__, reason=why(error))
        raise RowUnreadable(UNREADABLE) from error


@contextmanager
def left_out() -> Iterator[list[str]]:
    """Collects which rows ``readable`` leaves out meanwhile, for who shows the lists."""
    names: list[str] = []
    before = _left_out.set(names)
    try:
        yield names
    finally:
        _left_out.reset(before)


def _without_spoiled(rows: QuerySet[Row]) -> list[Row]:
    """As many as were asked for, however many of those before them are spoiled."""
    begin, end = rows.query.low_mark, rows.query.high_mark
    wanted = None if end is None else end - begin
    every = rows.all()
    every.query.clear_limits()
    found: list[Row] = []
    while wanted is None or len(found) < wanted:
        keys = list(every.values_list("pk", flat=True)[begin : begin + BATCH])
        found += _by_halves(every, keys)
        if len(keys) < BATCH:
            break
        begin += BATCH
    return found[:wanted]


def _by_halves(rows: QuerySet[Row], keys: list[object]) -> list[Row]:
    """The rows of these keys in their order; a spoiled one is found by halving."""
    if not keys:
        return []
    try:
        return list(rows.filter(pk__in=keys))
    except ERRORS as error:
        if _is_outage(error):
            raise
        if len(keys) == 1:
            name = f"{rows.model.__name__} {keys[0]}"
            log.warning("row_left_out", row=name, reason=why(error))
            names = _left_out.get()
            if names is not None and name not in names:
                names.append(name)
            return []
    middle = len(keys) // 2
    return _by_halves(rows, keys[:middle]) + _by_halves(rows, keys[middle:])


def _is_outage(error: BaseException) -> bool:
    """Whether the database fails, and not one of its rows; SQLite tells bad text in the same way."""
    is_trouble = isinstance(error, (OperationalError, InterfaceError))
    return is_trouble and "decode" not in str(error)


def each(
    rows: QuerySet[Row], judge: Callable[[Row], Iterable[Found]], tell: Tell[Found]
) -> Iterator[Found]:
    """What ``judge`` finds in each row; ``tell`` says of one, by its key, that it cannot be read."""
    keys = list(rows.values_list("pk", flat=True))
    for begin in range(0, len(keys), BATCH):
        for key, row, trouble in _read(rows, keys[begin : begin + BATCH]):
            if row is None:
                yield tell(str(key), trouble)
            else:
                yield from whole(str(key), partial(judge, row), tell)


def _read(rows: QuerySet[Row], keys: list[object]) -> list[tuple[object, Row | None, str]]:
    """The rows of these keys, all at once; where one of them spoils that, one by one."""
    try:
        return [(row.pk, row, "") for row in rows.filter(pk__in=keys)]
    except ERRORS:
        return [found for key in keys for found in _read_one(rows, key)]


def _read_one(rows: QuerySet[Row], key: object) -> Iterator[tuple[object, Row | None, str]]:
    try:
        row = rows.filter(pk=key).first()
    except ERRORS as error:
        yield key, None, why(error)
    else:
        if row is not None:
            yield key, row, ""


def whole(name: str, check: Callable[[], Iterable[Found]], tell: Tell[Found]) -> Iterator[Found]:
    """What a check finds; where it cannot go on that is told by its name, and the others are made."""
    try:
        yield from check()
    except ERRORS as error:
        yield tell(name, why(error))
