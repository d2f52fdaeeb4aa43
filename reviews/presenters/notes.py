"""Notes: what is to be said at a line of a text, under that line wherever it is shown."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from reviews.presenters.findings import FindingView
from reviews.presenters.words import Label

NEW, OLD = "new", "old"


@dataclass(frozen=True, slots=True)
class Note:
    """Something said at a line; ``anchor`` is where a link to it leads."""

    anchor: str
    label: Label
    text: str
    more: str = ""


Place = tuple[str, str, int]
"""A path, the side of a difference, and a line there."""
Notes = Mapping[Place, Sequence[Note]]
OfFile = Mapping[tuple[str, int], Sequence[Note]]


def of_findings(found: Iterable[FindingView]) -> dict[Place, list[Note]]:
    """What the checks found, at the lines where they did."""
    placed: dict[Place, list[Note]] = {}
    for one in found:
        if one.path and one.line:
            note = Note(anchor(one.id), one.label, one.message, one.advice)
            placed.setdefault((one.path, NEW, one.line), []).append(note)
    return placed


def anchor(finding: int) -> str:
    """The name of a finding's place in the text."""
    return f"at-finding-{finding}"


def of_file(notes: Notes, path: str) -> OfFile:
    """Those of one file, by side and line."""
    return {place[1:]: tuple(those) for place, those in notes.items() if place[0] == path}
