"""What in a document MDX would take for code or for a tag, found without running anything; linear."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_TOKEN = re.compile(
    r"(?P<fence>^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(?P<mark>`{3,}+|~{3,}+)(?![^\n]*`))"
    r"|(?P<ticks>`+)|\\(?P<escaped>.)|(?P<esm>^(?:import|export)\b(?=[ \t{*]))|(?P<brace>\{)|(?P<less><)",
    re.MULTILINE,
)
_IN_BRACES = re.compile(
    r"[{}]|\\[\"'`]|//[^\n]*|/\*|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*+`"
)
_IN_TAG = re.compile(
    r"\s*+(?:(?P<close>/?\s*+>)|(?=\{\s*+\.\.\.)(?P<spread>\{)"
    r"|(?:[^\W\d]|\$)[\w$.:\-]*+(?:\s*+=\s*+(?:\"[^\"]*+\"|'[^']*+'|(?P<value>\{)))?)"
)
_TAG = re.compile(r"</?(?P<name>(?:[^\W\d]|[$_])[\w$.:\-]*)?")
_AUTOLINK = re.compile(r"<((?:https?|ftp|mailto):[^\s<>]+|[\w.+\-]+@[\w.\-]+\.\w+)>")
_LITERAL = re.compile(
    r"(?:-?[\d.]+|true|false|null|undefined|\"(?:[^\"\\]|\\[nrt\"\\])*\"|'(?:[^'\\]|\\[nrt'\\])*'|`[^`$\\]*`)?"
)
_COMMENTS = re.compile(r"(?:\s*/\*(?:(?!\*/).)*\*/)+\s*", re.DOTALL)
_CODE = re.compile(r"\{(?=(?P<inner>[^{}\n]*+)\}|)|^(?:import|export)\b", re.MULTILINE)
_BEFORE_A_TAG = re.compile(r"[ \t>]*(?:(?:[-*+]|1[.)])[ \t]+)*(?:<[^<>\n]+>[ \t]*)*")
_BLANK_LINE = re.compile(r"\n[ \t]*(?:\n|\Z)")
_VOID = frozenset(
    ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr")
)
_LONGEST_TICKS = 64

FENCE_IT = "Put code into a fence; begin a plain sentence with another word."


@dataclass(frozen=True, slots=True)
class Place:
    """One such thing: ``text[start:end]``, the rule, and what to write instead."""

    start: int
    end: int
    rule: str
    message: str
    advice: str
    instead: str
    is_blocking: bool = True


def scan(text: str) -> Iterator[Place]:
    """The places in order; code spans and fences, tags and harmless expressions are passed over."""
    return (place for _, _, place in _walk(text) if place is not None)


def doubted(text: str) -> str:
    """The text, spoiled wherever code would begin in what the scan takes for plain.

    In code spans, fences and paragraphs this changes no structure; a parser that takes such a place
    for code, because they ended earlier than the scan can know, cannot compile it.
    """
    pieces, kept = [], 0
    for start, end, place in _walk(text):
        if place is None and text[start] not in "{<\\":
            pieces += [text[kept:start], _CODE.sub(_spoiled, text[start:end])]
            kept = end
    return "".join(pieces) + text[kept:]


def _spoiled(code: re.Match[str]) -> str:
    inner = code["inner"]
    return code[0] if inner is not None and _is_harmless(inner) else f"{code[0]} )"


def _walk(text: str) -> Iterator[tuple[int, int, Place | None]]:
    """Each token's start, where to go on behind it, and the place that it is, if any."""
    ticks = _Ticks(text)
    position = 0
    while position >= 0 and (token := _TOKEN.search(text, position)) is not None:
        position, place = _step(text, token, ticks)
        yield token.start(), position, place


def _step(text: str, token: re.Match[str], ticks: "_Ticks") -> tuple[int, Place | None]:
    """Where to go on (-1: nowhere, since nothing behind can be told), and what stands here."""
    start, after = token.span()
    if token["fence"] is not None:
        return _fence_end(text, token), None
    if token["ticks"]:
        return ticks.end(start, after), None
    if token["esm"]:
        line_before = text[text.rfind("\n", 0, max(start - 1, 0)) + 1 : start]
        if line_before.strip(" \t\n"):
            return after, None  # most likely a paragraph goes on: only the parser can tell
        place = _esm(text, start)
        return place.end, place
    if token["brace"]:
        end = _brace_end(text, start)
        return (-1, _unclosed(start)) if end < 0 else (end, _expression(text, start, end))
    return _less_than(text, start) if token["less"] else (after, None)


