"""Seals: what was sealed is still there, in the rows and in the file beside the database."""

import json
from collections.abc import Iterator

from django.conf import settings
from django.db import connection

from publisher.domain.envelope import digest
from publisher.engine.audit.breach import Breach
from publisher.engine.audit.stored_events import plain_digest
from publisher.models import Seal

FILE = "seals.jsonl"
_BROKEN = {
    "sqlite": (
        "SELECT h.key, json_extract(h.value, '$[0]') FROM publisher_seal s, json_each(s.heads) h "
        "LEFT JOIN publisher_jobevent e ON e.job_id = h.key "
        "AND e.seq = json_extract(h.value, '$[0]') "
        "WHERE e.hash IS NULL OR e.hash <> json_extract(h.value, '$[1]')"
    ),
    "postgresql": (
        "SELECT h.key, (h.value->>0)::int FROM publisher_seal s, jsonb_each(s.heads) h "
        "LEFT JOIN publisher_jobevent e ON e.job_id = h.key AND e.seq = (h.value->>0)::int "
        "WHERE e.hash IS NULL OR e.hash <> h.value->>1"
    ),
}


def check() -> Iterator[Breach]:
    """Sealed heads are still in the histories that they sealed; the file knows no later seal."""
    previous = ""
    hashes: dict[int, str] = {}
    for seal in Seal.objects.order_by("number").iterator(chunk_size=10):
        wanted = {"number": seal.number, "heads": seal.heads, "previous": previous}
        is_known = seal.hash == plain_digest(wanted) or seal.hash == digest(wanted)
        if seal.previous_hash != previous or not is_known:
            yield Breach("seal_changed", f"seal {seal.number}", "A seal is not what was written.")
        previous = hashes[seal.number] = seal.hash
    with connection.cursor() as cursor:
        cursor.execute(_BROKEN[connection.vendor])
        for job_id, seq in cursor.fetchall():
            yield Breach("seal_broken", job_id, f"Event {seq} was sealed and is gone or changed.")
    yield from _check_file(hashes)


def _check_file(hashes: dict[int, str]) -> Iterator[Breach]:
    path = settings.IMPRIMATUR_DATA_DIR / FILE
    if not path.exists():
        return
    with path.open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            number, value = _read(line)
            if number and hashes.get(number) != value:
                message = f"The file {FILE} holds seal {number}, and the database does not."
                yield Breach("database_behind", f"seal {number}", message)


def _read(line: str) -> tuple[int, str]:
    """A last line that a power cut left half written says nothing."""
    try:
        seal = json.loads(line)
        return int(seal["number"]), str(seal["hash"])
    except (ValueError, KeyError, TypeError):
        return 0, ""
