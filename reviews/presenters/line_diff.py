"""Line diff: what differs between two stored texts, in time that grows with their length alone.

Lines that stand once in both are found first and hold the rest in place, as in a patience diff.
Between them short runs are compared in full; a long run without such lines stands as replaced,
which is true, if not the shortest way to say it.
"""

import io
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from difflib import SequenceMatcher

AROUND = 3
MOST_COMPARED = 40_000
"""Pairs of lines of one run that are compared in full."""
DEEPEST = 12

Run = tuple[int, int, int, int]
"""Lines of both texts: from, to, from, to."""


def unified(old: str, new: str) -> str:
    """Hunks of a unified difference, without headers of files; "" where nothing differs."""
    olds, news = _lines(old), _lines(new)
    return "".join(_hunk(olds, news, hunk) for hunk in _hunks(changes(olds, news)))


def changes(olds: list[str], news: list[str]) -> list[Run]:
    """Runs of lines that were replaced, in order; either side of one may be empty."""
    found: list[Run] = []
    waiting = [(0, len(olds), 0, len(news), 0)]
    while waiting:
        i1, i2, j1, j2, depth = waiting.pop()
        i1, i2, j1, j2 = _inner(olds, news, (i1, i2, j1, j2))
        if i1 == i2 or j1 == j2:
            if i1 != i2 or j1 != j2:
                found.append((i1, i2, j1, j2))
            continue
        anchors = _anchors(olds, news, (i1, i2, j1, j2)) if depth < DEEPEST else []
        if not anchors:
            found += _in_full(olds, news, (i1, i2, j1, j2))
            continue
        # The last run goes on the stack first, so that runs are found in their order.
        ends = zip([(i1 - 1, j1 - 1), *anchors], [*anchors, (i2, j2)], strict=True)
        between = [(a + 1, c, b + 1, d) for (a, b), (c, d) in ends if c - a > 1 or d - b > 1]
        waiting += [(*one, depth + 1) for one in reversed(between)]
    return found


def _lines(text: str) -> list[str]:
    """By line feeds alone, so that any other line end, or none at the end, is a part of its line."""
    return list(io.StringIO(text, newline="\n"))


def _inner(olds: list[str], news: list[str], run: Run) -> Run:
    """The run without what is equal at both ends."""
    i1, i2, j1, j2 = run
    while i1 < i2 and j1 < j2 and olds[i1] == news[j1]:
        i1, j1 = i1 + 1, j1 + 1
    while i1 < i2 and j1 < j2 and olds[i2 - 1] == news[j2 - 1]:
        i2, j2 = i2 - 1, j2 - 1
    return i1, i2, j1, j2


def _anchors(olds: list[str], news: list[str], run: Run) -> list[tuple[int, int]]:
    """Lines that stand once on both sides: the longest row of them whose order is the same."""
    i1, i2, j1, j2 = run
    if set(olds[i1:i2]).isdisjoint(news[j1:j2]):
        return []
    once_old = {line for line, count in Counter(olds[i1:i2]).items() if count == 1}
    once = {line for line, count in Counter(news[j1:j2]).items() if count == 1} & once_old
    places = {news[j]: j for j in range(j1, j2) if news[j] in once}
    pairs = [(i, places[olds[i]]) for i in range(i1, i2) if olds[i] in once]
    ends: list[int] = []
    last: list[int] = []
    before: list[int] = []
    for number, (_i, j) in enumerate(pairs):
        at = bisect_left(ends, j)
        ends[at : at + 1], last[at : at + 1] = [j], [number]
        before.append(last[at - 1] if at else -1)
    found = []
    number = last[-1] if last else -1
    while number >= 0:
        found.append(pairs[number])
        number = before[number]
    return found[::-1]


def _in_full(olds: list[str], news: list[str], run: Run) -> list[Run]:
    i1, i2, j1, j2 = run
    is_long = (i2 - i1) * (j2 - j1) > MOST_COMPARED
    if is_long or set(olds[i1:i2]).isdisjoint(news[j1:j2]):
        return [run]
    opcodes = SequenceMatcher(None, olds[i1:i2], news[j1:j2], autojunk=False).get_opcodes()
    return [(i1 + a, i1 + b, j1 + c, j1 + d) for tag, a, b, c, d in opcodes if tag != "equal"]


def _hunks(found: list[Run]) -> Iterator[list[Run]]:
    """Changes that stand so near to each other that what is between them is shown."""
    hunk: list[Run] = []
    for run in found:
        if hunk and run[0] - hunk[-1][1] > 2 * AROUND:
            yield hunk
            hunk = []
        hunk.append(run)
    if hunk:
        yield hunk


def _hunk(olds: list[str], news: list[str], runs: list[Run]) -> str:
    first, last = runs[0], runs[-1]
    head = min(AROUND, first[0])
    tail = min(AROUND, len(olds) - last[1])
    start, stop = first[0] - head, last[1] + tail
    new_start, new_stop = first[2] - head, last[3] + tail
    left = f"-{start + (stop > start)},{stop - start}"
    right = f"+{new_start + (new_stop > new_start)},{new_stop - new_start}"
    lines = [f"@@ {left} {right} @@"]
    at = start
    for i1, i2, j1, j2 in runs:
        lines += [f" {_bare(line)}" for line in olds[at:i1]]
        lines += [f"-{_bare(line)}" for line in olds[i1:i2]]
        lines += [f"+{_bare(line)}" for line in news[j1:j2]]
        at = i2
    lines += [f" {_bare(line)}" for line in olds[at:stop]]
    return "\n".join(lines) + "\n"


def _bare(line: str) -> str:
    return line.removesuffix("\n")
