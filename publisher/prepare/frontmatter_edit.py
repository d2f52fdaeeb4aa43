"""Front matter as changed: set some keys and leave every other byte alone."""

import datetime
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ruamel.yaml.events import (
    CollectionEndEvent,
    CollectionStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
)

from publisher.domain.front_matter import Value, misfit
from publisher.prepare import values as written
from publisher.prepare.frontmatter_read import (
    Document,
    FrontMatterError,
    parse,
    require_read,
    split,
    yaml_events,
)

_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


@dataclass(frozen=True, slots=True)
class _Edit:
    """Put ``text`` in the place of ``start:end``."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class _Entry:
    """A top-level key: where its name ends, where its value lies, whether that is a plain scalar.

    ``is_block`` marks a value on lines of its own, below the key.
    """

    name: str
    key_end: int
    start: int
    end: int
    is_plain: bool
    is_block: bool


def set_keys(data: bytes, values: Mapping[str, Value]) -> bytes:
    """The document with these top-level keys set; only their lines change.

    A new key goes to the end of the front matter (in TOML: of its first table), and a document
    without front matter gets one. Raises FrontMatterError when it cannot be read, or when the
    result would not read back as exactly the old values with these changed.
    """
    if not values:
        return data
    if (name := misfit(values)) is not None:
        message = f"The value for “{name}” is none that can be written here."
        raise FrontMatterError(1, message, "front_matter_value")
    document = split(data)
    before = parse(document)
    require_read(document)
    try:
        return _with_keys(document, before, values)
    except (LookupError, StopIteration, ValueError) as error:
        # The scan for places is simpler than the languages: where it loses its way, nothing is done.
        raise _unsafe() from error


def _with_keys(
    document: Document, before: Mapping[str, object], values: Mapping[str, Value]
) -> bytes:
    if document.style == "none":
        return _with_new_front_matter(document, values)
    text = document.raw.decode()
    change = _changed_toml if document.style == "toml" else _changed_yaml
    raw = change(text, values, before, document.newline).encode()
    result = document.bom + document.fence_open + raw + document.fence_close + document.body
    _confirm(split(result), document, before, values)
    return result


def _unsafe() -> FrontMatterError:
    message = "This front matter cannot be changed safely by the line."
    return FrontMatterError(1, message, "front_matter_edit")


def _with_new_front_matter(document: Document, values: Mapping[str, Value]) -> bytes:
    lines = [
        "---",
        *(f"{written.key(k)}: {written.render(v)}" for k, v in values.items()),
        "---",
        "",
    ]
    if document.body[:1] not in (b"\n", b"\r", b""):
        lines.append("")
    head = document.newline.join(lines).encode()
    return document.bom + head + document.body


def _confirm(
    after: Document, document: Document, before: Mapping[str, object], values: Mapping[str, Value]
) -> None:
    meant = {**before, **{key: _meant(before.get(key), value) for key, value in values.items()}}
    try:
        is_as_meant = after.body == document.body and dict(parse(after)) == meant
    except FrontMatterError:
        is_as_meant = False
    if not is_as_meant:
        raise _unsafe()


def _meant(old: object, value: Value) -> object:
    return _as_date(value) if _keeps_date(old, value) else value


def _as_date(value: Value) -> datetime.date | None:
    if not isinstance(value, str) or _DAY.fullmatch(value) is None:
        return None
    try:
        return datetime.date.fromisoformat(value)
    except ValueError:
        return None


def _keeps_date(old: object, value: Value) -> bool:
    """A date stays a date: ``date: 2026-01-01`` is not turned into a quoted string."""
    return type(old) is datetime.date and _as_date(value) is not None


def _new_text(entry_is_plain: bool, old: object, value: Value) -> str:
    return str(value) if entry_is_plain and _keeps_date(old, value) else written.render(value)


def _apply(text: str, edits: list[_Edit]) -> str:
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end), reverse=True):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


# --- YAML ----------------------------------------------------------------------------------------


def _changed_yaml(
    text: str, values: Mapping[str, Value], before: Mapping[str, object], newline: str
) -> str:
    entries = {entry.name: entry for entry in _yaml_entries(text)}
    edits: list[_Edit] = []
    for key in values.keys() & entries.keys():
        entry = entries[key]
        new = _new_text(entry.is_plain, before[key], values[key])
        if entry.is_block:
            colon = text.index(":", entry.key_end) + 1
            line_end = _line_end(text, colon)
            edits += [
                _Edit(colon, colon, f" {new}"),
                _Edit(line_end, _line_end(text, entry.end), ""),
            ]
        else:
            space = "" if text[entry.start - 1 : entry.start].isspace() else " "
            edits.append(_Edit(entry.start, entry.end, space + new))
    changed = _apply(text, edits)
    added = [(k, v) for k, v in values.items() if k not in entries]
    if not added:
        return changed
    lines = "".join(f"{written.key(k)}: {written.render(v)}{newline}" for k, v in added)
    gap = "" if not changed or changed.endswith("\n") else newline
    return changed + gap + lines


def _line_end(text: str, position: int) -> int:
    """Where the line of this position ends, before its line break."""
    end = text.find("\n", position)
    end = len(text) if end < 0 else end
    return end - 1 if text[end - 1 : end] == "\r" else end


def _yaml_entries(text: str) -> Iterator[_Entry]:
    events = iter(yaml_events(text))
    root = next((event for event in events if isinstance(event, MappingStartEvent)), None)
    if root is None:
        return
    while not isinstance(key := next(events), MappingEndEvent):
        value = next(events)
        if isinstance(value, ScalarEvent):
            start, end = value.start_mark.index, _trimmed(text, value)
            is_plain, is_block = value.style is None, False
            if start == end:  # nothing written yet: the mark may lie beyond the line
                start = end = text.index(":", key.end_mark.index) + 1
        else:
            start, end = value.start_mark.index, _collection_end(text, value, events)
            is_plain, is_block = False, not value.flow_style
        yield _Entry(getattr(key, "value", ""), key.end_mark.index, start, end, is_plain, is_block)


def _trimmed(text: str, event: Any) -> int:
    """The end of an event; a block scalar claims the line breaks and comments behind it."""
    end = int(event.end_mark.index)
    if getattr(event, "style", None) not in ("|", ">"):
        return end
    start = int(event.start_mark.index)
    lines = text[start:end].split("\n")
    while len(lines) > 1 and (not lines[-1].strip() or re.match(r"#", lines[-1])):
        lines.pop()
    return start + len("\n".join(lines).rstrip("\r"))


def _collection_end(text: str, start: Any, events: Iterator[Any]) -> int:
    """The end of a collection's last value: a block collection itself ends at the next key."""
    depth, end = 1, int(start.end_mark.index)
    while depth:
        event = next(events)
        depth += isinstance(event, CollectionStartEvent) - isinstance(event, CollectionEndEvent)
        if (
            not isinstance(event, CollectionEndEvent)
            or event.end_mark.index > event.start_mark.index
        ):
            end = max(end, _trimmed(text, event))
    return end


