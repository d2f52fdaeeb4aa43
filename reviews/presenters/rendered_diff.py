"""Rendered diff: a rendered article with what was taken out and put in marked, block by block.

Works on HTML that was cleaned already, and what it returns is cleaned again: its marks are tags of
their own around text, so that each block stays as its own side has it.
"""

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from html import unescape

from reviews.presenters import marks, paragraphs
from reviews.presenters.diff_rows import Raw

_TEXT = "p h1 h2 h3 h4 h5 h6 li pre code em strong s a td th span sup"
HOLDS_TEXT = frozenset(_TEXT.split())
_VOID = frozenset({"hr", "br"})
_TOKEN = re.compile(rf"</?[a-z0-9]+[^>]*>|&[#\w]+;|[^\W{marks.EAST}]+|\s+|.", re.DOTALL)
_NEXT = re.compile(r"</(ins|del)>(\s*)<\1>")
"""Where one mark ends and the same begins: words that stand together are one."""
_TAG = re.compile(r"<(/?)([a-z0-9]+)")

Block = list[str]


def of(old: str, new: str, budget: marks.Budget) -> str:
    """The new article with the old one's text in it, as HTML that has to be cleaned."""
    olds, news = _blocks(old), _blocks(new)
    removed = [Raw("removed", at, None, _text(block)) for at, block in enumerate(olds)]
    added = [Raw("added", None, at, _text(block)) for at, block in enumerate(news)]
    found: list[str] = []
    for left, right in _couples(removed, added, budget):
        before, after = [olds[raw.old or 0] for raw in left], [news[raw.new or 0] for raw in right]
        is_one = len(before) == len(after) == 1
        if is_one and paragraphs.likeness(paragraphs.words(left), paragraphs.words(right)):
            found += _beside(before[0], after[0], budget)
            continue
        for block in before:
            found += _all(block, "del")
        for block in after:
            found += _all(block, "ins")
    return _NEXT.sub(r"\2", "".join(found))


def _couples(
    removed: list[Raw], added: list[Raw], budget: marks.Budget
) -> Iterator[paragraphs.Couple]:
    """Equal blocks hold the rest in place; between them the likest belong together."""
    olds, news = [raw.text for raw in removed], [raw.text for raw in added]
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, olds, news, autojunk=False).get_opcodes():
        if tag == "equal":
            yield from (([a], [b]) for a, b in zip(removed[i1:i2], added[j1:j2], strict=True))
        else:
            left, right = removed[i1:i2], added[j1:j2]
            alone = [[raw] for raw in left], [[raw] for raw in right]
            yield from paragraphs.between(*alone, budget) or [(left, right)]


def _blocks(markup: str) -> list[Block]:
    """The outermost elements, each as its tokens."""
    found: list[Block] = [[]]
    depth = 0
    for token in _TOKEN.findall(markup):
        found[-1].append(token)
        tag = _TAG.match(token)
        if tag and tag[2] not in _VOID:
            depth += -1 if tag[1] else 1
        if tag and depth == 0:
            found.append([])
    return [block for block in found if "".join(block).strip()]


def _text(block: Block) -> str:
    return unescape("".join(token for token in block if not _TAG.match(token))) or block[0]


def _all(block: Block, mark: str) -> Iterator[str]:
    """A block with all of its text marked."""
    for token in block:
        yield token if _TAG.match(token) or token.isspace() else f"<{mark}>{token}</{mark}>"


def _beside(old: Block, new: Block, budget: marks.Budget) -> Iterator[str]:
    """The new block with what differs marked; all of both where that would cost too much."""
    opcodes = marks.opcodes(old, new, budget)
    if opcodes is None:
        yield from _all(old, "del")
        yield from _all(new, "ins")
        return
    inside: list[str] = []
    waiting = ""
    for tag, i1, i2, j1, j2 in opcodes:
        if tag != "equal":
            waiting += "".join(token for token in old[i1:i2] if not _TAG.match(token))
        for token in ["", *new[j1:j2]]:  # once before the first, and where there is none
            if waiting.strip() and inside and inside[-1] in HOLDS_TEXT:
                yield f"<del>{waiting}</del>"
                waiting = ""
            is_plain = tag == "equal" or _TAG.match(token) or not token.strip()
            yield token if is_plain else f"<ins>{token}</ins>"
            _follow(token, inside)
    if waiting.strip():
        yield f"<p><del>{waiting}</del></p>"


def _follow(token: str, inside: list[str]) -> None:
    """Keep the names of the elements that are open."""
    tag = _TAG.match(token)
    if tag and tag[1] and inside:
        inside.pop()
    elif tag and not tag[1] and tag[2] not in _VOID:
        inside.append(tag[2])
