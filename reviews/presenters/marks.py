"""Word marks: which words of two lines differ; Chinese by character."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import Match, SequenceMatcher

MOST_CHARACTERS = 4_000
MOST_TOKENS = 1_200
MOST_COMPARED = 20_000_000
"""How many comparisons a page may cost: all of them take about a second, an ordinary draft a part."""

LEAST_ALIKE = 0.25

EAST = "\u2e80-\ua4cf\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff"
"""Writing without spaces between words, of which each character counts as one."""

_TOKEN = re.compile(rf"[^\W{EAST}]+|\s+|.", re.DOTALL)
_SPACE = re.compile(r"\s+")

Runs = list[tuple[str, bool]]
Opcode = tuple[str, int, int, int, int]
_Stretch = tuple[bool, int, int, int, int]


@dataclass(slots=True)
class Budget:
    """How many comparisons of words a page has left; its lines spend them in order."""

    left: int = MOST_COMPARED

    def pays(self, price: int) -> bool:
        """Whether that much is left, and taken."""
        if price > self.left:
            return False
        self.left -= price
        return True


class _SpentError(Exception):
    """Two lines ask for more than the page has left."""


class _Matcher(SequenceMatcher[str]):
    """Pays for each search before it makes it: a word is compared with each place that has it too.

    Lines of few words that come again and again take millions, and a search for each of them.
    """

    def __init__(self, olds: list[str], news: list[str], budget: Budget) -> None:
        super().__init__(None, olds, news, autojunk=False)
        places = Counter(news)
        self.prices = [1 + places[word] for word in olds]
        self.budget = budget

    def find_longest_match(
        self, alo: int = 0, ahi: int | None = None, blo: int = 0, bhi: int | None = None
    ) -> Match:
        price = sum(self.prices[alo:ahi])
        if not self.budget.pays(price):
            raise _SpentError
        return super().find_longest_match(alo, ahi, blo, bhi)


def compare(old: str, new: str, budget: Budget) -> tuple[Runs, Runs] | None:
    """Both lines as runs of (text, is it changed); None where marks would not help.

    Long lines and lines that share little are left unmarked: marking everything marks nothing.
    So are lines that cost more than the budget has left.
    """
    old, new = old.removesuffix("\r"), new.removesuffix("\r")
    if max(len(old), len(new)) > MOST_CHARACTERS:
        return None
    olds, news = _TOKEN.findall(old), _TOKEN.findall(new)
    even = opcodes(_even(olds), _even(news), budget)
    if even is None:
        return None
    found = _joined(even, olds, news)
    if not any(_weight(one, olds, news) for one in found if not one[0]):
        return None
    left = _runs([("".join(olds[i1:i2]), is_changed) for is_changed, i1, i2, _j1, _j2 in found])
    right = _runs([("".join(news[j1:j2]), is_changed) for is_changed, _i1, _i2, j1, j2 in found])
    return left, right


def opcodes(olds: list[str], news: list[str], budget: Budget) -> list[Opcode] | None:
    """How words of one text become those of another; None where that costs too much or is no help."""
    if max(len(olds), len(news)) > MOST_TOKENS:
        return None
    matcher = _Matcher(olds, news, budget)
    try:
        return list(matcher.get_opcodes()) if matcher.ratio() >= LEAST_ALIKE else None
    except _SpentError:
        return None


def _even(tokens: list[str]) -> list[str]:
    """Words as they are compared: a line that is broken elsewhere says the same."""
    return [" " if token.isspace() and "\n" in token else token for token in tokens]


def _joined(opcodes: Sequence[Opcode], olds: list[str], news: list[str]) -> list[_Stretch]:
    """What is equal and what is not; a few equal words between changes are a part of the change.

    A sentence that was written anew is marked as one, and not wherever both say "the".
    """
    found: list[_Stretch] = []
    for number, (tag, *places) in enumerate(opcodes):
        is_changed = tag != "equal"
        if not is_changed and 0 < number < len(opcodes) - 1:
            around = (opcodes[number - 1], opcodes[number + 1])
            weight = _weight(opcodes[number], olds, news)
            is_changed = all(weight <= _weight(beside, olds, news) for beside in around)
        i1, i2, j1, j2 = places
        if found and found[-1][0] == is_changed:
            found[-1] = (is_changed, found[-1][1], i2, found[-1][3], j2)
        else:
            found.append((is_changed, i1, i2, j1, j2))
    return found


def _weight(opcode: Opcode | _Stretch, olds: list[str], news: list[str]) -> int:
    """Letters of a stretch, on the side where there are more; white space weighs nothing."""
    _tag, i1, i2, j1, j2 = opcode
    sides = ("".join(olds[i1:i2]), "".join(news[j1:j2]))
    return max(len(_SPACE.sub("", side)) for side in sides)


def _runs(runs: Runs) -> Runs:
    return [(text, is_changed) for text, is_changed in runs if text]