# --- TOML ----------------------------------------------------------------------------------------

_TOML_PIECE = re.compile(
    r'"""(?:[^\\]|\\.)*?"""|\'\'\'.*?\'\'\'|'
    r'"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'|#[^\n]*|[\[{]|[\]}]|\n',
    re.DOTALL,
)
_TOML_KEY = re.compile(r"[ \t]*(\"(?:[^\"\\\n]|\\.)*\"|'[^'\n]*'|[A-Za-z0-9_\-]+)[ \t]*=[ \t]*")


def _changed_toml(
    text: str, values: Mapping[str, Value], before: Mapping[str, object], newline: str
) -> str:
    entries, root_end = _toml_entries(text)
    edits = [
        _Edit(
            entries[key].start,
            entries[key].end,
            _new_text(entries[key].is_plain, before[key], values[key]),
        )
        for key in values.keys() & entries.keys()
    ]
    added = [(k, v) for k, v in values.items() if k not in entries]
    if added:
        gap = "" if root_end == 0 or text[root_end - 1] == "\n" else newline
        lines = "".join(f"{written.key(k)} = {written.render(v)}{newline}" for k, v in added)
        edits.append(_Edit(root_end, root_end, gap + lines))
    return _apply(text, edits)


def _toml_entries(text: str) -> tuple[dict[str, _Entry], int]:
    """The keys before the first table, and where a further one belongs."""
    entries: dict[str, _Entry] = {}
    position = root_end = 0
    while position < len(text):
        if re.compile(r"[ \t]*\[").match(text, position):
            break
        key = _TOML_KEY.match(text, position)
        end = _toml_value_end(text, key.end() if key else position)
        if key is not None:
            value_end = key.end() + len(text[key.end() : end].rstrip())
            name = next(iter(tomllib.loads(f"{key[1]} = 0")))
            is_plain = text[key.end()] not in "\"'[{"
            entries[name] = _Entry(name, key.end(1), key.end(), value_end, is_plain, False)
        line = text.find("\n", end)
        position = len(text) if line < 0 else line + 1
        if key is not None or text[end : end + 1] == "":
            root_end = position
    return entries, root_end


def _toml_value_end(text: str, position: int) -> int:
    """Where a value (or a line without one) ends: at a comment or line break outside brackets."""
    depth = 0
    while (piece := _TOML_PIECE.search(text, position)) is not None:
        first = piece[0][0]
        depth += (first in "[{") - (first in "]}")
        if first in "#\n" and depth <= 0:
            return piece.start()
        position = piece.end()
    return len(text)
