"""Cutting: a long Markdown text as parts that each render fast, and together as the whole would.

A part ends between two top-level blocks as the parser sees them. A table or a fence that is too
long goes on in the next part under its first lines again; any other block that is too long is a
part of plain text. What is defined in one part (links, notes) is known in all of them.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

PART_WEIGHT = 96 * 1024
"""How much is rendered at once, in characters and what the dear ones weigh."""

DEAR_WEIGHT = 16
"""Rows, cells, tags, code, brackets, quotes and emphasis cost far more than letters do."""

MOST_PARTS = 64
"""What follows so many parts is plain text: even finding where its blocks end would take too long."""

MOST_WINDOWS = 4
"""How many parts' weight is searched for the end of a block that is too long for one."""

_DEAR = re.compile(r"[\n|\[<`>*_~&\"]")
_LINE = re.compile(r"\r\n?|\n")
_HEADS = {"table_open": 2, "fence": 1}
"""How many lines of a block have to stand above the rest of it."""

_LINES = ("heading_open", "hr")
_CLOSED = ("paragraph_open", "table_open", "fence", "markup_block")
"""Blocks that never go on behind their end, as a list does behind a blank line."""

_NOTE = re.compile(r"\[\^([^\]\s]+)\]")
_NAMED = re.compile(rf"{_NOTE.pattern}(?!:)")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")


@dataclass(frozen=True, slots=True)
class Part:
    """A run of the text; ``head`` and ``tail`` are what else the parser has to see to render it."""

    text: str
    head: str = ""
    tail: str = ""
    is_plain: bool = False

    @property
    def source(self) -> str:
        """What is rendered."""
        return f"{self.head}{self.text}{self.tail}"


@dataclass(frozen=True, slots=True)
class Cut:
    """A text in parts, joined it again, and the link targets that all of them know.

    ``leaves_out``: the text holds what no rendered part shows.
    """

    parts: list[Part]
    references: dict[str, Any]
    leaves_out: bool = False


