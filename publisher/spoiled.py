"""Spoiled rows: what somebody changed past the product is told row by row, and ends no check."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TypeVar

from django.db import DatabaseError
from django.db.models import Model, QuerySet

from publisher.domain.errors import ImprimaturError

Row = TypeVar("Row", bound=Model)
Found = TypeVar("Found")
Tell = Callable[[str, str], Found]

ERRORS = (
    ValueError, TypeError, AttributeError, LookupError, ArithmeticError, RecursionError,
    DatabaseError, ImprimaturError,
)  # fmt: skip
"""What reading a value can raise that is not what the product writes there."""
BATCH = 500


def why(error: BaseException) -> str:
    """The error in one short line."""
    return (" ".join(str(error).split()) or type(error).__name__)[:200].rstrip(".")


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
