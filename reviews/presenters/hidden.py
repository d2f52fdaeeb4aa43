"""Hidden characters as named pills, so that what is read is what is there."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from publisher.prepare.hidden import MAX_MARKS, HiddenMark, scan_hidden
from reviews.presenters.texts import BOM

MOST_SCANS = 40
_NAME = re.compile(r"(?=[^\W_]*[A-Za-z])[^\W_]+")
"""A word that has Latin letters: in a name, one of another script alone is honest."""
NAMES = {
    "U+061C": gettext_noop("Arabic letter mark"),
    "U+200B": gettext_noop("Zero width space"),
    "U+200C": gettext_noop("Zero width non-joiner"),
    "U+200D": gettext_noop("Zero width joiner"),
    "U+200E": gettext_noop("Left-to-right mark"),
    "U+200F": gettext_noop("Right-to-left mark"),
    "U+2028": gettext_noop("Line separator"),
    "U+2029": gettext_noop("Paragraph separator"),
    "U+202A": gettext_noop("Left-to-right embedding"),
    "U+202B": gettext_noop("Right-to-left embedding"),
    "U+202C": gettext_noop("Pop directional formatting"),
    "U+202D": gettext_noop("Left-to-right override"),
    "U+202E": gettext_noop("Right-to-left override"),
    "U+2060": gettext_noop("Word joiner"),
    "U+2066": gettext_noop("Left-to-right isolate"),
    "U+2067": gettext_noop("Right-to-left isolate"),
    "U+2068": gettext_noop("First strong isolate"),
    "U+2069": gettext_noop("Pop directional isolate"),
    "U+FEFF": gettext_noop("Zero width no-break space"),
}
"""Those that are met in texts."""
KINDS = {
    "bidi": gettext_noop("Mark of the writing direction"),
    "zero_width": gettext_noop("Invisible character"),
    "tag": gettext_noop("Invisible tag"),
    "control": gettext_noop("Control character"),
}
"""For the others, beside the name that Unicode gives them."""


@dataclass(frozen=True, slots=True)
class Segment:
    """A run of text, or one hidden character with its name; ``mark`` is "", "ins", "del" or "hit"."""

    text: str
    mark: str = ""
    codepoint: str = ""
    name: str = ""


def segments(text: str, *, mark: str = "") -> list[Segment]:
    """The text with each hidden character taken out and named; look-alike letters stay, named too."""
    if text.startswith(BOM):  # harmless at the start of a file, and a change like any other
        return [Segment("", mark, "U+FEFF", _("Byte order mark")), *segments(text[1:], mark=mark)]
    found = marks_of(text)
    return list(_split(text, found, mark)) if found else [Segment(text, mark)] if text else []


def segments_of(runs: Sequence[tuple[str, bool]], mark: str) -> list[Segment]:
    """Runs of one line, the changed ones marked; what is hidden is looked for in the whole line.

    A look-alike letter is told by its word, which a mark may cut in two.
    """
    whole = "".join(text for text, _is_changed in runs)
    left = marks_of(whole)[::-1]
    found: list[Segment] = []
    start = 0
    for text, is_changed in runs:
        inside = []
        while left and left[-1].index < start + len(text):
            hidden = left.pop()
            inside.append(replace(hidden, index=hidden.index - start))
        found += _split(text, inside, mark * is_changed)
        start += len(text)
    if whole.startswith(BOM):
        found[0] = replace(found[0], name=_("Byte order mark"))
    return found


def in_name(text: str) -> list[Segment]:
    """A name, title or path, where a word of letters that only look Latin misleads as a host does."""
    if text.isascii():
        return segments(text)
    marks = {mark.index: mark for mark in marks_of(text)}
    for word in _NAME.finditer(text):
        for mark in scan_hidden(f"//{word[0]}"):
            if mark.kind == "homoglyph":
                at = word.start() + mark.index - 2
                marks.setdefault(at, replace(mark, index=at))
    return list(_split(text, [marks[at] for at in sorted(marks)], ""))


def character_name(mark: HiddenMark) -> str:
    """What the character is called, in the reader's language where it has a word for it."""
    if mark.codepoint in NAMES:
        return _(NAMES[mark.codepoint])
    if mark.kind == "control":
        return _(KINDS["control"])
    own = mark.name.capitalize()
    return f"{_(KINDS[mark.kind])}: {own}" if mark.kind in KINDS else own


def marks_of(text: str) -> list[HiddenMark]:
    """All marks of a text; the scan stops at a number of its own, so it is taken up again behind."""
    found = scan_hidden(text)
    seen = found
    for _again in range(MOST_SCANS):
        if len(seen) < MAX_MARKS:
            break
        start = seen[-1].index + 1
        seen = [replace(mark, index=mark.index + start) for mark in scan_hidden(text[start:])]
        found = found + seen
    return found


def spelled(text: str) -> str:
    """The text with each invisible character spelled out, for a place that takes plain text only."""
    pieces = []
    at = 0
    for mark in marks_of(text):
        if mark.kind != "homoglyph":
            pieces += [text[at : mark.index], f"⟦{mark.codepoint}⟧"]
            at = mark.index + 1
    return "".join([*pieces, text[at:]])


def _split(text: str, marks: Iterable[HiddenMark], mark: str) -> Iterable[Segment]:
    at = 0
    for hidden in marks:
        # A look-alike letter is visible: it stays, and its name stands behind it.
        end = hidden.index + (1 if hidden.kind == "homoglyph" else 0)
        if end > at:
            yield Segment(text[at:end], mark)
        yield Segment("", mark, hidden.codepoint, character_name(hidden))
        at = hidden.index + 1
    if at < len(text):
        yield Segment(text[at:], mark)


def escaped(text: str) -> str:
    """JSON in which hidden characters are written as it writes them itself: ``\\u202e``."""
    pieces, at = [], 0
    for mark in marks_of(text):
        if mark.kind != "homoglyph":
            units = text[mark.index].encode("utf-16-be").hex()
            pieces += [
                text[at : mark.index],
                rf"\u{units[:4]}",
                rf"\u{units[4:]}" * bool(units[4:]),
            ]
            at = mark.index + 1
    return "".join([*pieces, text[at:]])


def visible(text: str) -> str:
    """A name or title on one line with hidden characters spelled out."""
    return "".join(
        segment.text or f"[{segment.codepoint}]" for segment in in_name(text.replace("\n", " "))
    )