class _Ticks:
    """Ends of code spans; remembers which lengths have no partner in the present paragraph."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._paragraph_end = -1
        self._alone: set[int] = set()

    def end(self, start: int, after: int) -> int:
        if after > self._paragraph_end:
            blank = _BLANK_LINE.search(self._text, after)
            self._paragraph_end = blank.start() if blank else len(self._text)
            self._alone = set()
        length = after - start
        if length > _LONGEST_TICKS or length in self._alone:
            return after
        partner = re.compile(f"(?<!`)`{{{length}}}(?!`)").search(
            self._text, after, self._paragraph_end
        )
        if partner is None:
            self._alone.add(length)
            return after
        return partner.end()


def _fence_end(text: str, token: re.Match[str]) -> int:
    mark = token["mark"]
    closing = re.compile(rf"^[ \t>]*{re.escape(mark)}{re.escape(mark[0])}*[ \t\r]*$", re.MULTILINE)
    line_end = text.find("\n", token.end())
    found = closing.search(text, line_end + 1) if line_end >= 0 else None
    return found.end() if found else len(text)


def _brace_end(text: str, start: int) -> int:
    """Behind the closing brace of an expression, -1 when there is none."""
    depth, position = 0, start
    while (piece := _IN_BRACES.search(text, position)) is not None:
        position = piece.end()
        if piece[0] == "/*":
            comment = text.find("*/", position)
            if comment < 0:
                return -1
            position = comment + 2
        depth += (piece[0] == "{") - (piece[0] == "}")
        if depth == 0:
            return position
    return -1


def _is_harmless(inner: str) -> bool:
    return (_COMMENTS.fullmatch(inner) or _LITERAL.fullmatch(inner.strip())) is not None


def _expression(text: str, start: int, end: int) -> Place | None:
    inner = text[start + 1 : end - 1]
    if _is_harmless(inner):
        return None
    instead = re.sub(r"(?<!\\)([{}])", r"\\\1", text[start:end])
    shown = short(text[start:end])
    return Place(
        start,
        end,
        "mdx_expression",
        f"“{shown}” would run as code.",
        f"For plain braces write {short(instead)}, or put the text into `code`.",
        instead,
    )


def _esm(text: str, start: int) -> Place:
    blank = _BLANK_LINE.search(text, start)
    end = blank.start() if blank else len(text)
    line = short(text[start:end].split("\n", 1)[0])
    return Place(
        start,
        end,
        "mdx_esm",
        f"“{line}” would run as code of the site.",
        FENCE_IT,
        "`" + text[start:end].replace("`", "'") + "`",
    )


def _unclosed(start: int) -> Place:
    advice = "Close it, or write \\{ for a plain brace."
    return Place(start, start + 1, "mdx_syntax", "This brace is never closed.", advice, "\\{")


def _less_than(text: str, start: int) -> tuple[int, Place | None]:
    """Where to go on, and what stands at this ``<``."""
    if text.startswith("<!--", start):
        return _html_comment(text, start)
    if (link := _AUTOLINK.match(text, start)) is not None:
        target = link[1] if ":" in link[1] else f"mailto:{link[1]}"
        instead = f"[{link[1]}]({target})"
        message = f"“{short(link[0])}” is not a link in MDX."
        place = Place(
            start, link.end(), "mdx_autolink", message, f"Write {short(instead)}.", instead
        )
        return link.end(), place
    following = text[start + 1 : start + 2]
    tag = _TAG.match(text, start)
    if tag is not None and (tag["name"] or text[tag.end() : tag.end() + 1] == ">"):
        return _tag(text, start, tag)
    is_blocking = not (following == "" or following.isspace())
    instead = "\\<" if is_blocking else "&lt;"
    message = f"“<{following.strip()}” may be taken for the start of a tag."
    place = Place(
        start,
        start + 1,
        "mdx_less_than",
        message,
        f"Write {instead} instead of <.",
        instead,
        is_blocking,
    )
    return start + 1, place


def _html_comment(text: str, start: int) -> tuple[int, Place]:
    end = text.find("-->", start + 4)
    end = (len(text) if end < 0 else end) + (3 if end >= 0 else 0)
    inner = text[start + 4 : end].removesuffix("-->").replace("*/", "* /")
    instead = "{/*" + inner + "*/}"
    message = f"“{short(text[start:end])}” is not a comment in MDX."
    return end, Place(start, end, "mdx_comment", message, f"Write {short(instead)}.", instead)


def _tag(text: str, start: int, tag: re.Match[str]) -> tuple[int, Place | None]:
    """A tag is passed over with its attributes, whatever their expressions say.

    What is none by its grammar is plain text for the parser now and then, and so is a tag in the
    middle of a line that goes on below, where its paragraph may have ended: they are scanned.
    """
    position = tag.end()
    while (piece := _IN_TAG.match(text, position)) is not None:
        position = piece.end()
        if piece["close"]:
            if "\n" in text[start:position] and not _begins_its_line(text, start):
                break
            return position, _void(text, start, position, tag["name"] or "")
        if piece["spread"] or piece["value"]:
            position = _brace_end(text, position - 1)
            if position < 0:
                return -1, _unclosed(piece.end() - 1)
    return tag.end(), None


def _begins_its_line(text: str, start: int) -> bool:
    line = text.rfind("\n", 0, start) + 1
    return _BEFORE_A_TAG.fullmatch(text, line, start) is not None


def _void(text: str, start: int, end: int, name: str) -> Place | None:
    if name.lower() not in _VOID or text[end - 2] == "/" or text[start + 1] == "/":
        return None
    instead = text[start : end - 1].rstrip() + " />"
    message = f"“{short(text[start:end])}” needs a closing slash in MDX."
    return Place(start, end, "mdx_void", message, f"Write {short(instead)}.", instead)


def short(text: str) -> str:
    """A piece of text that fits into a sentence."""
    one_line = " ".join(text[:200].split())
    return one_line if len(one_line) <= 60 else one_line[:59] + "…"
