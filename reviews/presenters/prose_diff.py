"""Prose diff: paragraphs beside what became of them, with the changed words marked.

Lines that were broken anew are compared as one text, so that only words that differ are marked.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, takewhile, zip_longest

from reviews.presenters import marks, paragraphs
from reviews.presenters.diff_rows import Raw
from reviews.presenters.hidden import Segment, segments, segments_of
from reviews.presenters.notes import NEW, OLD, Note, OfFile
from reviews.presenters.paragraphs import LINE_CHARACTERS

LEAST_MOVED = 24
"""Characters of a line that is said to have moved: a shorter one may be the same by chance."""

_SPACE = re.compile(r"[ \t\r]+")

Moves = Mapping[tuple[str, int], int]


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a diff; ``kind`` is added, removed or same. ``cut`` counts what is not shown.

    ``moved`` is the number of the line that says the same on the other side; ``notes`` stand under it.
    """

    kind: str
    old: int | None
    new: int | None
    segments: list[Segment]
    cut: int = 0
    moved: int | None = None
    notes: Sequence[Note] = ()

    @property
    def sign(self) -> str:
        """The sign that says what the colour says."""
        return {"added": "+", "removed": "−"}.get(self.kind, "")


@dataclass(frozen=True, slots=True)
class Pair:
    """Two lines side by side; either may be missing. ``group`` counts what belongs together."""

    left: Line | None
    right: Line | None
    group: int = 0

    @property
    def is_change(self) -> bool:
        """Whether the two differ."""
        return any(line is not None and line.kind != "same" for line in (self.left, self.right))

    @property
    def notes(self) -> list[Note]:
        """What stands under both."""
        both = [self.left, self.right] if self.is_change else [self.right or self.left]
        return [note for line in both if line for note in line.notes]


@dataclass(frozen=True, slots=True)
class Manner:
    """How differences are marked: by words or not, with white space or without."""

    words: bool = True
    space: bool = True


def pairs(
    run: Sequence[Raw], budget: marks.Budget, manner: Manner, moved: Moves | None = None
) -> list[Pair]:
    """Lines side by side: a paragraph beside the one that replaces it."""
    moved = moved or {}
    found: list[Pair] = []
    couples = list(paragraphs.couples_of(run, budget))
    for group, (removed, added) in enumerate(couples):
        if _is_same(removed, added, manner, is_last=group == len(couples) - 1):
            found += _as_same(removed, added, group)
            continue
        end = _blank_end(removed, added)
        old, new = removed[: len(removed) - end], added[: len(added) - end]
        olds, news = _marked(old, new, budget) if manner.words else (_plain(old), _plain(new))
        both = zip_longest(_told(olds, moved), _told(news, moved))
        found += [Pair(left, right, group) for left, right in both]
        found += _as_same(removed[len(old) :], added[len(new) :], group)
    return found


def noted(found: Iterable[Pair], notes: OfFile) -> list[Pair]:
    """The pairs with what is said at their lines."""
    if not notes:
        return list(found)
    return [
        replace(pair, left=_noted(pair.left, notes), right=_noted(pair.right, notes))
        for pair in found
    ]


def _noted(line: Line | None, notes: OfFile) -> Line | None:
    if line is None:
        return None
    place = (OLD, line.old) if line.kind == "removed" else (NEW, line.new)
    those = notes.get((place[0], place[1] or 0))
    return replace(line, notes=those) if those else line


def lines(found: Iterable[Pair]) -> list[Line]:
    """The same below each other: what a paragraph was, then what it will be."""
    listed: list[Line] = []
    for (_group, is_change), together in groupby(found, lambda pair: (pair.group, pair.is_change)):
        beside = list(together)
        if not is_change:
            listed += [line for pair in beside if (line := pair.right or pair.left)]
            continue
        listed += [pair.left for pair in beside if pair.left is not None]
        listed += [pair.right for pair in beside if pair.right is not None]
    return listed


def plain(raw: Raw) -> Line:
    """A line without marks, cut where it is too long."""
    text = raw.text.removesuffix("\r")
    shown = text[:LINE_CHARACTERS]
    return Line(raw.kind, raw.old, raw.new, segments(shown), len(text) - len(shown))


