"""The article index: what the duplicate judge and the fonts know of each existing article."""

import html
import re
import sys
from typing import Any

from publisher.domain.paths import MAX_PATH_BYTES, place_key
from publisher.domain.secrets import scrub_line
from publisher.models import Article, Site
from publisher.prepare.dedup import Candidate, Evidence, Verdict
from publisher.prepare.frontmatter import FrontMatterError, parse, split
from publisher.prepare.sketch import Sketch, sketch
from publisher.prepare.sketch_index import SketchIndex

TITLE_CHARACTERS = 300
MOST_KEY_BYTES = 2000
"""PostgreSQL has no index over longer values; few letters become that many when they are folded."""
_PLAIN = 0x7F
_ESCAPE = re.compile(r"\\(x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8})")
_cache: dict[int, tuple[str, SketchIndex]] = {}


def title_of(data: bytes) -> str:
    """The front matter's title, or the first heading, or "": one line without secrets.

    A title can be written over several lines or in escapes, which hide what reads as a credential.
    """
    return scrub_line(_title_of(data), limit=TITLE_CHARACTERS)


def _title_of(data: bytes) -> str:
    document = split(data)
    try:
        title = parse(document).get("title")
    except (FrontMatterError, UnicodeDecodeError):
        title = None
    if isinstance(title, str) and title.strip():
        return title.strip()
    for line in document.body.decode("utf-8", "replace").splitlines():
        if line.startswith("# "):
            return line[2:].strip()
    return ""


def describe(path: str, data: bytes) -> dict[str, Any]:
    """The columns of one article's row."""
    text = data.decode("utf-8", "replace")
    return {
        "title": title_of(data) or path[:TITLE_CHARACTERS],
        "sketch": sketch(text).to_bytes(),
        "glyphs": letters_of(text),
    }


def letters_of(text: str) -> str:
    """Each letter of a text beyond ASCII once, in order, however it is written.

    References (``&mdash;``) and escapes of front matter (``"\\u4E2D"``) count wherever they stand:
    in code they are read as they are, and one glyph more costs nothing.
    """
    escaped = "".join(_unescaped(found[1]) for found in _ESCAPE.finditer(text))
    letters = {*text, *html.unescape(text), *escaped}
    return "".join(sorted(letter for letter in letters if ord(letter) > _PLAIN))


def _unescaped(digits: str) -> str:
    code = int(digits[1:], 16)
    is_letter = code <= sys.maxunicode and not 0xD800 <= code <= 0xDFFF
    return chr(code) if is_letter else ""


def fits(path: str) -> bool:
    """Whether a row can hold the path. No job may name a longer one, so none is looked for."""
    return len(path.encode()) <= MAX_PATH_BYTES and len(place_key(path)) <= MOST_KEY_BYTES


def candidate(path: str, data: bytes) -> Candidate:
    """An article's bytes as the judge compares them."""
    text = data.decode("utf-8", "replace")
    return Candidate(path, title_of(data) or path, sketch(text), text)


def nearest(site: Site, text: str, *, limit: int = 10) -> list[Article]:
    """The rows of the indexed articles nearest to a text, best first."""
    near = _sketches(site).rank(sketch(text), limit=limit)
    rows = {row.path: row for row in Article.objects.filter(site=site, path__in=near)}
    return [rows[path] for path in near if path in rows]


def _sketches(site: Site) -> SketchIndex:
    """All sketches of a site, kept in memory for as long as the indexed commit and the pattern stay."""
    known = _cache.get(site.pk)
    state = f"{site.indexed_commit} {site.articles}"
    if known is not None and known[0] == state:
        return known[1]
    rows = Article.objects.filter(site=site).values_list("path", "sketch")
    built = SketchIndex({path: Sketch.from_bytes(bytes(data)) for path, data in rows})
    _cache[site.pk] = (state, built)
    return built


def evidence_of(verdict: Verdict) -> dict[str, Any]:
    """A verdict as it is stored and shown. Scores are per mille, since stored facts hold integers."""
    return {
        "kind": verdict.kind,
        "target": verdict.target,
        "score": round(verdict.score * 1000),
        "evidence": [_shown(item) for item in verdict.evidence],
    }


def _shown(item: Evidence) -> dict[str, Any]:
    return {
        "path": item.path,
        "title": item.title,
        "score": round(item.score * 1000),
        "shared_passages": list(item.shared_passages),
    }
