"""Sketches: what a text is alike to, in two kilobytes, by its words and by what translation keeps."""

import hashlib
import heapq
import re
import struct
import unicodedata
import zlib
from collections.abc import Iterable
from dataclasses import dataclass

from publisher.prepare.frontmatter_read import split

VERSION = 1
SIZE = 256
MARKS = 64
_HEAD = struct.Struct(">BIIQQHH")

# One ideograph or syllable is a word; so is a run of other letters or digits.
_WORD = re.compile(
    r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]|[^\W_]+"
)
_WIDE = "\u3040"
_NARROW_LENGTH, _WIDE_LENGTH = 14, 4
_URL = re.compile(r"https?://[^\s)>\"'\]]+")
_MARK = re.compile(
    r"\]\(([^)\s]{2,300})|\{/\*\s{0,4}([\w\-]{2,200})\s{0,4}\*/\}|\{#([\w\-]{2,200})\}"
    r"|(https?://[^\s)>\"'\]]{1,300})|\b(?:src|href|to)=\"([^\"\n]{2,300})\"|`([^`\n]{2,80})`"
)


@dataclass(frozen=True, slots=True)
class Sketch:
    """The lowest hashes of a text's shingles and marks, how many there are, and two fingerprints.

    ``words`` is a hash over all words in order. ``numbers``, over the numbers, is a part of the
    stored form that nothing asks for any more.
    """

    version: int
    count: int
    mark_count: int
    words: int
    numbers: int
    lowest: tuple[int, ...]
    lowest_marks: tuple[int, ...]

    def to_bytes(self) -> bytes:
        """The stored form."""
        counts = (self.version, self.count, self.mark_count, self.words, self.numbers)
        head = _HEAD.pack(*counts, len(self.lowest), len(self.lowest_marks))
        values = self.lowest + self.lowest_marks
        return head + struct.pack(f">{len(values)}I", *values)

    @classmethod
    def from_bytes(cls, data: bytes) -> "Sketch":
        """Read the stored form; raises ValueError for another version or damage."""
        try:
            version, count, mark_count, words, numbers, length, marks = _HEAD.unpack_from(data)
            values = struct.unpack_from(f">{length + marks}I", data, _HEAD.size)
        except struct.error as error:
            raise ValueError("damaged sketch") from error
        if version != VERSION or len(data) != _HEAD.size + 4 * len(values):
            raise ValueError(f"sketch of version {version}, not {VERSION}, or damaged")
        lowest, lowest_marks = values[:length], values[length:]
        return cls(version, count, mark_count, words, numbers, lowest, lowest_marks)


def words_of(text: str) -> list[str]:
    """The words of a text in one spelling: no front matter, no signs, no addresses, folded case."""
    body = _URL.sub(" ", _body(text))
    return _WORD.findall(unicodedata.normalize("NFKC", body).casefold())


def marks_of(text: str) -> set[str]:
    """What a translation keeps: targets of links and images, ids of headings, names in code, code."""
    marks: set[str] = set()
    is_code = False
    for line in _body(text).split("\n"):
        bare = "".join(line.split())
        if bare.startswith(("```", "~~~")):
            is_code = not is_code
        elif is_code:
            if len(bare) >= 8 and bare.isascii():
                marks.add(bare[:200])
        else:
            marks |= {found for match in _MARK.finditer(line) if (found := _mark(match))}
    return marks


def _mark(match: re.Match[str]) -> str:
    value = match[match.lastindex or 0].lower().rstrip("/")
    # An id of a heading and a link to it are the same mark.
    return value.rpartition("#")[2] if value.isascii() else ""


def _body(text: str) -> str:
    return split(text.encode(errors="replace")).body.decode()


def shingles_of(words: list[str]) -> set[str]:
    """Windows of characters, one from the start of each word: four ideographs or fourteen letters."""
    line = "".join(words)
    found = set()
    position = 0
    for word in words:
        length = _WIDE_LENGTH if word >= _WIDE else _NARROW_LENGTH
        found.add(line[position : position + length])
        position += len(word)
    # The last windows are cut short by the end; in a longer text they say nothing.
    return found


def sketch(text: str) -> Sketch:
    """The sketch of a text; the same text has the same sketch on every machine."""
    words = words_of(text)
    hashes, marks = _hashes(shingles_of(words)), _hashes(marks_of(text))
    numbers = sorted(word for word in words if any(map(str.isdigit, word)))
    return Sketch(
        VERSION,
        len(hashes),
        len(marks),
        _fingerprint(words),
        _fingerprint(numbers),
        tuple(heapq.nsmallest(SIZE, hashes)),
        tuple(heapq.nsmallest(MARKS, marks)),
    )


def _hashes(pieces: Iterable[str]) -> set[int]:
    # The checksum is even but its order is not; the multiplication (a bijection) mixes it.
    return {zlib.crc32(piece.encode()) * 0x9E3779B1 & 0xFFFFFFFF for piece in pieces}


def _fingerprint(words: list[str]) -> int:
    digest = hashlib.blake2b(" ".join(words).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big")


@dataclass(frozen=True, slots=True)
class Likeness:
    """How alike two sets are: the share of both, the share of the smaller, and how many in common."""

    shared: float
    contained: float
    common: float


def likeness(one: Sketch, other: Sketch) -> Likeness:
    """Of the words, estimated from the sketches; exact for texts of at most ``SIZE`` shingles."""
    return _estimate(one.lowest, other.lowest, one.count, other.count, SIZE)


def mark_likeness(one: Sketch, other: Sketch) -> Likeness:
    """Of the marks, estimated from the sketches; exact for texts of at most ``MARKS`` marks."""
    pair = (one.mark_count, other.mark_count)
    return _estimate(one.lowest_marks, other.lowest_marks, *pair, MARKS)


def _estimate(
    one: tuple[int, ...], other: tuple[int, ...], count: int, other_count: int, size: int
) -> Likeness:
    mine, theirs = set(one), set(other)
    # Beyond the lowest ``size`` of both together a value may be missing in one sketch only.
    union = mine | theirs
    if max(count, other_count) > size:
        union = set(heapq.nsmallest(size, union))
    if not union:
        return Likeness(0.0, 0.0, 0.0)
    shared = len(union & mine & theirs) / len(union)
    common = shared * (count + other_count) / (1 + shared)
    return Likeness(shared, min(1.0, common / max(1, min(count, other_count))), common)


def exact_likeness(one: set[str], other: set[str]) -> Likeness:
    """The same, counted over whole sets."""
    common = len(one & other)
    if not common:
        return Likeness(0.0, 0.0, 0.0)
    return Likeness(common / len(one | other), common / min(len(one), len(other)), common)
