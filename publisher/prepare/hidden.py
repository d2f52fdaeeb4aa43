"""Text that reads differently than it is: invisible characters, and hosts that only look familiar."""

import itertools
import re
import sys
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from html.entities import html5
from typing import Literal

from publisher.domain.findings import Finding, Severity

MAX_MARKS = 500
Kind = Literal["bidi", "zero_width", "tag", "control", "homoglyph"]
_Found = tuple[int, str, Kind]

_HIDDEN = re.compile(
    "(?P<bidi>[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069])"
    "|(?P<zero_width>[\u034f\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200d\u2028\u2029\u2060-\u2065"
    "\u206a-\u206f\u3164\ufeff\uffa0\U000e0100-\U000e01ef])"
    "|(?P<tag>[\U000e0000-\U000e007f])"
    "|(?P<control>[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f])"
)
_ZWNJ, _ZWJ = "\u200c", "\u200d"
_FLAG = re.compile("\U0001f3f4[\U000e0020-\U000e007e]{1,12}\U000e007f")
# Scripts whose letters join: Arabic and its neighbours, and the Indic family up to Mongolian.
_JOINING = re.compile("[\u0600-\u08ff\u0900-\u109f\u1780-\u18af\ufb50-\ufdff\ufe70-\ufefc]")
_EMOJI = re.compile("[\u00a9\u00ae\u203c-\u3299\ufe0f\U0001f000-\U0001faff]")
_HOST = re.compile(
    r"(?:https?:)?//(?:[^\s/?#@\"'<>()\[\]]{0,200}@)?([^\s/?#:@\"'<>()\[\]]{1,253})", re.IGNORECASE
)
_REFERENCE = re.compile(
    r"&(?:#(?:[xX]0*(?P<hex>[0-9a-fA-F]{1,6})|0*(?P<decimal>[0-9]{1,7}));?"
    r"|(?P<name>[A-Za-z][A-Za-z0-9]{1,31};))"
)
_LOOKALIKES = ("CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "COPTIC")
# Letters of other scripts that pass for Latin ones: a label made of nothing else is no word.
_PASS_FOR_LATIN = frozenset("аеорсухіјѕһԁԛԝӏɡαοινρτυχкмнтвзбьгпшщѵ") - frozenset("бгзпшщ")


@dataclass(frozen=True, slots=True)
class HiddenMark:
    """One such character; ``line`` and ``column`` from 1, ``codepoint`` as ``U+202E``."""

    index: int
    line: int
    column: int
    codepoint: str
    name: str
    kind: Kind


def scan_hidden(text: str) -> list[HiddenMark]:
    """The first ``MAX_MARKS`` marks in order. Plain text of any script has none.

    Joiners inside emoji and between letters of joining scripts are left out, as are the tags of
    flags.
    """
    return _placed(text, _found(text))


def check(path: str, text: str) -> list[Finding]:
    """A warning for each mark, also for what a character reference (``&#x202E;``) stands for.

    A byte order mark at the very beginning is told elsewhere.
    """
    found = _found(_REFERENCE.sub(_character, text))
    if text.startswith("\ufeff"):
        found = found[1:]
    return [_finding(path, mark) for mark in _placed(text, _in_source(text, found))]


def _found(text: str) -> list[_Found]:
    found = sorted([*itertools.islice(_hidden(text), MAX_MARKS), *_hosts(text)])[:MAX_MARKS]
    return [(index, text[index], kind) for index, kind in found]


def _placed(text: str, found: Iterable[_Found]) -> list[HiddenMark]:
    marks = []
    line, counted = 1, 0
    for index, char, kind in found:
        line += text.count("\n", counted, index)
        counted = index
        column = index - text.rfind("\n", 0, index)
        marks.append(HiddenMark(index, line, column, *_named(char), kind))
    return marks


def _character(reference: re.Match[str]) -> str:
    if reference["name"]:
        return html5.get(reference["name"], reference[0])
    code = int(reference["hex"], 16) if reference["hex"] else int(reference["decimal"])
    return chr(code) if code <= sys.maxunicode else reference[0]


def _in_source(text: str, found: Iterable[_Found]) -> Iterator[_Found]:
    """What was found with references resolved, at the places where it or its reference stands."""
    references = _REFERENCE.finditer(text)
    following = next(references, None)
    longer = 0
    for index, char, kind in found:
        while following and following.start() + len(_character(following)) <= index + longer:
            longer += len(following[0]) - len(_character(following))
            following = next(references, None)
        yield index + longer, char, kind


def _named(char: str) -> tuple[str, str]:
    return f"U+{ord(char):04X}", unicodedata.name(char, "control character")


def _hidden(text: str) -> Iterator[tuple[int, Kind]]:
    flags = {match.start(): match.end() for match in _FLAG.finditer(text)}
    flag_end = 0
    for match in _HIDDEN.finditer(text):
        index = match.start()
        if match["tag"]:
            # A flag's first tag stands right behind the black flag.
            flag_end = max(flag_end, flags.get(index - 1, 0))
            if index < flag_end:
                continue
        if match["zero_width"] and _joins(text, index):
            continue
        kinds: tuple[Kind, ...] = ("bidi", "zero_width", "tag", "control")
        yield index, next(kind for kind in kinds if match[kind])


def _joins(text: str, index: int) -> bool:
    """Whether a joiner stands where its script or an emoji needs it."""
    before, after = text[index - 1 : index], text[index + 1 : index + 2]
    if text[index] == _ZWJ and _EMOJI.match(before) and _EMOJI.match(after):
        return True
    return text[index] in (_ZWJ, _ZWNJ) and _JOINING.match(before) is not None


def _hosts(text: str) -> Iterator[tuple[int, Kind]]:
    for match in itertools.islice(_HOST.finditer(text), 100_000):
        if match[1].isascii() and "xn--" not in match[1].lower():
            continue
        position = match.start(1)
        for label in match[1].split("."):
            odd = _odd_letter(label)
            if odd is not None:
                yield position + odd, "homoglyph"
                break
            position += len(label) + 1


def _odd_letter(label: str) -> int | None:
    """Where a label's first letter stands that passes for a Latin one; None for honest labels."""
    if label.lower().startswith("xn--"):
        return 0 if _odd_letter(_decoded(label)) is not None else None
    scripts = [unicodedata.name(char, "").split(" ")[0] for char in label]
    foreign = [position for position, script in enumerate(scripts) if script in _LOOKALIKES]
    if not foreign:
        return None
    is_mixed = "LATIN" in scripts or len({scripts[position] for position in foreign}) > 1
    passes = all(label[position].lower() in _PASS_FOR_LATIN for position in foreign)
    return foreign[0] if is_mixed or passes else None


def _decoded(label: str) -> str:
    try:
        return label[4:].encode("ascii").decode("punycode")
    except UnicodeError:
        return ""


def _finding(path: str, mark: HiddenMark) -> Finding:
    if mark.kind == "homoglyph":
        rule, message = (
            "misleading_link",
            f"This host holds {mark.codepoint} ({mark.name}), which looks Latin.",
        )
        advice = "Check where the link leads; type the host anew."
    else:
        rule, message = "hidden_character", f"{mark.codepoint} ({mark.name}) is invisible here."
        advice = "Delete it, unless the text needs it: it can hide or reorder what is read."
    return Finding(Severity.WARN, path, mark.line, rule, message, advice, mark.column)
