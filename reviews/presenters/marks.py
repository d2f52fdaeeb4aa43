"""Word marks: which words of two lines differ; Chinese by character."""

import re
from difflib import SequenceMatcher

MOST_CHARACTERS = 4_000
MOST_TOKENS = 1_200
LEAST_ALIKE = 0.25

_TOKEN = re.compile(r"[A-Za-z0-9_]+|\s+|.", re.DOTALL)

Runs = list[tuple[str, bool]]


def compare(old: str, new: str) -> tuple[Runs, Runs] | None:
    """Both lines as runs of (text, is it changed); None where marks would not help.

    Long lines and lines that share little are left unmarked: marking everything marks nothing.
    """
    old, new = old.removesuffix("\r"), new.removesuffix("\r")
    if max(len(old), len(new)) > MOST_CHARACTERS:
        return None
    olds, news = _TOKEN.findall(old), _TOKEN.findall(new)
    if max(len(olds), len(news)) > MOST_TOKENS:
        return None
    matcher = SequenceMatcher(None, olds, news, autojunk=False)
    if matcher.ratio() < LEAST_ALIKE:
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
