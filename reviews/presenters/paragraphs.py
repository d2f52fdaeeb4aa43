"""Paragraphs: which of those that go away belongs to which of those that come.

Within a run of removed and added lines, a paragraph is looked for by its words and not by its
place: one that was put before another leaves the other where it is.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from reviews.presenters import marks
from reviews.presenters.diff_rows import Raw

LINE_CHARACTERS = 4_000
MOST_PLACES = 2_500
"""Pairs of paragraphs that are looked at in one run; in a longer one each stands by its place."""
LEAST_ALIKE = 0.4

_WORD = re.compile(r"[^\W\d_]{2,}|\d+|\w")

Words = Counter[str]
Couple = tuple[list[Raw], list[Raw]]


def couples_of(run: Sequence[Raw], budget: marks.Budget) -> Iterator[Couple]:
    """What was beside what will be, in order: an unchanged line beside itself."""
    for stretch in _stretches(run):
        if len(stretch) == 1 and stretch[0].kind == "same":
            yield stretch, stretch
            continue
        removed = [replace(raw, kind="removed", new=None) for raw in stretch if raw.old is not None]
        added = [replace(raw, kind="added", old=None) for raw in stretch if raw.new is not None]
        found = couples(removed, added, budget) if removed and added else [(removed, added)]
        yield from found or _meetings(stretch)


def _stretches(run: Sequence[Raw]) -> Iterator[list[Raw]]:
    """Changed lines together, over the blank ones between them; each unchanged line alone."""
    stretch: list[Raw] = []
    changed = 0
    for raw in run:
        if raw.kind != "same" or (stretch and not raw.text.strip()):
            stretch.append(raw)
            changed = len(stretch) if raw.kind != "same" else changed
            continue
        yield from _closed(stretch, changed)
        stretch, changed = [], 0
        yield [raw]
    yield from _closed(stretch, changed)


def _closed(stretch: list[Raw], changed: int) -> Iterator[list[Raw]]:
    """A stretch up to its last change; the blank lines behind it stand alone."""
    if changed:
        yield stretch[:changed]
    yield from ([raw] for raw in stretch[changed:])


def _meetings(stretch: Sequence[Raw]) -> Iterator[Couple]:
    """Each removed run with the added one that follows it, by their places."""
    removed: list[Raw] = []
    added: list[Raw] = []
    for raw in stretch:
        if (removed or added) and (raw.kind == "same" or (raw.kind == "removed" and added)):
            yield removed, added
            removed, added = [], []
        if raw.kind == "same":
            yield [raw], [raw]
        else:
            (removed if raw.kind == "removed" else added).append(raw)
    if removed or added:
        yield removed, added


def couples(removed: list[Raw], added: list[Raw], budget: marks.Budget) -> list[Couple]:
    """Paragraphs beside those that share their words, in order; others stay between them.

    None where there are too many to be looked for.
    """
    return between(_paragraphs(removed), _paragraphs(added), budget)


def between(olds: list[list[Raw]], news: list[list[Raw]], budget: marks.Budget) -> list[Couple]:
    """The same for paragraphs that are known already."""
    size = sum(len(each) for each in (*olds, *news))
    if len(olds) * len(news) > MOST_PLACES or not budget.pays(size * max(len(olds), len(news))):
        return []
    found: list[Couple] = []
    old = new = 0
    for i, j in [*_alike(olds, news), (len(olds), len(news))]:
        left = [raw for each in olds[old:i] for raw in each]
        right = [raw for each in news[new:j] for raw in each]
        if left or right:
            found.append((left, right))
        if i < len(olds):
            found.append((olds[i], news[j]))
        old, new = i + 1, j + 1
    return found


def _paragraphs(raws: Iterable[Raw]) -> list[list[Raw]]:
    """Lines up to a blank one, which ends what stands before it."""
    found: list[list[Raw]] = [[]]
    for raw in raws:
        if found[-1] and not found[-1][-1].text.strip() and raw.text.strip():
            found.append([])
        found[-1].append(raw)
    return found


def _alike(olds: list[list[Raw]], news: list[list[Raw]]) -> list[tuple[int, int]]:
    """Places of paragraphs that belong together: the likest ones whose order is kept."""
    if len(olds) == len(news) == 1:
        return [(0, 0)]
    left, right = [words(each) for each in olds], [words(each) for each in news]
    best = [[0.0] * (len(news) + 1) for _row in range(len(olds) + 1)]
    alike = [[likeness(a, b) for b in right] for a in left]
    for i in range(len(olds) - 1, -1, -1):
        for j in range(len(news) - 1, -1, -1):
            best[i][j] = max(best[i + 1][j], best[i][j + 1], best[i + 1][j + 1] + alike[i][j])
    found, i, j = [], 0, 0
    while i < len(olds) and j < len(news):
        if alike[i][j] and best[i][j] == best[i + 1][j + 1] + alike[i][j]:
            found.append((i, j))
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return found


def words(raws: Iterable[Raw]) -> Words:
    return Counter(_WORD.findall(" ".join(raw.text[:LINE_CHARACTERS] for raw in raws)))


def likeness(a: Words, b: Words) -> float:
    """Which share of their words both have; 0 where that is too little to be the same paragraph."""
    size = a.total() + b.total()
    share = 2 * (a & b).total() / size if size else 0.0
    return share if share >= LEAST_ALIKE else 0.0
