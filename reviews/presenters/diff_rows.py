"""Diff rows: a unified difference as it is stored, of which rows are made where they are looked at."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import overload

LEFT_OUT = ("gap", "cut")
"""Rows that stand for others: unchanged ones, or whatever was too much for a page."""
KINDS = {"+": "added", "-": "removed", " ": "same", "@": "gap"}

_HUNK = re.compile(r"@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@")


@dataclass(frozen=True, slots=True)
class Raw:
    """A line as the diff text has it."""

    kind: str
    old: int | None
    new: int | None
    text: str


@dataclass(frozen=True, slots=True)
class _Hunk:
    """Where the rows of a hunk begin, and the numbers of its first lines."""

    at: int
    old: int
    new: int


class Rows(Sequence[Raw]):
    """The lines of a difference behind their signs; of 400,000 of them a page looks at 600.

    ``has_gaps``: lines of the new text are left out, or stand in another order than they have.
    """

    def __init__(self, lines: list[str], hunks: list[_Hunk], *, has_gaps: bool) -> None:
        self.lines, self.hunks, self.has_gaps = lines, hunks, has_gaps
        self.signs = "".join([line[0] for line in lines])

    def __len__(self) -> int:
        return len(self.lines)

    @property
    def new_lines(self) -> int:
        """How many lines of the new text it holds."""
        return self.signs.count("+") + self.signs.count(" ")

    @overload
    def __getitem__(self, at: int) -> Raw: ...
    @overload
    def __getitem__(self, at: slice) -> list[Raw]: ...
    def __getitem__(self, at: int | slice) -> Raw | list[Raw]:
        if isinstance(at, slice):
            start, stop, _step = at.indices(len(self))
            return list(self._made(start, stop))
        if not -len(self) <= at < len(self):
            raise IndexError(at)
        return next(self._made(at % len(self), at % len(self) + 1))

    def _made(self, start: int, stop: int) -> Iterator[Raw]:
        number = bisect_right(self.hunks, start, key=lambda hunk: hunk.at) - 1
        hunk = self.hunks[number] if number >= 0 else _Hunk(start, 1, 1)
        before = self.signs[hunk.at : start]
        same = before.count(" ")
        old, new = hunk.old + same + before.count("-"), hunk.new + same + before.count("+")
        following = number + 1
        for at in range(start, stop):
            if following < len(self.hunks) and self.hunks[following].at == at:
                old, new = self.hunks[following].old, self.hunks[following].new
                following += 1
            sign, text = self.signs[at], self.lines[at][1:]
            has_old, has_new = sign in "- ", sign in "+ "
            yield Raw(KINDS[sign], old if has_old else None, new if has_new else None, text)
            old, new = old + has_old, new + has_new


def parse(text: str) -> Rows:
    """Hunks alone, without headers, as lines; a ``gap`` stands where the diff leaves lines out."""
    lines = text.split("\n")
    heads = [at for at, line in enumerate(lines) if line[:3] == "@@ "]
    rows: list[str] = []
    hunks: list[_Hunk] = []
    new, has_gaps = 0, False
    for at, end in zip(heads, [*heads, len(lines)][1:], strict=True):
        match = _HUNK.match(lines[at])
        if match is None:
            continue
        start = int(match[2])
        if start > new and (rows or start > 1):
            rows.append(f"@{max(start - max(new, 1), 0)}")
        has_gaps |= start != new and (bool(rows) or start > 1)
        hunks.append(_Hunk(len(rows), int(match[1]), start))
        body = [line for line in lines[at + 1 : end] if line[:1] in ("+", "-", " ")]
        rows += body
        new = start + len([line for line in body if line[0] != "-"])
    return Rows(rows, hunks, has_gaps=has_gaps)


def whole(text: str, kind: str) -> Rows:
    """Each line of a text that is new, or that goes away, as a whole."""
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    sign = "+" if kind == "added" else "-"
    return Rows([sign + line for line in lines], [_Hunk(0, 1, 1)], has_gaps=False)


def line_count(text: str) -> int:
    """How many lines a text has; one without an end is one."""
    return text.count("\n") + (not text.endswith("\n") and text != "")