def _plain(raws: Iterable[Raw]) -> list[Line]:
    return [plain(raw) for raw in raws]


def _blank_end(removed: list[Raw], added: list[Raw]) -> int:
    """How many blank lines both end with."""
    backwards = zip(reversed(removed), reversed(added), strict=False)
    return sum(1 for _pair in takewhile(lambda pair: pair[0].text == pair[1].text == "", backwards))


def _marked(old: list[Raw], new: list[Raw], budget: marks.Budget) -> tuple[list[Line], list[Line]]:
    """One paragraph and the other as one text each; where that is too much, line beside line."""
    if not old or not new:
        return _plain(old), _plain(new)
    if len(old) > 1 or len(new) > 1:
        whole = marks.compare(_text(old), _text(new), budget)
        if whole is not None:
            return list(_broken(old, whole[0], "del")), list(_broken(new, whole[1], "ins"))
    olds, news = _plain(old), _plain(new)
    for at, (a, b) in enumerate(zip(old, new, strict=False)):
        found = marks.compare(a.text, b.text, budget)
        if found is not None:
            olds[at], news[at] = _with(a, found[0], "del"), _with(b, found[1], "ins")
    return olds, news


def _text(raws: Iterable[Raw]) -> str:
    return "\n".join(raw.text.removesuffix("\r") for raw in raws)


def _broken(raws: list[Raw], runs: marks.Runs, mark: str) -> Iterator[Line]:
    """The runs of one text as its lines again; a line's end itself is never marked."""
    found: list[marks.Runs] = [[]]
    for text, is_changed in runs:
        first, *others = text.split("\n")
        found[-1].append((first, is_changed))
        found += [[(line, is_changed)] for line in others]
    for raw, line in zip(raws, found, strict=True):
        yield _with(raw, line, mark)


def _with(raw: Raw, runs: marks.Runs, mark: str) -> Line:
    return Line(raw.kind, raw.old, raw.new, segments_of(runs, mark))


def _bare(raws: Iterable[Raw]) -> list[str]:
    """The words of a paragraph, whatever white space stands between them."""
    return _SPACE.split(" ".join(raw.text for raw in raws).strip())


def _is_same(removed: list[Raw], added: list[Raw], manner: Manner, *, is_last: bool) -> bool:
    """Whether both say the same; of the last lines of a text, their ends may be what differs."""
    if removed == added or (not manner.space and _bare(removed) == _bare(added)):
        return True
    return not is_last and _text(removed) == _text(added)


def _as_same(old: list[Raw], new: list[Raw], group: int) -> Iterator[Pair]:
    """Both as unchanged, each as it stands on its side, with both numbers where there are two."""
    for left, right in zip_longest(old, new):
        old_number, new_number = left.old if left else None, right.new if right else None
        before, after = (
            plain(Raw("same", old_number, new_number, raw.text)) if raw else None
            for raw in (left or right, right or left)
        )
        yield Pair(before, after, group)


def moves(run: Iterable[Raw]) -> Moves:
    """Lines that go away at one place and come at another: by side and number, the other's number."""
    places: dict[str, dict[str, list[int]]] = {}
    for raw in run:
        if raw.kind in ("added", "removed") and len(raw.text.strip()) >= LEAST_MOVED:
            sides = places.setdefault(raw.text.strip(), {"removed": [], "added": []})
            sides[raw.kind].append((raw.old if raw.kind == "removed" else raw.new) or 0)
    found: dict[tuple[str, int], int] = {}
    for sides in places.values():
        if len(sides["removed"]) == len(sides["added"]) == 1:
            (old,), (new,) = sides["removed"], sides["added"]
            found[("removed", old)], found[("added", new)] = new, old
    return found


def _told(found: Iterable[Line], moved: Moves) -> Iterator[Line]:
    for line in found:
        other = moved.get((line.kind, (line.old if line.kind == "removed" else line.new) or 0))
        is_marked = any(segment.mark for segment in line.segments)
        yield line if other is None or is_marked else replace(line, moved=other)
