"""Fields: front matter field by field, as it was and as it will be."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from publisher.prepare import frontmatter
from reviews.presenters import marks, said
from reviews.presenters.hidden import Segment, segments, segments_of


@dataclass(frozen=True, slots=True)
class Field:
    """A field that differs; a side without it is None."""

    name: str
    was: list[Segment] | None
    will_be: list[Segment] | None


def table(values: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Front matter as rows of a name and a value."""
    return [(str(name), cell(value)) for name, value in values.items()]


def read(document: frontmatter.Document) -> tuple[list[tuple[str, str]], str]:
    """Its rows, or why there are none to show."""
    if document.style == "none":
        return [], ""
    try:
        return table(frontmatter.parse(document)), ""
    except frontmatter.FrontMatterError as error:
        return [], said.in_words(error.message)


def changed(old: bytes, new: bytes, budget: marks.Budget) -> list[Field]:
    """The fields that differ, those of the new text first; none where one cannot be read."""
    was, will_be = _values(old), _values(new)
    if was is None or will_be is None:
        return []
    names = [*will_be, *(name for name in was if name not in will_be)]
    return [
        _field(name, was, will_be, budget)
        for name in names
        if name not in was or name not in will_be or not _is_same(was[name], will_be[name])
    ]


def cell(value: Any) -> str:
    """A value as people read it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return ", ".join(cell(item) for item in value)
    if isinstance(value, dict):
        return "; ".join(f"{name}: {cell(item)}" for name, item in value.items())
    return "" if value is None else str(value)


def _values(data: bytes) -> dict[str, Any] | None:
    document = frontmatter.split(data)
    if document.style == "none":
        return {}
    try:
        return {str(name): value for name, value in frontmatter.parse(document).items()}
    except frontmatter.FrontMatterError:
        return None


def _is_same(was: Any, will_be: Any) -> bool:
    """Equal, and of one type: a number that became a text reads alike and is not."""
    return repr(was) == repr(will_be)


def _field(
    name: str, was: Mapping[str, Any], will_be: Mapping[str, Any], budget: marks.Budget
) -> Field:
    if name not in was:
        return Field(name, None, segments(cell(will_be[name]), mark="ins"))
    if name not in will_be:
        return Field(name, segments(cell(was[name]), mark="del"), None)
    old, new = cell(was[name]), cell(will_be[name])
    if old == new:
        old, new = f"{old} ({_type(was[name])})", f"{new} ({_type(will_be[name])})"
    found = marks.compare(old, new, budget)
    left, right = found or ([(old, True)], [(new, True)])
    return Field(name, segments_of(left, "del"), segments_of(right, "ins"))


def _type(value: Any) -> str:
    names = {bool: _("yes or no"), str: _("text"), int: _("number"), float: _("number")}
    names |= {list: _("list"), dict: _("fields"), type(None): _("empty")}
    return names.get(type(value), _("date"))
