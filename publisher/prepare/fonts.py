"""Fonts: a subset with exactly the glyphs in use, byte for byte the same for the same input."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from importlib.metadata import version
from io import BytesIO
from typing import Any

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont

_OPTIONS: Mapping[str, Any] = {
    "flavor": "woff2",
    "layout_features": ["*"],
    "hinting": False,
    # Names of the family and its licence: the licence asks for them.
    "name_IDs": [0, 1, 2, 3, 4, 5, 6, 13, 14],
    "notdef_outline": True,
    "recalc_timestamp": False,
}


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


def missing(font: bytes, codepoints: Iterable[int], *, number: int = 0) -> list[int]:
    """Those of the code points that the font has no glyph for, in order."""
    with _opened(font, number) as opened:
        present = opened.getBestCmap() or {}
    return sorted(code for code in set(codepoints) if code not in present)


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


def _opened(font: bytes, number: int) -> Any:
    return TTFont(BytesIO(font), fontNumber=number, recalcTimestamp=False, lazy=True)
