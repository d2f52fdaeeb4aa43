"""Diffs: stored unified text becomes rows that a template only prints."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import zip_longest

from reviews.presenters import marks
from reviews.presenters.hidden import Segment, segments

ROWS_A_PART = 1_500
FOLD_AFTER = 6
KEEP_AROUND = 3
LINE_CHARACTERS = 4_000
LEFT_OUT = ("gap", "cut")
"""Rows that stand for others: unchanged ones, or whatever was too much for a page."""

_HUNK = re.compile(r"@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@")


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a diff; ``kind`` is added, removed or same. ``cut`` counts what is not shown."""

    kind: str
    old: int | None
    new: int | None
    segments: list[Segment]
    cut: int = 0

    @property
    def sign(self) -> str:
        """The sign that says what the colour says."""
        return {"added": "+", "removed": "−"}.get(self.kind, "")


@dataclass(frozen=True, slots=True)
class Pair:
    """Two lines side by side; either may be missing."""

    left: Line | None
    right: Line | None

    @property
    def is_change(self) -> bool:
        """Whether the two differ."""
        return any(line is not None and line.kind != "same" for line in (self.left, self.right))


@dataclass(frozen=True, slots=True)
class Block:
    """A run of lines: changed ones with context, a fold over unchanged ones, a gap, or a cut."""

    kind: str
    lines: list[Line] = field(default_factory=list)
    pairs: list[Pair] = field(default_factory=list)
    gap: int = 0

    @property
    def count(self) -> int:
        """How many lines it holds."""
        return len(self.lines)


@dataclass(frozen=True, slots=True)
class Raw:
    """A line as the diff text has it."""

    kind: str
    old: int | None
    new: int | None
    text: str


def parse(text: str) -> list[Raw]:
    """Hunks alone, without headers, as lines; a ``gap`` stands where the diff leaves lines out."""
    rows: list[Raw] = []
    old = new = 0
    for line in text.split("\n"):
        if match := _HUNK.match(line):
            start = int(match[2])
            if start > new and (rows or start > 1):
                rows.append(Raw("gap", None, None, str(max(start - max(new, 1), 0))))
            old, new = int(match[1]), start
        elif line.startswith("+"):
            rows.append(Raw("added", None, new, line[1:]))
            new += 1
        elif line.startswith("-"):
            rows.append(Raw("removed", old, None, line[1:]))
            old += 1
        elif line.startswith(" "):
            rows.append(Raw("same", old, new, line[1:]))
            old, new = old + 1, new + 1
    return rows


def whole(text: str, kind: str) -> list[Raw]:
    """Each line of a text that is new, or that goes away, as a whole."""
    lines = text.split("\n")
    if lines and lines[-1] == "":
        lines.pop()
    numbered = enumerate(lines, 1)
    if kind == "added":
        return [Raw("added", None, number, line) for number, line in numbered]
    return [Raw("removed", number, None, line) for number, line in numbered]


def parts(rows: list[Raw]) -> int:
    """How many parts a diff is shown in."""
    return max(1, -(-len(rows) // ROWS_A_PART))


def covers(rows: list[Raw], text: str) -> bool:
    """Whether the parts show each line of the new text to its end, and none of them folded."""
    numbers = [row.new for row in rows if row.new is not None]
    if numbers != list(range(1, len(whole(text, "added")) + 1)):
        return False
    if any(len(row.text) > LINE_CHARACTERS for row in rows):
        return False
    starts = range(0, len(rows), ROWS_A_PART)
    runs = [run for start in starts for run in _runs(rows[start : start + ROWS_A_PART])]
    return all(kind == "lines" for kind, _lines in runs)


def blocks(
    rows: list[Raw],
    *,
    part: int = 1,
    side_by_side: bool = False,
    budget: marks.Budget | None = None,
) -> list[Block]:
    """One part of a diff as blocks, with words marked and long unchanged runs folded.

    The ``budget`` for marks is that of all diffs on a page; a diff that stands alone has its own.
    """
    budget = budget or marks.Budget()
    start = (part - 1) * ROWS_A_PART
    chosen = rows[start : start + ROWS_A_PART]
    found = []
    for kind, run in _runs(chosen):
        if kind in LEFT_OUT:
            found.append(Block(kind, gap=int(run[0].text)))
            continue
        lines = marked(run, budget)
        found.append(Block(kind, lines, paired(lines) if side_by_side else []))
    return found


def _runs(rows: list[Raw]) -> Iterator[tuple[str, list[Raw]]]:
    """Blocks of raw lines: lines, fold, gap, cut."""
    shown: list[Raw] = []
    at = 0
    while at < len(rows):
        if rows[at].kind in LEFT_OUT:
            if shown:
                yield "lines", shown
            shown = []
            yield rows[at].kind, [rows[at]]
            at += 1
            continue
        end = at
        while end < len(rows) and rows[end].kind == "same":
            end += 1
        head = KEEP_AROUND if at else 0
        tail = KEEP_AROUND if end < len(rows) else 0
        if end - at > FOLD_AFTER + head + tail:
            shown += rows[at : at + head]
            if shown:
                yield "lines", shown
            yield "fold", rows[at + head : end - tail]
            shown = rows[end - tail : end]
            at = end
            continue
        step = max(end, at + 1)
        shown += rows[at:step]
        at = step
    if shown:
        yield "lines", shown


def marked(run: list[Raw], budget: marks.Budget) -> list[Line]:
    """Lines with the changed words marked where a removed run meets an added one."""
    lines: list[Line] = []
    at = 0
    while at < len(run):
        removed = _take(run, at, "removed")
        added = _take(run, at + len(removed), "added")
        if removed and added:
            lines += _meeting(removed, added, budget)
            at += len(removed) + len(added)
        else:
            lines.append(_line(run[at]))
            at += 1
    return lines


def _take(run: list[Raw], at: int, kind: str) -> list[Raw]:
    end = at
    while end < len(run) and run[end].kind == kind:
        end += 1
    return run[at:end]


def _meeting(removed: list[Raw], added: list[Raw], budget: marks.Budget) -> list[Line]:
    olds, news = [_line(raw) for raw in removed], [_line(raw) for raw in added]
    for index, (old, new) in enumerate(zip(removed, added, strict=False)):
        words = marks.compare(old.text, new.text, budget)
        if words is not None:
            olds[index] = _with(olds[index], words[0], "del")
            news[index] = _with(news[index], words[1], "ins")
    return olds + news


def _with(raw: Line, runs: list[tuple[str, bool]], mark: str) -> Line:
    found = [
        segment for text, is_changed in runs for segment in segments(text, mark=mark * is_changed)
    ]
    return Line(raw.kind, raw.old, raw.new, found)


def _line(raw: Raw) -> Line:
    text = raw.text.removesuffix("\r")
    shown = text[:LINE_CHARACTERS]
    return Line(raw.kind, raw.old, raw.new, segments(shown), len(text) - len(shown))


def paired(lines: list[Line]) -> list[Pair]:
    """Lines side by side: a removed run beside the added run that replaces it."""
    pairs: list[Pair] = []
    at = 0
    while at < len(lines):
        if lines[at].kind == "same":
            pairs.append(Pair(lines[at], lines[at]))
            at += 1
            continue
        left: list[Line] = []
        right: list[Line] = []
        while at < len(lines) and lines[at].kind == "removed":
            left.append(lines[at])
            at += 1
        while at < len(lines) and lines[at].kind == "added":
            right.append(lines[at])
            at += 1
        pairs += [Pair(*both) for both in zip_longest(left, right)]
    return pairs
