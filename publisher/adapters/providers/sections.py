"""Sections: a text without headings is divided by some of its own sentences, which then stand above."""

import re
from collections.abc import Sequence
from dataclasses import replace

from publisher.adapters.providers.blocks import Block, plain, sentences

# By whether the text is Chinese, in characters.
_SHORTEST, _LONGEST = {True: 4, False: 12}, {True: 24, False: 80}
_SHORT_TEXT = {True: 200, False: 500}
_SHORT_SECTION = {True: 25, False: 60}
_FEWEST_PARAGRAPHS = 4
_MOST_SECTIONS = 8
_ENDS = ".。!！?？"
_CLOSING = ('"', "”", "’", ")", "）", "」", "』", "'")


def headed(blocks: Sequence[Block], *, chinese: bool) -> list[Block]:
    """The same text; where a paragraph begins with a short sentence, that may become a heading.

    Nothing is said twice and nothing is left out. The beginning has no heading, and a short text
    has none at all.
    """
    total = sum(len(block.text) for block in blocks)
    paragraphs = sum(block.kind == "paragraph" for block in blocks)
    if paragraphs < _FEWEST_PARAGRAPHS or total < _SHORT_TEXT[chinese]:
        return list(blocks)
    least = max(_SHORT_SECTION[chinese], total // _MOST_SECTIONS)
    made: list[Block] = []
    size = 0
    for block in blocks:
        found = _lead(block, chinese=chinese) if size >= least or len(made) == 1 else None
        if found is not None and made:
            lead, rest = found
            made += [Block("heading", lead, 2), replace(block, text=rest)]
            size = len(block.text)
        else:
            made.append(block)
            size += len(block.text)
    return made


def _lead(block: Block, *, chinese: bool) -> tuple[str, str] | None:
    """A paragraph's first sentence as a heading, and the text behind it; None when it does not fit."""
    first = next(iter(sentences(block.text)), "") if block.kind == "paragraph" else ""
    is_short = _SHORTEST[chinese] <= len(first) <= _LONGEST[chinese]
    if not is_short or plain(first) != first or first[-1] not in _ENDS:
        return None
    rest = behind(block.text, first)
    return (headline(first), rest) if rest else None


def headline(sentence: str) -> str:
    """A sentence as it stands above a text: with a capital, without its full stop."""
    bare = sentence.rstrip(".。!！").strip()
    return bare[:1].upper() + bare[1:]


def behind(text: str, sentence: str) -> str | None:
    """What follows a text's first sentence, however lines are broken; None when it cannot be cut."""
    wanted = "".join(sentence.split())
    position = matched = 0
    while matched < len(wanted):
        if position == len(text):
            return None
        if not text[position].isspace():
            if text[position] != wanted[matched]:
                return None
            matched += 1
        position += 1
    rest = text[position:]
    return None if rest.startswith(_CLOSING) else re.sub(r"\A\s+", "", rest)
