"""Conflict diffs: two versions compared here, cut to what a page holds, with a mark at each cut."""

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import accumulate

from reviews.presenters import diff, marks, paragraphs
from reviews.presenters.diff_rows import Raw

MOST_LINES = 4_000
MOST_CHARACTERS = 400_000
SHOWN_LINES = 1_000
SHOWN_CHARACTERS = 60_000
LEAST_LINES = 8
AROUND = 3
BEFORE_A_CHANGE = 100

Opcode = tuple[str, int, int, int, int]


@dataclass(frozen=True, slots=True)
class Run:
    """Rows that belong together; ``more`` counts lines after them that no page would hold."""

    rows: list[Raw]
    more: int = 0


@dataclass(frozen=True, slots=True)
class Difference:
    """What differs. ``is_coarse``: all from the first to the last change stands as replaced."""

    blocks: list[diff.Block]
    is_coarse: bool


def of(old: str, new: str, *, budget: marks.Budget | None = None) -> Difference:
    """The difference of two texts of any size: what is equal at both ends is left out first."""
    olds, news = _lines(old), _lines(new)
    head = _common(olds, news)
    tail = _common(olds[head:][::-1], news[head:][::-1])
    before, after = olds[head : len(olds) - tail], news[head : len(news) - tail]
    is_coarse = any(
        len(lines) > MOST_LINES or sum(map(len, lines)) > MOST_CHARACTERS
        for lines in (before, after)
    )
    found: list[Opcode] = [("equal", 0, head, 0, head)]
    if is_coarse:
        found.append(("replace", head, head + len(before), head, head + len(after)))
    else:
        opcodes = SequenceMatcher(None, before, after).get_opcodes()
        found += [(tag, i + head, j + head, k + head, m + head) for tag, i, j, k, m in opcodes]
    found.append(("equal", len(olds) - tail, len(olds), len(news) - tail, len(news)))
    if not before and not after:
        return Difference([], is_coarse=False)
    rows = _cut(list(_runs(olds, news, found)))
    return Difference(diff.blocks(rows, part=None, budget=budget), is_coarse)


def _lines(text: str) -> list[str]:
    """By line feeds alone, so that any other line end, or none at the end, is a part of its line."""
    return list(io.StringIO(text, newline="\n"))


def _common(olds: Sequence[str], news: Sequence[str]) -> int:
    """How many items both begin with: lines of a text, characters of a line."""
    pairs = enumerate(zip(olds, news, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(olds), len(news)))


def _runs(olds: list[str], news: list[str], opcodes: list[Opcode]) -> Iterator[Run]:
    """Rows that belong together: context, a gap, what is removed, what is added.

    Of a text of any size no more rows are made than a page might show.
    """
    for number, (tag, i1, i2, j1, j2) in enumerate(opcodes):
        if tag == "equal":
            before = AROUND if number else 0
            after = AROUND if number < len(opcodes) - 1 else 0
            yield from _context(olds[i1:i2], i1, j1, before, after)
            continue
        removed, added = _at_the_change(olds[i1:i2][:SHOWN_LINES], news[j1:j2][:SHOWN_LINES])
        old = [Raw("removed", at, None, _bare(line)) for at, line in enumerate(removed, i1 + 1)]
        new = [Raw("added", None, at, _bare(line)) for at, line in enumerate(added, j1 + 1)]
        yield Run(old, i2 - i1 - len(old))
        yield Run(new, j2 - j1 - len(new))


def _context(same: list[str], old: int, new: int, before: int, after: int) -> Iterator[Run]:
    left_out = max(0, len(same) - before - after)
    head = before if left_out else len(same)
    rows = [
        Raw("same", old + at + 1, new + at + 1, _bare(same[at]))
        for at in (*range(head), *range(head + left_out, len(same)))
    ]
    yield Run(rows[:head])
    if left_out and after:
        yield Run([Raw("gap", None, None, str(left_out))])
        yield Run(rows[head:])


def _at_the_change(removed: list[str], added: list[str]) -> tuple[list[str], list[str]]:
    """Where lines of a pair are too long to be shown, both begin shortly before they differ."""
    olds, news = list(removed), list(added)
    for at, pair in enumerate(zip(removed, added, strict=False)):
        equal = _common(*pair)
        if equal + BEFORE_A_CHANGE > paragraphs.LINE_CHARACTERS:
            olds[at], news[at] = ("… " + line[equal - BEFORE_A_CHANGE :] for line in pair)
    return olds, news


def _bare(line: str) -> str:
    return line.removesuffix("\n")


def _cut(runs: list[Run]) -> list[Raw]:
    """As many rows as a page holds; the number of the others stands where they were.

    What is removed takes at most half of the room that is left, so that what stands there instead
    is never without.
    """
    lines, characters = SHOWN_LINES, SHOWN_CHARACTERS
    found: list[Raw] = []
    for number, run in enumerate(runs):
        share = 2 if run.rows and run.rows[0].kind == "removed" else 1
        count = _fitting(run.rows, lines // share, characters // share)
        found += run.rows[:count]
        lines -= count
        characters -= sum(map(_length, run.rows[:count]))
        rest = Run(run.rows[count:], run.more)
        if lines < LEAST_LINES or characters < paragraphs.LINE_CHARACTERS:
            return [*found, *_mark(sum(_lines_of(each) for each in (rest, *runs[number + 1 :])))]
        found += _mark(_lines_of(rest))
    return found


def _lines_of(run: Run) -> int:
    return run.more + sum(row.kind != "gap" for row in run.rows)


def _fitting(run: list[Raw], lines: int, characters: int) -> int:
    ends = accumulate(map(_length, run))
    return sum(count <= lines and end <= characters for count, end in enumerate(ends, 1))


def _length(row: Raw) -> int:
    return min(len(row.text), paragraphs.LINE_CHARACTERS)


def _mark(left_out: int) -> list[Raw]:
    return [Raw("cut", None, None, str(left_out))] if left_out else []
