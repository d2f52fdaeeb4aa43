"""Unseen: whether a text holds what none of its rendered parts shows.

Who looks at what is rendered has read the text only where nothing is left out of it. This errs on
the safe side: what cannot be told counts as left out, and the raw text is read instead.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from reviews.cutting import Cut, Part, as_parsed
from reviews.presenters import hidden

MOST_LOOKED = 8
"""In how many parts this is looked for at a page; a longer text is read raw."""

LONGEST_NAME = 40
"""A label or a language that is longer could be a sentence."""

SHOWN_SCHEMES = frozenset({"http", "https", "mailto"})
"""Addresses of links that are kept, and so are seen at the link."""

_SCHEME = re.compile(r"\s*([A-Za-z][A-Za-z0-9+.-]*):")
_LANGUAGE = re.compile(rf"\s*[\w+#.-]{{0,{LONGEST_NAME}}}\s*")
_RULES = re.compile(r"[\s|\\:>-]+")
_SPELT = re.compile(r"\\[xuU]0*(?:2[356]|3[cC])")


@dataclass(slots=True)
class _Met:
    """What is defined in all parts, and what of it some part shows."""

    targets: Counter[str] = field(default_factory=Counter)
    notes: Counter[str] = field(default_factory=Counter)
    shown: set[str] = field(default_factory=set)
    shown_notes: set[str] = field(default_factory=set)

    def is_all_shown(self) -> bool:
        """Whether each definition stands once and is used."""
        once = {*self.targets.values(), *self.notes.values()} <= {1}
        return once and set(self.targets) <= self.shown and set(self.notes) <= self.shown_notes


def in_body(cut: Cut, parser: MarkdownIt, deepest: int) -> bool:
    """Whether the rendered parts leave something out; ``deepest`` is the nesting they show."""
    looked = [part for part in cut.parts if not part.is_plain]
    if len(looked) > MOST_LOOKED:
        return True
    met = _Met()
    parser.options["store_labels"] = True
    for part in looked:
        if _defines_oddly(part, cut.references, parser, met):
            return True
        if _leaves_out(part, cut.references, parser, met, deepest):
            return True
    return not met.is_all_shown()


def in_front_matter(text: str, shown: str) -> bool:
    """Whether front matter has comments, anchors, directives or merges: not all their marks are shown."""
    return _SPELT.search(text) is not None or any(
        text.count(mark) > shown.count(mark) for mark in ("#", "%", "&", "<<")
    )


def is_language(info: str) -> bool:
    """Whether what stands behind a fence is no more than a language, which code is read without."""
    return _LANGUAGE.fullmatch(info) is not None


def _defines_oddly(
    part: Part, references: Mapping[str, Any], parser: MarkdownIt, met: _Met
) -> bool:
    """Take in what the part itself defines; whether that holds titles, or notes within notes."""
    env: dict[str, Any] = {"references": dict(references)}
    tokens: list[Token] = []
    parser.block.parse(as_parsed(hidden.spelled(part.head + part.text)), parser, env, tokens)
    # The targets of all parts are known already, so that each one here is met again.
    again = env.get("duplicate_refs", [])
    met.targets.update(one["label"] for one in again)
    is_open = False
    for token in tokens:
        if token.type == "footnote_reference_open":
            if is_open:
                return True
            met.notes[token.meta["label"]] += 1
        if token.type in ("footnote_reference_open", "footnote_reference_close"):
            is_open = not is_open
    return len(env["references"]) > len(references) or any(one.get("title") for one in again)


def _leaves_out(
    part: Part, references: Mapping[str, Any], parser: MarkdownIt, met: _Met, deepest: int
) -> bool:
    env: dict[str, Any] = {"references": dict(references)}
    source = hidden.spelled(part.source)
    tokens = parser.parse(source, env)
    if any(token.level >= deepest for token in tokens) or _has_wide_rows(tokens, source):
        return True
    refs: Mapping[str, int] = env.get("footnotes", {}).get("refs", {})
    met.shown_notes |= {name[1:] for name, number in refs.items() if number >= 0}
    return any(any(_of_inline(token.children or (), met)) for token in tokens)


def _has_wide_rows(tokens: Sequence[Token], source: str) -> bool:
    """Whether a table has cells that no column shows: more is written than its cells hold."""
    lines: list[str] = []
    wanted: int | None = None
    for token in tokens:
        if token.type == "table_open" and token.map:
            lines = lines or as_parsed(source).split("\n")
            wanted = _letters("\n".join(lines[slice(*token.map)]))
        elif token.type == "inline" and wanted is not None:
            wanted -= _letters(token.content)
        elif token.type == "table_close":
            if wanted:
                return True
            wanted = None
    return False


def _letters(text: str) -> int:
    return len(_RULES.sub("", text))


def _of_inline(children: Sequence[Token], met: _Met) -> Iterator[bool]:
    """Of each link, picture and note's number, whether it hides something."""
    link: Token | None = None
    text = ""
    for token in children:
        if token.type == "link_open":
            link, text = token, ""
        elif token.type == "link_close" and link is not None:
            yield _is_blank(text) or bool(link.attrGet("title"))
            yield _is_dropped(str(link.attrGet("href") or ""))
            yield _is_said_elsewhere(link, text, met)
            link = None
        elif token.type == "image":
            inner = token.children or []
            yield any(one.type not in ("text", "softbreak") for one in inner)
            yield _is_said_elsewhere(token, token.content, met)
        elif token.type == "footnote_ref":
            yield len(str(token.meta.get("label") or "")) > LONGEST_NAME
        text += token.content


def _is_blank(text: str) -> bool:
    """Whether a text has no letter, number, punctuation or symbol; a Braille cell may be empty."""
    return all(unicodedata.category(char)[0] in "CMZ" or char == "\u2800" for char in text)


def _is_dropped(address: str) -> bool:
    scheme = _SCHEME.match(address)
    return scheme is not None and scheme[1].lower() not in SHOWN_SCHEMES


def _is_said_elsewhere(token: Token, text: str, met: _Met) -> bool:
    """Whether the label of a target is long and not what is read at the link."""
    label = str(token.meta.get("label", ""))
    met.shown.add(label)
    return len(label) > LONGEST_NAME and _plain(label) != _plain(text)


def _plain(text: str) -> str:
    return "".join(letter for letter in text.casefold() if letter.isalnum())