@dataclass(slots=True)
class _Known:
    """What definitions were met so far."""

    references: dict[str, Any] = field(default_factory=dict)
    notes: dict[str, tuple[int, str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Block:
    """A top-level block by its offsets, with what has to stand above it where it goes on."""

    kind: str
    start: int
    end: int
    head: str = ""
    label: str = ""


def cut(body: str, parser: MarkdownIt) -> Cut:
    """The text in parts; a short one is one part."""
    known = _Known()
    parts: list[Part] = []
    for number, part in enumerate(_parts(body, parser)):
        _learn(part, number, parser, known)
        parts.append(part)
    if len(parts) > 1 and known.notes:
        parts = list(_with_notes(parts, known.notes))
    return Cut(parts, known.references)


def reach(body: str, start: int, weight: int = 0) -> int:
    """Where a run that begins here has to end for its weight, by itself that of a part."""
    end = start + (weight or PART_WEIGHT)
    for match in _DEAR.finditer(body, start):
        if match.end() > end - DEAR_WEIGHT:
            break
        end -= DEAR_WEIGHT
    return end


def _parts(body: str, parser: MarkdownIt) -> Iterator[Part]:
    start, head = 0, ""
    for _part in range(MOST_PARTS):
        if reach(head + body[start : start + PART_WEIGHT], 0) >= len(head) + len(body) - start:
            yield Part(body[start:], head)
            return
        end, following = _fitting(body, start, head, parser)
        if end:
            yield Part(body[start:end], head)
        else:
            end, following = _end_of_first(body, start, head, parser), ""
            yield from _plain(body, start, end)
        if end == len(body):
            return
        start, head = end, following
    yield from _plain(body, start, len(body))


def _fitting(body: str, start: int, head: str, parser: MarkdownIt) -> tuple[int, str]:
    """Where the part that begins here ends, and the head of the next; 0 when its block is too long."""
    limit = start + reach(head + body[start : start + PART_WEIGHT], 0) - len(head)
    lines = [match.end() for match in _LINE.finditer(body, start, max(limit, start))]
    blocks = _blocks(head + body[start : lines[-1]], parser) if lines else []
    if not blocks:
        return 0, ""
    last, before = blocks[-1], start - len(head)
    begins = before + last.start
    inside = _inside(last, before, lines)
    # A table stays in one part where that leaves enough before it, and is cut where it does not.
    if body[start:begins].strip() and (not inside or begins - start > (lines[-1] - start) // 2):
        return _with_blank(body, begins), ""
    return (_with_blank(body, inside[0]), inside[1]) if inside else (0, "")


def _inside(last: _Block, before: int, lines: list[int]) -> tuple[int, str] | None:
    """Where the last block of a window is cut if it can go on, and under what it does then."""
    if last.kind in _LINES or (last.kind in _CLOSED and before + last.end < lines[-1]):
        return before + last.end, ""
    if not last.head:
        return None
    # Of its own lines there is at least one on either side, so that no part is a head alone.
    has_room = len(lines) > 1 and before + last.start + len(last.head) < lines[-2]
    if not has_room or reach(last.head, 0, PART_WEIGHT // 4) < len(last.head):
        return None
    return lines[-2], last.head


def _with_blank(body: str, end: int) -> int:
    """The end, or the text's end where only blank lines would be left."""
    return end if body[end : end + PART_WEIGHT].strip() else len(body)


def _end_of_first(body: str, start: int, head: str, parser: MarkdownIt) -> int:
    """Where the block ends that begins here; the text's end when that is too far away."""
    windows = 2
    while windows <= MOST_WINDOWS:
        limit = reach(body, start, windows * PART_WEIGHT)
        lines = [match.end() for match in _LINE.finditer(body, start, limit)]
        end = len(body) if limit >= len(body) else lines[-1] if lines else start
        starts = [block.start - len(head) for block in _blocks(head + body[start:end], parser)]
        found = [start + at for at in starts if at > 0 and body[start : start + at].strip()]
        if found:
            return found[0]
        if limit >= len(body):
            break
        windows *= 2
    return len(body)


def _plain(body: str, start: int, end: int) -> Iterator[Part]:
    """The run as plain text, in parts that end at lines where there are any."""
    while start < end:
        stop = min(reach(body, start), end)
        line = body.rfind("\n", start, stop) + 1
        if stop < end and body[start:line].strip():
            stop = line
        stop = end if not body[stop:end].strip() else stop
        yield Part(body[start:stop], is_plain=True)
        start = stop


def _blocks(text: str, parser: MarkdownIt) -> list[_Block]:
    """The top-level blocks of a text, with the lines under which a table or a fence goes on."""
    tokens: list[Token] = []
    parser.block.parse(as_parsed(text), parser, {}, tokens)
    offsets = [0, *(match.end() for match in _LINE.finditer(text)), len(text)]
    found: list[_Block] = []
    opened: Token | None = None
    for token in tokens:
        if token.level == 0 and token.nesting >= 0:
            opened = token
        if opened is None or not token.map:
            continue
        first, end = token.map
        lines = first + _HEADS.get(opened.type, 0)
        head = text[offsets[first] : offsets[min(lines, len(offsets) - 1)]]
        label = str(opened.meta.get("label", ""))
        last = offsets[min(end, len(offsets) - 1)]
        found.append(_Block(opened.type, offsets[first], last, head, label))
        opened = None
    return found


def as_parsed(text: str) -> str:
    """The text as the parser normalises it before it looks for blocks."""
    return _LINE.sub("\n", text).replace("\0", "\ufffd")


def _learn(part: Part, number: int, parser: MarkdownIt, known: _Known) -> None:
    """Take in what this part defines; of two that define the same the first counts."""
    text = part.source
    if part.is_plain or "]:" not in text:
        return
    env: dict[str, Any] = {"references": known.references}
    parser.block.parse(as_parsed(text), parser, env, [])
    if "footnotes" not in env:
        return
    blocks = _blocks(text, parser)
    ends = [*(block.start for block in blocks[1:]), len(text)]
    for block, end in zip(blocks, ends, strict=False):
        if block.label:
            known.notes.setdefault(block.label, (number, text[block.start : end]))


def _with_notes(parts: list[Part], notes: dict[str, tuple[int, str]]) -> Iterator[Part]:
    """Each part with the notes behind it that it names and does not hold, as far as they fit.

    A note that fits behind none of them is named where it stands, so that it is shown there.
    """
    weights = {label: _weight(note) for label, (_home, note) in notes.items()}
    tails, left = [], {}
    shown: set[str] = set()
    for number, part in enumerate(parts):
        tail, room = "", PART_WEIGHT // 4
        labels = {} if part.is_plain else dict.fromkeys(_NOTE.findall(part.text))
        for label in labels:
            home, note = notes.get(label, (number, ""))
            if home == number:
                continue
            if weights[label] > room:
                left[label] = home
                continue
            tail, room = f"{tail}\n\n{note}", room - weights[label]
            shown.add(label)
        shown |= {label for label in _NAMED.findall(part.text) if _home(notes, label) == number}
        tails.append(tail)
    for label, home in left.items():
        if label not in shown:
            tails[home] += f"\n\n[^{label}]"
    heads = [*(part.head for part in parts[1:]), ""]
    for part, tail, following in zip(parts, tails, heads, strict=True):
        yield Part(part.text, part.head, tail and _closing(following) + tail, part.is_plain)


def _home(notes: dict[str, tuple[int, str]], label: str) -> int:
    return notes[label][0] if label in notes else -1


def _weight(text: str) -> int:
    return len(text) + DEAR_WEIGHT * sum(1 for _match in _DEAR.finditer(text))


def _closing(following: str) -> str:
    """The end of a fence that goes on in the next part: a line of its own, as it is cut at a line."""
    fence = _FENCE.match(following)
    return fence[1] if fence else ""
