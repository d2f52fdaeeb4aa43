"""Word marks: which words of two lines differ; Chinese by character."""

import re
from collections import Counter
from dataclasses import dataclass
from difflib import Match, SequenceMatcher

MOST_CHARACTERS = 4_000
MOST_TOKENS = 1_200
MOST_COMPARED = 20_000_000
"""How many comparisons a page may cost: all of them take about a second, an ordinary draft a part."""

LEAST_ALIKE = 0.25

_TOKEN = re.compile(r"[A-Za-z0-9_]+|\s+|.", re.DOTALL)

Runs = list[tuple[str, bool]]


@dataclass(slots=True)
class Budget:
    """How many comparisons of words a page has left; its lines spend them in order."""

    left: int = MOST_COMPARED


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
        if price > self.budget.left:
            raise _SpentError
        self.budget.left -= price
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
    if max(len(olds), len(news)) > MOST_TOKENS:
        return None
    matcher = _Matcher(olds, news, budget)
    try:
        alike = matcher.ratio()
    except _SpentError:
        return None
    if alike < LEAST_ALIKE:
        return None
    left: Runs = []
    right: Runs = []
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        is_changed = tag != "equal"
        if i2 > i1:
            left.append(("".join(olds[i1:i2]), is_changed))
        if j2 > j1:
            right.append(("".join(news[j1:j2]), is_changed))
    return left, right
