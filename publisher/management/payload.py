"""Payloads: what a command reads from files: sources, and the folders of ``submit --payload``."""

import sys
from pathlib import Path
from typing import Any

from publisher.domain import documents
from publisher.domain.errors import InvalidInput
from publisher.domain.paths import shown
from publisher.ports import Source
from publisher.services.submit import Asset
from publisher.services.texts import check_readable

KEYS = {
    "action", "target_path", "title", "topic", "summary", "body_file", "set_front_matter",
    "assets", "idempotency_key",
}  # fmt: skip


def read_payload(folder: Path) -> dict[str, Any]:
    """The fields of a submit request; InvalidInput names the key that is unknown or no such value."""
    document = _document(folder)
    text = {name: _text(document, name) for name in KEYS - {"assets", "set_front_matter"}}
    if text["idempotency_key"] is not None and not text["idempotency_key"].strip():
        raise InvalidInput("idempotency_key", "The idempotency_key is empty. Name one, or none.")
    front_matter = document.get("set_front_matter")
    if front_matter is not None and not isinstance(front_matter, dict):
        raise InvalidInput("set_front_matter", "The set_front_matter must be one object.")
    assets = document.get("assets", [])
    if not isinstance(assets, list):
        raise InvalidInput("assets", "The assets must be a list.")
    fields: dict[str, Any] = {
        "action": text["action"],
        "target_path": text["target_path"],
        "set_front_matter": front_matter,
        "key": text["idempotency_key"],
        "assets": tuple(_asset(folder, item) for item in assets),
    }
    for name in ("title", "topic", "summary"):
        fields[name] = text[name] or ""
    if body := text["body_file"]:
        fields["content"] = _read_inside(folder, body, field="body_file")
    return fields


def _document(folder: Path) -> dict[str, Any]:
    if not (folder / "submit.json").exists():
        raise InvalidInput("payload", f"There is no submit.json in {folder}.")
    try:
        text = _read_inside(folder, "submit.json", field="payload").decode("utf-8")
        document = documents.parse(text, name="submit.json")
    except (ValueError, RecursionError) as error:
        raise InvalidInput("payload", f"submit.json is not readable JSON: {error}.") from None
    if not isinstance(document, dict):
        raise InvalidInput("payload", "submit.json must be one object.")
    unknown = sorted(set(document) - KEYS)
    if unknown:
        raise InvalidInput(unknown[0], f"submit.json has unknown keys: {', '.join(unknown)}.")
    return document


def _text(document: dict[str, Any], name: str) -> str | None:
    value = document.get(name)
    if value is None:
        return None
    if not isinstance(value, str):
        raise InvalidInput(name, f"The {name} must be a text.")
    if name != "target_path":  # a path is judged by more than that, where all paths are
        check_readable(value, field=name)
    return value


def _asset(folder: Path, item: Any) -> Asset:
    if not isinstance(item, dict) or set(item) != {"path", "file"}:
        raise InvalidInput("assets", "Each asset has a path and a file.")
    if not all(isinstance(value, str) for value in item.values()):
        raise InvalidInput("assets", "The path and the file of an asset must be texts.")
    check_readable(item["file"], field="assets")
    return Asset(item["path"], _read_inside(folder, item["file"], field="assets"))


def _read_inside(folder: Path, name: str, *, field: str) -> bytes:
    """A file of the payload's folder; InvalidInput for one elsewhere, by whatever way it is named."""
    try:
        path = (folder / name).resolve()
        is_inside = path.is_relative_to(folder.resolve())
    except (OSError, RuntimeError) as error:  # links in a circle are the one or the other
        raise InvalidInput(field, f"{shown(name)} cannot be read: {error}.") from None
    if not is_inside:
        raise InvalidInput(
            field,
            f"{shown(name)} lies outside of the payload's folder. Put the file into the folder, "
            "and name it from there.",
        )
    return read_file(path, field=field)


def read_file(path: Path, *, field: str) -> bytes:
    """A file's bytes; InvalidInput with the field when it cannot be read."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise InvalidInput(field, f"{path} cannot be read: {error.strerror}.") from None


def read_source(text: str) -> Source:
    """One piece of material from ``FILE``, ``ID=FILE`` or ``-`` for what is piped in."""
    name, equals, path = text.partition("=")
    if not equals:
        name, path = ("stdin" if text == "-" else Path(text).name), text
    data = sys.stdin.buffer.read() if path == "-" else read_file(Path(path), field="source")
    try:
        return Source(name, data.decode("utf-8"))
    except UnicodeDecodeError:
        raise InvalidInput("source", f"{path} is not UTF-8 text.") from None
