"""Seals: what was sealed is still there, in the rows and in the file beside the database."""

from collections.abc import Iterator

from django.conf import settings
from django.db import connection

from publisher import seal_file
from publisher.domain.envelope import digest
from publisher.domain.errors import InvalidInput
from publisher.engine.audit.breach import Breach, unchecked, unreadable
from publisher.engine.audit.stored_events import plain_digest
from publisher.models import Seal
from publisher.spoiled import each

_BROKEN = {
    "sqlite": (
        "SELECT h.key, json_extract(h.value, '$[0]') FROM publisher_seal s, json_each(s.heads) h "
        "LEFT JOIN publisher_jobevent e ON e.job_id = h.key "
        "AND e.seq = json_extract(h.value, '$[0]') "
        "WHERE (e.hash IS NULL OR e.hash <> json_extract(h.value, '$[1]'))"
    ),
    "postgresql": (
        "SELECT h.key, (h.value->>0)::int FROM publisher_seal s, jsonb_each(s.heads) h "
        "LEFT JOIN publisher_jobevent e ON e.job_id = h.key AND e.seq = (h.value->>0)::int "
        "WHERE (e.hash IS NULL OR e.hash <> h.value->>1)"
    ),
}


_OF_SITE = (
    " AND h.key IN (SELECT j.id FROM publisher_job j JOIN publisher_site s ON s.id = j.site_id "
    "WHERE s.name = %s)"
)


def check(site: str = "") -> Iterator[Breach]:
    """Sealed heads are still in the histories that they sealed; the file knows no later seal."""
    chain = _Chain()
    yield from each(Seal.objects.order_by("number"), chain.check, unreadable("publisher_seal"))
    # What a changed seal says is no evidence, and may not even be heads.
    without = f" AND s.id NOT IN ({', '.join(map(str, chain.bad))})" if chain.bad else ""
    with connection.cursor() as cursor:
        of_site = _OF_SITE if site else ""
        cursor.execute(_BROKEN[connection.vendor] + without + of_site, [site] if site else [])
        for job_id, seq in cursor.fetchall():
            yield Breach("seal_broken", job_id, f"Event {seq} was sealed and is gone or changed.")
    try:
        yield from _check_file(chain.hashes)
    except OSError as error:
        yield unchecked("seals", f"{seal_file.NAME} cannot be read ({error.strerror or error})")


class _Chain:
    """Takes the seals in their order; remembers their hashes, and which of them were changed."""

    def __init__(self) -> None:
        self.hashes: dict[int, str] = {}
        self.bad: list[int] = []
        self._previous = ""

    def check(self, seal: Seal) -> Iterator[Breach]:
        """One seal, after the one before it."""
        wanted = {"number": seal.number, "heads": seal.heads, "previous": self._previous}
        is_whole = seal.previous_hash == self._previous and _are_heads(seal.heads)
        self._previous = self.hashes[seal.number] = seal.hash
        if is_whole and seal.hash in (plain_digest(wanted), _digest(wanted)):
            return
        self.bad.append(seal.pk)
        yield Breach("seal_changed", f"seal {seal.number}", "A seal is not what was written.")


def _digest(value: object) -> str:
    try:
        return digest(value)
    except InvalidInput:
        return ""


def _are_heads(heads: object) -> bool:
    return isinstance(heads, dict) and all(
        isinstance(head, list) and list(map(type, head)) == [int, str] for head in heads.values()
    )


def _check_file(hashes: dict[int, str]) -> Iterator[Breach]:
    """A file that ends early is told as what it is: the next seal brings it up to the rows again.

    A sweep may seal meanwhile, first a row and then the file. So the table is asked again for what
    only the file knows, and a file that ends before the rows is read again.
    """
    path = settings.IMPRIMATUR_DATA_DIR / seal_file.NAME
    last = 0
    for number, value in seal_file.each(path):
        last = max(last, number)
        if hashes.get(number) != value and not _is_there(number, value):
            message = f"The file {seal_file.NAME} holds seal {number}, and the database does not."
            yield Breach("database_behind", f"seal {number}", message)
    newest = max(hashes, default=0)
    if last < newest and max((number for number, _ in seal_file.each(path)), default=0) < newest:
        message = f"The file {seal_file.NAME} ends before it, or is not there."
        yield Breach("seals_cut", f"seal {newest}", message)


def _is_there(number: int, value: str) -> bool:
    return Seal.objects.filter(number=number, hash=value).exists()
