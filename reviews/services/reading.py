"""Reading: which parts of a request a page showed in full to one person, and which are left."""

from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import structlog
from django.db import DatabaseError, connection, transaction

from reviews.models import Approval, Principal, Shown

log = structlog.get_logger(__name__)

PATIENCE_MS = 500
"""How long a page waits for its turn to write; what it could not note down is offered as a tick."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One part of one file in one way of looking, as an answer showed it to its end."""

    path: str
    sha256: str
    view: str
    number: int
    count: int


def name_of(approval: Approval, piece: Piece) -> str:
    """How a piece is written down: by the part's id, or where a file is read in several pieces
    ``/2/raw/1/7``, the first of seven of the part at that place. No id begins with a slash. Empty
    for what is no part of this request.
    """
    for place, part in enumerate(approval.parts):
        if part["path"] == piece.path and part["sha256"] == piece.sha256:
            if piece.count == 1:
                return str(part["id"])
            return f"/{place}/{piece.view}/{piece.number}/{piece.count}"
    return ""


def missing(approval: Approval, piece: Piece, names: Collection[str]) -> list[int]:
    """Which pieces of this way of looking were not shown yet, by number."""
    numbers = range(1, piece.count + 1)
    wanted = {number: name_of(approval, replace(piece, number=number)) for number in numbers}
    return [number for number, name in wanted.items() if name not in names]


def names_of(approval: Approval, reader: Principal) -> set[str]:
    """All that was written down for this person and exactly this envelope."""
    rows = approval.shown.filter(actor=reader, binding_hash=approval.binding_hash)
    return set(rows.values_list("part", flat=True))


def read_of(approval: Approval, names: Collection[str]) -> set[str]:
    """Ids of the parts that were shown in full: at once, or each piece of one way of looking."""
    whole = {part["id"] for part in approval.parts} & set(names)
    return whole | {approval.parts[place]["id"] for place in _completed(names)}


def _completed(names: Collection[str]) -> Iterator[int]:
    seen: dict[tuple[int, str, int], set[int]] = {}
    for name in names:
        if name.startswith("/"):
            place, view, number, count = name[1:].split("/")
            seen.setdefault((int(place), view, int(count)), set()).add(int(number))
    for (at, _view, all_of_them), numbers in seen.items():
        if len(numbers) == all_of_them:
            yield at


def note(approval: Approval, reader: Principal, pieces: Iterable[Piece], now: datetime) -> set[str]:
    """Write down what an answer shows, each piece once; all that is written down then.

    A page is never lost over it: while the database cannot be written to, what it shows now does
    not count yet, and the page says so.
    """
    known = names_of(approval, reader)
    fresh = {name for piece in pieces if (name := name_of(approval, piece))} - known
    if not fresh:
        return known
    rows = [
        Shown(
            approval=approval, actor=reader, binding_hash=approval.binding_hash, part=name, at=now
        )
        for name in sorted(fresh)
    ]
    try:
        with _impatient(), transaction.atomic():
            Shown.objects.bulk_create(rows, ignore_conflicts=True)
    except DatabaseError as error:
        log.warning("shown_not_noted", approval=approval.pk, reason=str(error))
        return known
    return known | fresh


@contextmanager
def _impatient() -> Iterator[None]:
    """SQLite waits this long for another's transaction instead of as long as an act would."""
    if connection.vendor != "sqlite" or connection.in_atomic_block:
        yield
        return
    with connection.cursor() as cursor:
        usual: Any = cursor.execute("PRAGMA busy_timeout").fetchone()[0]
        cursor.execute(f"PRAGMA busy_timeout={PATIENCE_MS}")
        try:
            yield
        finally:
            cursor.execute(f"PRAGMA busy_timeout={int(usual)}")
