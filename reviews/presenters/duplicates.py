"""Duplicates: what the judge said about existing articles, and on what evidence."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

MOST = 5


@dataclass(frozen=True, slots=True)
class Alike:
    """One existing article that shares text; ``percent`` is how much of it."""

    path: str
    title: str
    percent: int
    passages: list[str]


@dataclass(frozen=True, slots=True)
class DuplicateView:
    """The verdict in words, with the evidence."""

    sentence: str
    alike: list[Alike]


def present(verdict: Mapping[str, Any], *, arrived: bool = False) -> DuplicateView | None:
    """The view of a stored verdict; None where nothing was judged.

    ``arrived`` is for what was judged last, on articles that came after it was prepared.
    """
    if not verdict.get("kind"):
        return None
    values = {"path": verdict.get("target") or ""}
    sentences = {
        "NEW": _("No existing article says the same."),
        "UPDATE": _("It is a new version of %(path)s.") % values,
        "SKIP": _("%(path)s says the same already.") % values,
    }
    if arrived:
        sentences["SKIP"] = _("%(path)s arrived meanwhile and says the same.") % values
    alike = [
        Alike(
            str(item.get("path", "")),
            str(item.get("title", "")),
            round(item.get("score", 0) / 10),
            [str(passage) for passage in item.get("shared_passages", [])],
        )
        for item in verdict.get("evidence") or []
        if isinstance(item, Mapping)
    ]
    return DuplicateView(sentences.get(verdict["kind"], str(verdict["kind"])), alike[:MOST])
