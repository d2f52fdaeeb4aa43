"""Blocks: a source taken apart into headings, paragraphs, lists, tables and code, word for word."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from publisher.domain.material import head_of

Kind = Literal["heading", "paragraph", "code", "list", "table", "quote", "markup"]

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.*)$")
_UNDERLINE = re.compile(r" {0,3}(=+|-{2,})[ \t]*$")
_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+\S")
_CHINESE_HEADING = re.compile(r"[一二三四五六七八九十]{1,3}、[^。！？；，]{1,30}$")
_DEFINITION = re.compile(r" {0,3}\[[^\[\]\n]{1,200}\]:[ \t]")
_FRONT_TITLE = re.compile(
    r"^title[ \t]*[:=][ \t]*(?:\"([^\"\n]+)\"|'([^'\n]+)'|([^\"'\n]+))", re.MULTILINE
)
_STARTS: tuple[tuple[str, Kind], ...] = (("|", "table"), (">", "quote"), ("<", "markup"))
_SENTENCE = re.compile(r"(?<=[。！？])(?![”’」』）)])|(?<=[.!?])[\"”')]?\s+(?=[A-Z0-9\"“(])|\n")
# A line that ends early, without a sign, before one that begins anew: no author broke it there.
_SHORT_LINE = re.compile(r"^(.{0,44}[^\W_])\n(?=[A-Z\u4e00-\u9fff])", re.MULTILINE)
_ABBREVIATION = re.compile(r"(?:^|[\s(])(?:Mrs?|Ms|Drs?|Profs?|St|No|vs|approx|e\.g|i\.e|[A-Z])\.$")
_LINK = re.compile(r"!?\[([^\[\]\n]{0,500})\]\([^()\n]{0,1000}\)")
_SIGNS = re.compile(r"\*{1,3}|`|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")


@dataclass(frozen=True, slots=True)
class Block:
    """One piece of a source; ``level`` counts only for headings, whose text is without its marks."""

    kind: Kind
    text: str
    level: int = 0


def blocks_of(text: str) -> list[Block]:
    """The blocks of a Markdown or plain text; front matter is left out, a code fence gets closed."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    return list(_blocks(lines.removeprefix(head_of(lines)).removeprefix("\ufeff").split("\n")))


def own_title(text: str) -> str:
    """The title that a source's front matter gives it, or nothing."""
    found = _FRONT_TITLE.search(head_of(text.replace("\r\n", "\n")))
    return (found[found.lastindex or 0] or "").strip() if found else ""


def _blocks(lines: Sequence[str]) -> Iterator[Block]:
    position = 0
    while position < len(lines):
        line = lines[position]
        if not line.strip():
            position += 1
        elif (fence := _FENCE.match(line)) is not None:
            end = _fence_end(lines, position, fence[1])
            body = "\n".join(lines[position:end]).rstrip()
            yield Block("code", body if _is_closed(body, fence[1]) else f"{body}\n{fence[1]}")
            position = end
        elif (heading := _heading(lines, position)) is not None:
            block, position = heading
            yield block
        else:
            end = _run_end(lines, position)
            yield Block(_kind(line), "\n".join(one.rstrip() for one in lines[position:end]))
            position = end


def _is_closed(body: str, mark: str) -> bool:
    last = body.rpartition("\n")[2].strip() if "\n" in body else ""
    return last.startswith(mark) and not last.strip(mark[0])


def _fence_end(lines: Sequence[str], start: int, mark: str) -> int:
    for position in range(start + 1, len(lines)):
        bare = lines[position].strip()
        if bare.startswith(mark) and not bare.strip(mark[0]):
            return position + 1
    return len(lines)


def _heading(lines: Sequence[str], position: int) -> tuple[Block, int] | None:
    line = lines[position]
    if (match := _HEADING.match(line)) is not None and match[2].strip():
        return Block("heading", _unmarked(match[2]), len(match[1])), position + 1
    following = lines[position + 1] if position + 1 < len(lines) else ""
    underline = _UNDERLINE.match(following)
    if underline is not None and _kind(line) == "paragraph" and _UNDERLINE.match(line) is None:
        return Block("heading", line.strip(), 1 if underline[1][0] == "=" else 2), position + 2
    if _CHINESE_HEADING.match(line.strip()) and not following.strip():
        return Block("heading", line.strip(), 2), position + 1
    return None


def _unmarked(text: str) -> str:
    """A heading's text without the signs that may close it."""
    bare = text.rstrip()
    opened = bare.rstrip("#")
    return opened.rstrip() if opened != bare and opened[-1:].isspace() else bare


def _kind(line: str) -> Kind:
    if _ITEM.match(line):
        return "list"
    if _DEFINITION.match(line):
        return "markup"
    bare = line.lstrip()
    return next((kind for start, kind in _STARTS if bare.startswith(start)), "paragraph")


def _run_end(lines: Sequence[str], start: int) -> int:
    """Where a run of text ends: at a blank line, except between the items of a list."""
    kind = _kind(lines[start])
    for position in range(start + 1, len(lines)):
        line = lines[position]
        if not line.strip():
            following = lines[position + 1] if position + 1 < len(lines) else ""
            is_inside = kind == "list" and (_ITEM.match(following) or following.startswith("  "))
            if not (is_inside and following.strip()):
                return position
        elif _interrupts(kind, line):
            return position
    return len(lines)


def _interrupts(kind: Kind, line: str) -> bool:
    """Whether a line begins something new without a blank line before it."""
    if _HEADING.match(line) or (_FENCE.match(line) and not line.startswith(" ")):
        return True
    return kind == "paragraph" and _kind(line) in ("list", "table", "quote")


def plain(text: str) -> str:
    """A piece of text without inline marks, on one line."""
    return " ".join(_SIGNS.sub("", _LINK.sub(r"\1", text)).split())


def sentences(text: str) -> list[str]:
    """The sentences of a paragraph, in Chinese and English. A short line of its own is one, too."""
    lines = _SHORT_LINE.sub("\\1\u2028", text)
    joined = re.sub(
        r"(?<=[\u3000-\u9fff\uff00-\uffef])\n(?=[\u3000-\u9fff\uff00-\uffef])", "", lines
    )
    found: list[str] = []
    for piece in _SENTENCE.split(joined.replace("\n", " ").replace("\u2028", "\n")):
        bare = (piece or "").strip()
        if bare and found and _ABBREVIATION.search(found[-1]):
            found[-1] += f" {bare}"
        elif bare:
            found.append(bare)
    return found
