"""Matches: why a search found a job: the place in its text, the hash that begins so, or a person."""

import re
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from reviews.presenters import hidden
from reviews.presenters.words import Text

BEFORE, AFTER = 60, 160
HASHES: dict[str, Text] = {
    "pk": gettext_lazy("Id"),
    "remote_commit": gettext_lazy("Published commit"),
    "local_commit": gettext_lazy("Commit made here"),
    "binding_hash": gettext_lazy("Hash of what is approved"),
    "manifest_hash": gettext_lazy("Hash of the list of files"),
    "target_sha256": gettext_lazy("Hash of the article before"),
    "source_sha256": gettext_lazy("Hash of the source"),
}
SHORT = 12
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Match:
    """A reason, in words where the text does not speak for itself, and the text with its marks."""

    label: str
    segments: list[hidden.Segment]


def why(job: Any, q: str) -> Match | None:
    """The best reason that can be shown; None where the words are beyond what is kept to be shown."""
    kept = getattr(job, "search_text", None)  # one from before the search may have none yet
    text = kept.text if kept else ""
    if excerpt := _excerpt(text, q):
        return Match("", excerpt)
    for column, label in HASHES.items():
        value = str(getattr(job, column)).removeprefix("sha256:")
        digits = q.lower().removeprefix("sha256:")
        if len(digits) >= 4 and value.startswith(digits):
            rest = value[len(digits) :][: max(0, SHORT - len(digits))]
            return Match(str(label), [hidden.Segment(digits, "hit"), hidden.Segment(rest)])
    if q.casefold() in text.casefold() or len(_WORD.findall(q)) > 1:
        return None
    return Match(_("Changed or approved by"), [hidden.Segment(q, "hit")])


def _excerpt(text: str, q: str) -> list[hidden.Segment]:
    words = sorted(_WORD.findall(q), key=len, reverse=True)
    if not words:
        return []
    sought = re.compile(
        "|".join(rf"{_edge(word)}{re.escape(word)}" for word in words), re.IGNORECASE
    )
    head, _blank, body = text.partition("\n\n")
    inside, found = body, sought.search(body)
    if found is None:
        inside, found = head, sought.search(head)
    if found is None:
        return []
    start, end = max(0, found.start() - BEFORE), found.end() + AFTER
    shown = " ".join(inside[start:end].split())
    before, after = "… " if start else "", " …" if end < len(inside) else ""
    return _marked(f"{before}{shown}{after}", sought)


def _edge(word: str) -> str:
    """A word is found by its beginning; scripts without spaces have none."""
    return r"(?<![^\W_])" if word.isascii() else ""


def _marked(text: str, sought: re.Pattern[str]) -> list[hidden.Segment]:
    segments, last = [], 0
    for match in sought.finditer(text):
        segments += hidden.segments(text[last : match.start()])
        segments += hidden.segments(match[0], mark="hit")
        last = match.end()
    return [*segments, *hidden.segments(text[last:])]
