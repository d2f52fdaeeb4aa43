"""Fonts: a subset with exactly the glyphs in use, byte for byte the same for the same input."""

import hashlib
import json
import struct
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import version
from io import BytesIO
from pathlib import Path
from typing import Any

import brotli
from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont, TTLibError

from publisher.domain.errors import RepositoryError

_OPTIONS: Mapping[str, Any] = {
    "flavor": "woff2",
    "layout_features": ["*"],
    "hinting": False,
    # Names of the family and its licence: the licence asks for them.
    "name_IDs": [0, 1, 2, 3, 4, 5, 6, 13, 14],
    "notdef_outline": True,
    "recalc_timestamp": False,
}


_BROKEN = (
    TTLibError, Subsetter.SubsettingError, struct.error, zlib.error, brotli.error,
    AssertionError, AttributeError, IndexError, KeyError, TypeError, ValueError,
)  # fmt: skip
"""How fontTools says that the bytes are no sound font."""


def glyphs(text: str) -> frozenset[int]:
    """The code points that a text needs glyphs for; line breaks, controls and surrogates need none."""
    return frozenset(code for code in map(ord, set(text)) if _needs_glyph(code))


def _needs_glyph(code: int) -> bool:
    is_control = code < 0x20 or 0x7F <= code < 0xA0
    return not (is_control or 0xD800 <= code <= 0xDFFF or code == 0xFEFF)


def subset(font: bytes, codepoints: Iterable[int], *, number: int = 0) -> bytes:
    """The font (in a collection: its ``number``-th) as WOFF2 with these code points only.

    Takes seconds for thousands of ideographs, so it belongs in a worker and behind a cache.
    """
    with _opened(font, number) as opened:
        subsetter = Subsetter(Options(**_OPTIONS))
        subsetter.populate(unicodes=sorted(set(codepoints)))
        subsetter.subset(opened)
        opened.flavor = "woff2"
        made = BytesIO()
        opened.save(made)
    return made.getvalue()


def drawn(font: bytes, *, number: int = 0) -> frozenset[int]:
    """The code points that a font has glyphs for."""
    with _opened(font, number) as opened:
        return frozenset(opened.getBestCmap() or {})


def missing(font: bytes, codepoints: Iterable[int], *, number: int = 0) -> list[int]:
    """Those of the code points that the font has no glyph for, in order."""
    return sorted(set(codepoints) - drawn(font, number=number))


def config_hash(font_sha256: str) -> str:
    """What, besides the code points, decides the bytes: the font, the tools and the options."""
    config = {
        "font": font_sha256,
        "fonttools": version("fonttools"),
        "brotli": version("brotli"),
        "options": dict(_OPTIONS),
    }
    text = json.dumps(config, sort_keys=True, separators=(",", ":"))
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


class FontUnusable(RepositoryError):
    """The font file of a site cannot be read, or is no font that can be cut."""

    code = "font_unusable"


@dataclass(frozen=True)
class Source:
    """A site's font file as it is now, and what it can draw."""

    data: bytes
    config: str
    drawn: frozenset[int]

    def subset(self, codepoints: frozenset[int]) -> bytes:
        """A cut of those code points that the font can draw; the last few are remembered."""
        return _cut(self, codepoints & self.drawn)

    def __hash__(self) -> int:
        return hash(self.config)


def source(path: str) -> Source:
    """Read a site's font file. Raises FontUnusable."""
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise FontUnusable(
            f"The font file of the site cannot be read ({error.strerror})."
        ) from None
    return _known(data)


@lru_cache(maxsize=2)
def _known(data: bytes) -> Source:
    return Source(data, config_hash("sha256:" + hashlib.sha256(data).hexdigest()), drawn(data))


@lru_cache(maxsize=4)
def _cut(font: Source, codepoints: frozenset[int]) -> bytes:
    return subset(font.data, codepoints)


@contextmanager
def _opened(font: bytes, number: int) -> Iterator[Any]:
    """The font for reading and cutting; what fontTools trips over in it is told in words."""
    try:
        with TTFont(BytesIO(font), fontNumber=number, recalcTimestamp=False, lazy=True) as opened:
            yield opened
    except _BROKEN as error:
        kind = type(error).__name__
        raise FontUnusable(f"The font file of the site is damaged ({kind}).") from error
