"""Terms: a text cut into what can be looked for, the same way when it is kept and when it is asked for.

Chinese, Japanese and Thai write no spaces. Their letters are kept alone and in pairs, so that a word
of two letters is found without a dictionary, and without an extension of the database.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

LONGEST = 60
SHORTEST_BEGINNING = 3
MOST = 12
_UNSPACED = (
    "\u0e00-\u0eff\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
_RUN = re.compile(rf"([{_UNSPACED}]+)|[^\W_{_UNSPACED}]+")


@dataclass(frozen=True, slots=True)
class Term:
    """One word that must be there; or, as ``begins``, one that begins so."""

    word: str
    begins: bool = False


def words_of(text: str, *, most_bytes: int) -> str:
    """Each word of the text once, in the order of its first place, with spaces between."""
    found: dict[str, None] = {}
    left = most_bytes
    for word in _words(text):
        if word not in found:
            left -= len(word.encode()) + 1
            if left < 0:
                break
            found[word] = None
    return " ".join(found)


def terms_of(question: str) -> tuple[Term, ...]:
    """What a text must hold to answer; the first ones of a long question, none for signs alone."""
    found: dict[Term, None] = {}
    for run, is_unspaced in _runs(question):
        if is_unspaced:
            pairs = [run[at : at + 2] for at in range(max(1, len(run) - 1))]
            found.update(dict.fromkeys(map(Term, pairs)))
        else:
            found[Term(run[:LONGEST], begins=len(run) >= SHORTEST_BEGINNING)] = None
    return tuple(found)[:MOST]


def _words(text: str) -> Iterator[str]:
    for run, is_unspaced in _runs(text):
        if is_unspaced:
            yield from run
            yield from (run[at : at + 2] for at in range(len(run) - 1))
        else:
            yield run[:LONGEST]


def _runs(text: str) -> Iterator[tuple[str, bool]]:
    plain = unicodedata.normalize("NFKC", text).casefold()
    for match in _RUN.finditer(plain):
        yield match[0], match[1] is not None
