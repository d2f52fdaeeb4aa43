"""Line: the last few commits of a straight history, from the process that reads objects anyway."""

import re

from publisher.adapters.git.objects import Objects, check_id
from publisher.domain.errors import RepositoryUnsafe

LONGEST = 16
"""Commits; a longer way costs less in one ``git log``."""

# A name and an address as git writes them; whatever else stands there is left to git.
_PERSON = re.compile(rb"(?:[^<>\n]*[^<>\n ])? ?<[^<>\n]*> \d{1,12} [+-]\d{4}")
_KNOWN = frozenset({b"tree", b"parent", b"author", b"committer", b"gpgsig", b""})
"""Header lines; the lines of a signature begin with a space."""


def between(objects: Objects, base: str, tip: str) -> list[str] | None:
    """Records of base..tip in ``git log``'s form, newest first; None where git has to be asked.

    That is a merge, a history that does not lead to ``base`` in few steps, and a commit that is
    written in another encoding or by something else than git.
    """
    found: list[str] = []
    current = check_id(tip)
    while current != base:
        record = _record(current, objects.get(current, "commit")) if len(found) < LONGEST else None
        if record is None:
            return None
        found.append(record)
        current = record.split("\n", 2)[1]
    return found


def leads(objects: Objects, older: str, newer: str) -> bool | None:
    """Whether ``older`` is in the history of ``newer``; None where git has to be asked.

    No commit is in the history of what came before it, so a line the other way round is a no.
    """
    try:
        if between(objects, older, newer) is not None:
            return True
        return None if between(objects, newer, older) is None else False
    except RepositoryUnsafe:
        # A history that was cut off: what git takes for its first commit names a parent that is not there.
        return None


def _record(commit: str, data: bytes) -> str | None:
    head, _, message = data.partition(b"\n\n")
    rows = [line.partition(b" ") for line in head.split(b"\n")]
    values = {key: value for key, _, value in rows}
    parents = [value for key, _, value in rows if key == b"parent"]
    people = [values.get(key, b"") for key in (b"author", b"committer")]
    if len(parents) != 1 or b"\x00" in data or any(key not in _KNOWN for key, *_ in rows):
        return None
    if not all(_PERSON.fullmatch(person) for person in people):
        return None
    name, _, rest = people[0].partition(b"<")
    seconds = people[1].rpartition(b"> ")[2].split(b" ")[0]
    parts = (commit.encode(), parents[0], seconds, rest.partition(b">")[0], name.strip(), message)
    return b"\n".join(parts).decode("utf-8", "replace")
