"""Slugs: a file's name for a title."""

import re
import unicodedata

_NOT_IN_SLUG = re.compile(r"[^\w]+|_+")
_SLUG_LENGTH = 80


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
