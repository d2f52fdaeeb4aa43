"""The article: what a provider answered, written as a file with front matter and a name."""

import re
import unicodedata
from typing import Literal

from publisher.ports import DraftResult
from publisher.prepare import values

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_NOT_IN_SLUG = re.compile(r"[^\w]+|_+")
_SLUG_LENGTH = 80


def render_article(
    result: DraftResult, *, front_matter_style: Literal["yaml", "toml"] = "yaml", date: str
) -> bytes:
    """The article's bytes: front matter with title, date, summary and tags, then the body.

    ``date`` is an ISO day (written as a date) or any other text (written as a string).
    """
    fence, sign = ("+++", " = ") if front_matter_style == "toml" else ("---", ": ")
    fields = {
        "title": values.quote(result.title),
        "date": date if _DAY.fullmatch(date) else values.quote(date),
        "summary": values.quote(result.summary),
        "tags": values.render(list(result.tags)),
    }
    lines = [fence, *(f"{name}{sign}{value}" for name, value in fields.items()), fence, "", ""]
    return ("\n".join(lines) + result.body).encode()


def slug(title: str) -> str:
    """A file name (without ending) for a title: lower case, hyphens, no Latin accents.

    Letters of other scripts stay real characters. Never empty, at most 80 characters and
    180 bytes, so that a name with an ending stays below the limits of paths.
    """
    decomposed = unicodedata.normalize("NFKD", title)
    latin = re.sub(r"(?<=[A-Za-z])[\u0300-\u036f]+", "", decomposed)
    words = _NOT_IN_SLUG.sub("-", unicodedata.normalize("NFC", latin).lower())
    cut = words.strip("-")[:_SLUG_LENGTH].encode()[:180].decode(errors="ignore")
    return cut.strip("-") or "article"
