"""Payloads: what a command reads from files: sources, and the folders of ``submit --payload``."""

import json
import sys
from pathlib import Path
from typing import Any

from publisher.domain.errors import InvalidInput
from publisher.ports import Source
from publisher.services.submit import Asset

KEYS = {
    "action", "target_path", "title", "topic", "summary", "body_file", "set_front_matter",
    "assets", "idempotency_key",
}  # fmt: skip


def read_payload(folder: Path) -> dict[str, Any]:
    """The fields of a submit request; InvalidInput for an unknown key or a missing file."""
    path = folder / "submit.json"
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InvalidInput("payload", f"There is no submit.json in {folder}.") from None
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise InvalidInput("payload", f"submit.json is not readable JSON: {error}.") from None
    if not isinstance(document, dict):
        raise InvalidInput("payload", "submit.json must be one object.")
    unknown = sorted(set(document) - KEYS)
    if unknown:
        raise InvalidInput(unknown[0], f"submit.json has unknown keys: {', '.join(unknown)}.")
    fields: dict[str, Any] = {
        "action": document.get("action"),
        "target_path": document.get("target_path"),
        "set_front_matter": document.get("set_front_matter"),
        "key": document.get("idempotency_key"),
        "assets": tuple(_asset(folder, item) for item in document.get("assets", [])),
    }
    for name in ("title", "topic", "summary"):
        fields[name] = document.get(name) or ""
    if document.get("body_file"):
        fields["content"] = read_file(folder / document["body_file"], field="body_file")
    return fields


def _asset(folder: Path, item: Any) -> Asset:
    if not isinstance(item, dict) or set(item) != {"path", "file"}:
        raise InvalidInput("assets", "Each asset has a path and a file.")
    return Asset(item["path"], read_file(folder / item["file"], field="assets"))


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
