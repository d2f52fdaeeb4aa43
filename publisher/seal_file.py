"""The seals' file: what was sealed, line by line beside the database, so that an older copy of it shows."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from publisher.models import Seal

NAME = "seals.jsonl"
Sealed = tuple[int, str]
"""A seal's number and its hash."""

_TAIL = 1 << 20


def append(path: Path, line: dict[str, Any]) -> None:
    """Add one seal on a line of its own, and wait until it is on the disk."""
    with path.open("a", encoding="utf-8") as out:
        if _is_cut(path):
            out.write("\n")
        out.write(json.dumps(line, sort_keys=True) + "\n")
        out.flush()
        os.fsync(out.fileno())


def bring_up(path: Path) -> int:
    """Add the rows' seals after the file's last one: how many a crash, a restore or a cut left out."""
    last = _last(path)
    rows = Seal.objects.filter(number__gt=last[0] if last else 0)
    # Without the times: one that cannot be read would end the sealing for good.
    missing = rows.only("number", "heads", "previous_hash", "hash").order_by("number")
    count = 0
    for seal in missing.iterator(chunk_size=1):
        append(path, line_of(seal))
        count += 1
    return count


def line_of(seal: Seal) -> dict[str, Any]:
    """What the file holds of a seal."""
    return {
        "number": seal.number,
        "heads": seal.heads,
        "previous": seal.previous_hash,
        "hash": seal.hash,
    }


def each(path: Path) -> Iterator[Sealed]:
    """All seals in the file; a last line that a power cut left half written says nothing."""
    if not path.exists():
        return
    with path.open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            found = _read(line)
            if found is not None:
                yield found


def unknown(path: Path) -> int | None:
    """The number of the file's last seal, if the database does not hold it: then it is an older copy."""
    last = _last(path)
    if last is None or Seal.objects.filter(number=last[0], hash=last[1]).exists():
        return None
    return last[0]


def _is_cut(path: Path) -> bool:
    """Whether the last line was left half written: what follows must not become part of it."""
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(size - 1, 0))
        return file.read(1) not in (b"", b"\n")


def _last(path: Path) -> Sealed | None:
    """The last whole line; a crash may have cut the one after it."""
    for line in _from_the_end(path):
        found = _read(line)
        if found is not None:
            return found
    return None


def _from_the_end(path: Path) -> Iterator[bytes]:
    """The lines, last first; no more of the file is read than is asked for."""
    if not path.exists():
        return
    with path.open("rb") as file:
        begin, rest = file.seek(0, os.SEEK_END), b""
        while begin:
            size = min(_TAIL, begin)
            begin = file.seek(begin - size)
            rest, *lines = (file.read(size) + rest).split(b"\n")
            yield from reversed(lines)
        yield rest


def _read(line: str | bytes) -> Sealed | None:
    try:
        seal = json.loads(line)
        return int(seal["number"]), str(seal["hash"])
    except (ValueError, KeyError, TypeError):
        return None
