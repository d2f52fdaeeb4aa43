"""Reading: which parts of a request a page showed in full to one person, and which are left."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import structlog
from django.db import DatabaseError, connection, transaction

from reviews.models import Answer, Approval, Principal, Shown

log = structlog.get_logger(__name__)

MOST_EARLIER = 20
"""How many of a job's earlier requests are looked at for what was read of them."""

PATIENCE_MS = 500
"""How long a page waits for its turn to write; what it could not note down is offered as a tick."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One part of one file in one way of looking, as an answer showed it to its end.

    ``base_sha256`` names the text beside which it stood, ``content_sha256`` what the page said.
    """

    path: str
    sha256: str
    view: str
    number: int
    count: int
    base_sha256: str = ""
    content_sha256: str = ""


@dataclass(frozen=True, slots=True)
class Earlier:
    """What was read, or approved, of a job before: texts by path, up to which version, and when."""

    revision: int
    at: datetime
    texts: Mapping[str, str]


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
    named = {name: piece for piece in pieces if (name := name_of(approval, piece))}
    fresh = named.keys() - known
    if not fresh:
        return known
    rows = [
        Shown(
            approval=approval,
            actor=reader,
            binding_hash=approval.binding_hash,
            part=name,
            view=named[name].view,
            base_sha256=named[name].base_sha256,
            content_sha256=named[name].content_sha256,
            at=now,
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


def last_look(approval: Approval, reader: Principal) -> Earlier | None:
    """What this person was shown in full of the job's earlier requests, each text as seen last."""
    rows = Shown.objects.filter(
        actor=reader, approval__job=approval.job_id, approval__lt=approval.pk
    )
    seen: dict[int, list[Shown]] = {}
    for row in rows.order_by("-approval", "pk"):
        if row.approval_id in seen or len(seen) < MOST_EARLIER:
            seen.setdefault(row.approval_id, []).append(row)
    texts: dict[str, str] = {}
    newest: Earlier | None = None
    for request in Approval.objects.filter(pk__in=seen).order_by("-pk"):
        mine = [row for row in seen[request.pk] if row.binding_hash == request.binding_hash]
        read = read_of(request, {row.part for row in mine})
        for part in request.parts:
            if part["id"] in read:
                texts.setdefault(part["path"], part["sha256"])
        if read and newest is None:
            newest = Earlier(request.revision, max(row.at for row in mine), texts)
    return newest


def approved_before(approval: Approval) -> Earlier | None:
    """The texts of the job's last request that was approved before this one."""
    rows = Approval.objects.filter(
        job=approval.job_id, pk__lt=approval.pk, valid_until__isnull=False
    )
    request = rows.order_by("-pk").first()
    if request is None:
        return None
    answer = request.decisions.filter(decision=Answer.APPROVE.value).order_by("-pk").first()
    texts = {part["path"]: part["sha256"] for part in request.parts}
    return Earlier(request.revision, answer.at if answer else request.opened_at, texts)


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
