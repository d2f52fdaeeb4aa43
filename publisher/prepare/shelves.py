"""Shelves: which folder of articles a text belongs to, by language first and then by its words."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import log, sqrt

from publisher.prepare.sketch import words_of

_WIDE = "\u3040"
_MOST_WORDS = 20_000


def nearest(text: str, shelves: Mapping[str, Sequence[str]]) -> str | None:
    """The shelf whose articles are written like the text; None when all are in another script.

    Words that every shelf has say little. Another language in the same script shares few words,
    so it needs no rule of its own. Of equals, the fuller shelf wins.
    """
    mine = _words(text)
    found = {name: _sum(map(_words, texts)) for name, texts in shelves.items()}
    alike = {name: words for name, words in found.items() if _is_wide(words) == _is_wide(mine)}
    if not alike:
        return None
    spread = Counter(word for words in found.values() for word in words)
    weight = {word: log(1 + len(found) / count) for word, count in spread.items()}
    return max(
        alike, key=lambda name: (_likeness(mine, alike[name], weight), len(shelves[name]), name)
    )


def _words(text: str) -> Counter[str]:
    return Counter(words_of(text)[:_MOST_WORDS])


def _sum(counts: Iterable[Counter[str]]) -> Counter[str]:
    total: Counter[str] = Counter()
    for count in counts:
        total.update(count)
    return total


def _is_wide(words: Counter[str]) -> bool:
    """Whether a fifth of the words are ideographs or syllables, each of which counts as one."""
    wide = sum(count for word, count in words.items() if word >= _WIDE)
    return wide * 5 >= words.total() > 0


def _likeness(one: Counter[str], other: Counter[str], weight: Mapping[str, float]) -> float:
    """The cosine of both texts' weighted words."""
    ours = {word: (1 + log(count)) * weight.get(word, 0.0) for word, count in one.items()}
    theirs = {word: (1 + log(count)) * weight[word] for word, count in other.items()}
    shared = sum(value * theirs.get(word, 0.0) for word, value in ours.items())
    length = sqrt(sum(v * v for v in ours.values())) * sqrt(sum(v * v for v in theirs.values()))
    return round(shared / length, 6) if length else 0.0
