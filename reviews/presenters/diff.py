"""Diffs: rows become blocks that a template only prints, a part of them at a time."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from reviews.presenters import marks, prose_diff
from reviews.presenters.diff_rows import LEFT_OUT, Raw, Rows, line_count
from reviews.presenters.notes import OfFile
from reviews.presenters.paragraphs import LINE_CHARACTERS
from reviews.presenters.prose_diff import Line, Manner, Pair

ROWS_A_PART = 600
FOLD_AFTER = 6
KEEP_AROUND = 3

_LONG_RUN = re.compile(rf" {{{FOLD_AFTER + 1},}}")


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

    @property
    def has_notes(self) -> bool:
        """Whether something is said at one of its lines."""
        return any(line.notes for line in self.lines)


def parts(rows: Sequence[Raw]) -> int:
    """How many parts a diff is shown in."""
    return max(1, -(-len(rows) // ROWS_A_PART))


def covers(rows: Rows, text: str) -> bool:
    """Whether the parts show each line of the new text to its end, and none of them folded."""
    if rows.has_gaps or rows.new_lines != line_count(text):
        return False
    if max(map(len, rows.lines), default=0) > LINE_CHARACTERS + 1:  # its sign is one
        return False
    starts = range(0, len(rows), ROWS_A_PART)
    return not any(_folds(rows.signs[start : start + ROWS_A_PART]) for start in starts)


def blocks(
    rows: Sequence[Raw],
    *,
    part: int | None = 1,
    side_by_side: bool = False,
    budget: marks.Budget | None = None,
    manner: Manner | None = None,
    notes: OfFile | None = None,
) -> list[Block]:
    """One part of a diff, or all of it, as blocks with words marked and unchanged runs folded.

    The ``budget`` for marks is that of all diffs on a page; a diff that stands alone has its own.
    """
    budget, manner = budget or marks.Budget(), manner or Manner()
    start = 0 if part is None else (part - 1) * ROWS_A_PART
    chosen = list(rows if part is None else rows[start : start + ROWS_A_PART])
    moves = prose_diff.moves(chosen)
    found = []
    for kind, run in _runs(chosen):
        if kind in LEFT_OUT:
            found.append(Block(kind, gap=int(run[0].text)))
            continue
        pairs = prose_diff.noted(prose_diff.pairs(run, budget, manner, moves), notes or {})
        found.append(Block(kind, prose_diff.lines(pairs), pairs if side_by_side else []))
    return found


def _folds(signs: str) -> bool:
    """Whether a part with these signs hides unchanged lines, as ``_runs`` does."""
    for match in _LONG_RUN.finditer(signs):
        around = (KEEP_AROUND if match.start() else 0) + (KEEP_AROUND * (match.end() < len(signs)))
        if match.end() - match.start() > FOLD_AFTER + around:
            return True
    return False


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
