"""The duplicate judge: whether a text is new, another version of one article, or already there."""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from publisher.prepare.sketch import (
    Likeness,
    Sketch,
    exact_likeness,
    likeness,
    mark_likeness,
    marks_of,
    shingles_of,
    sketch,
    words_of,
)
from publisher.prepare.sketch_index import SketchIndex

__all__ = [
    "Candidate",
    "Evidence",
    "Sketch",
    "SketchIndex",
    "Verdict",
    "judge",
    "rank",
    "recheck",
    "share_gone",
    "sketch",
]

# Measured by bench/dedup.py on real edits, translations among them, and on unrelated articles.
ALIKE_WORDS = 0.3
CONTAINED_WORDS = 0.7
ALIKE_WORDS_UNDER_ONE_TITLE = 0.15
ALIKE_MARKS = 0.5
FEWEST_MARKS = 5
FEWEST_SHINGLES = 30
_WORTH_A_LOOK = 0.05

_SENTENCE_END = re.compile(r"(?<=[。！？!?])|(?<=\.)\s|\n")
_NOT_A_WORD = re.compile(r"\W+")
_PASSAGES = 3
_PASSAGES_WITHIN = 256 * 1024
_PASSAGE_LENGTH = 240


@dataclass(frozen=True, slots=True)
class Candidate:
    """An existing article to compare with; without its text the sketch must do."""

    path: str
    title: str
    sketch: Sketch
    text: str | None = None


@dataclass(frozen=True, slots=True)
class Evidence:
    """Why an article was considered: how alike it is, and what both say in the same words."""

    path: str
    title: str
    score: float
    shared_passages: list[str]


@dataclass(frozen=True, slots=True)
class Verdict:
    """NEW, UPDATE of ``target``, or SKIP because ``target`` says it already; ``score`` 0 to 1."""

    kind: Literal["NEW", "UPDATE", "SKIP"]
    target: str | None
    score: float
    evidence: list[Evidence]


@dataclass(frozen=True, slots=True)
class _Comparison:
    candidate: Candidate
    words: Likeness
    marks: Likeness
    is_skip: bool
    is_same_title: bool

    @property
    def score(self) -> float:
        has_marks = self.marks.common >= FEWEST_MARKS
        return max(self.words.shared, self.marks.shared if has_marks else 0.0)

    @property
    def is_update(self) -> bool:
        words, marks = self.words, self.marks
        is_whole = words.contained >= CONTAINED_WORDS and words.common >= FEWEST_SHINGLES
        is_alike = words.shared >= (
            ALIKE_WORDS_UNDER_ONE_TITLE if self.is_same_title else ALIKE_WORDS
        )
        # Links, ids and code stay when a text is translated or rewritten.
        is_translation = marks.shared >= ALIKE_MARKS and marks.common >= FEWEST_MARKS
        return is_alike or is_whole or is_translation


def judge(text: str, *, title: str | None, candidates: Sequence[Candidate]) -> Verdict:
    """Compare a text with articles (best found by ``SketchIndex.rank``) and say what it is to them."""
    mine = _Text(text)
    compared = [_compare(mine, title, candidate) for candidate in candidates]
    compared.sort(key=lambda one: (-one.is_skip, -one.is_update, -one.score, one.candidate.path))
    evidence = [
        Evidence(
            one.candidate.path,
            one.candidate.title,
            round(one.score, 3),
            _shared_passages(mine, one.candidate.text),
        )
        for one in compared[:5]
        if one.score >= _WORTH_A_LOOK or one.is_skip
    ]
    best = compared[0] if compared else None
    if best is None or not (best.is_skip or best.is_update):
        return Verdict("NEW", None, round(best.score, 3) if best else 0.0, evidence)
    kind: Literal["UPDATE", "SKIP"] = "SKIP" if best.is_skip else "UPDATE"
    return Verdict(kind, best.candidate.path, round(best.score, 3), evidence)


def recheck(
    text: str, *, title: str | None, candidates: Sequence[Candidate]
) -> Literal["SKIP", "KEEP"]:
    """The only question left after approval: do newly arrived articles already say this?"""
    verdict = judge(text, title=title, candidates=candidates)
    return "SKIP" if verdict.kind == "SKIP" else "KEEP"


def share_gone(before: str, after: str) -> float:
    """How much of a text another one says no more, by its words: 0 to 1."""
    said = shingles_of(words_of(before))
    return len(said - shingles_of(words_of(after))) / len(said) if said else 0.0


def rank(item: Sketch, sketches: Mapping[str, Sketch], limit: int = 10) -> list[str]:
    """The names nearest to a sketch; for many questions keep a ``SketchIndex`` instead."""
    return SketchIndex(sketches).rank(item, limit=limit)


class _Text:
    """The judged text; what is derived from it is computed once, and only if some candidate is near."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.sketch = sketch(text)

    @cached_property
    def words(self) -> list[str]:
        return words_of(self.text)

    @cached_property
    def shingles(self) -> set[str]:
        return shingles_of(self.words)

    @cached_property
    def marks(self) -> set[str]:
        return marks_of(self.text)

    @cached_property
    def sentences(self) -> dict[str, str]:
        return dict(_sentences(self.text))


def _compare(text: _Text, title: str | None, candidate: Candidate) -> _Comparison:
    mine, theirs = text.sketch, candidate.sketch
    words, marks = likeness(mine, theirs), mark_likeness(mine, theirs)
    if not mine.mark_count and not theirs.mark_count:
        marks = Likeness(1.0, 1.0, 0.0)
    elif candidate.text is not None and words.shared + marks.shared >= _WORTH_A_LOOK:
        marks = exact_likeness(text.marks, marks_of(candidate.text))
    has_same_words = mine.words == theirs.words and mine.count > 0
    if candidate.text is not None and words.shared >= _WORTH_A_LOOK:
        said = words_of(candidate.text)
        words = exact_likeness(text.shingles, shingles_of(said))
        # The title that stands above a source is in an article's front matter.
        has_same_words |= text.words == [*words_of(candidate.title), *said]
    # One other word may be what was wrong, and so may one link: that is another version.
    is_skip = has_same_words and marks.shared == 1.0
    is_same_title = bool(_folded(title)) and _folded(title) == _folded(candidate.title)
    return _Comparison(candidate, words, marks, is_skip, is_same_title)


def _folded(title: str | None) -> str:
    return "".join(unicodedata.normalize("NFKC", title or "").casefold().split())


def _shared_passages(text: _Text, other: str | None) -> list[str]:
    """The longest sentences that both texts have; failing those, links and code that both have."""
    if other is None:
        return []
    theirs = dict(_sentences(other))
    both = [sentence for key, sentence in text.sentences.items() if key in theirs]
    found = both or list(text.marks & marks_of(other))
    found.sort(key=lambda passage: (-len(passage), passage))
    return [passage[:_PASSAGE_LENGTH] for passage in found[:_PASSAGES]]


def _sentences(text: str) -> Iterator[tuple[str, str]]:
    for piece in _SENTENCE_END.split(text[:_PASSAGES_WITHIN]):
        key = _NOT_A_WORD.sub("", piece.casefold())
        if len(key) >= 8:
            yield key, piece.strip()
