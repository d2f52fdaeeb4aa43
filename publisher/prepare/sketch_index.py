"""The index of sketches: finds the near ones among thousands by shared hashes."""

import heapq
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping

from publisher.prepare.sketch import Sketch

_INDEXED = 96


class _Postings:
    """Pairs of hash and number in one sorted array: five megabytes for ten thousand texts."""

    def __init__(self) -> None:
        self._pairs = array("Q")
        self._is_sorted = True

    def add(self, number: int, hashes: tuple[int, ...]) -> None:
        self._pairs.extend(value << 32 | number for value in hashes[:_INDEXED])
        self._is_sorted = False

    def hits(self, hashes: tuple[int, ...], *, common: int) -> Counter[int]:
        """How many of the hashes each number shares, leaving out what ``common`` or more share."""
        if not self._is_sorted:
            self._pairs = array("Q", sorted(self._pairs))
            self._is_sorted = True
        seen: Counter[int] = Counter()
        for value in hashes[:_INDEXED]:
            numbers = list(self._numbers_of(value, common))
            if len(numbers) < common:
                seen.update(numbers)
        return seen

    def _numbers_of(self, value: int, limit: int) -> Iterator[int]:
        position = bisect_left(self._pairs, value << 32)
        end = min(len(self._pairs), position + limit)
        while position < end and self._pairs[position] >> 32 == value:
            yield self._pairs[position] & 0xFFFFFFFF
            position += 1


class SketchIndex:
    """Sketches by name. Additions are cheap; the next question sorts them in."""

    def __init__(self, sketches: Mapping[str, Sketch] | None = None) -> None:
        self._names: list[str] = []
        self._numbers: dict[str, int] = {}
        self._words, self._marks = _Postings(), _Postings()
        for name, item in (sketches or {}).items():
            self.add(name, item)

    def __len__(self) -> int:
        return len(self._numbers)

    def add(self, name: str, item: Sketch) -> None:
        """Put a sketch in; one of the same name is replaced."""
        self._numbers[name] = number = len(self._names)
        self._names.append(name)
        self._words.add(number, item.lowest)
        self._marks.add(number, item.lowest_marks)

    def discard(self, name: str) -> None:
        """Take a name out, if it is in."""
        self._numbers.pop(name, None)

    def rank(self, item: Sketch, *, limit: int = 10) -> list[str]:
        """The names that share most with this sketch, best first, at most ``limit``."""
        # A hash that a tenth of a large collection shares is boilerplate and tells nothing.
        common = max(50, len(self._names) // 10)
        scores: Counter[int] = Counter()
        for postings, hashes in ((self._words, item.lowest), (self._marks, item.lowest_marks)):
            size = min(len(hashes), _INDEXED)
            for number, hits in postings.hits(hashes, common=common).items():
                # In parts per million, so that few marks weigh as much as many words.
                scores[number] = max(scores[number], hits * 1_000_000 // size)
        alive = [(-score, self._names[n]) for n, score in scores.items() if self._is_current(n)]
        return [name for _, name in heapq.nsmallest(limit, alive)]

    def _is_current(self, number: int) -> bool:
        return self._numbers.get(self._names[number]) == number
