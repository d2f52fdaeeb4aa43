"""Manifests: the canonical list of the files that a job produced, and the two hashes over it."""

import json
import re
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, Literal

from publisher.domain.envelope import canonical, digest
from publisher.domain.errors import InvalidInput
from publisher.domain.paths import check_side_by_side, check_spelling

Kind = Literal["content", "derived", "absent"]

SCHEMA = "imprimatur.manifest/v1"
PAYLOAD_SCHEMA = "imprimatur.payload/v1"

_SHA256 = re.compile(r"sha256:[0-9a-f]{64}")
_KEYS = {"path", "sha256", "size", "kind"}


@dataclass(frozen=True, slots=True, order=True)
class Entry:
    """One path: ``content`` is what people approve, ``derived`` is rebuilt, ``absent`` is removed.

    ``sha256`` is ``sha256:`` and 64 hex digits over the blob's bytes, None when absent;
    ``size`` is in bytes. Raises UnsafePath or InvalidInput.
    """

    path: str
    sha256: str | None
    size: int
    kind: Kind

    def __post_init__(self) -> None:
        check_spelling(self.path, field="path")
        if self.kind not in ("content", "derived", "absent"):
            raise InvalidInput("kind", "An entry is content, derived or absent.")
        if type(self.size) is not int or self.size < 0:
            raise InvalidInput("size", f"The size of {self.path} is not a number of bytes.")
        if self.kind == "absent":
            if self.sha256 is not None or self.size:
                raise InvalidInput("sha256", f"{self.path} is absent and has no bytes.")
        elif not isinstance(self.sha256, str) or not _SHA256.fullmatch(self.sha256):
            raise InvalidInput("sha256", f"{self.path} needs sha256: and 64 hex digits.")


@dataclass(frozen=True)
class Manifest:
    """Entries sorted by path. Raises InvalidInput for two that cannot stand side by side."""

    entries: tuple[Entry, ...]

    def __post_init__(self) -> None:
        entries = tuple(sorted(self.entries, key=lambda entry: entry.path))
        object.__setattr__(self, "entries", entries)
        _check_together(entries)

    def to_json(self) -> bytes:
        """The manifest in canonical JSON; the SHA-256 of these bytes is the manifest hash."""
        return canonical(_document(SCHEMA, self.entries))

    @classmethod
    def from_json(cls, text: bytes | str) -> "Manifest":
        """The manifest that ``to_json`` wrote. Raises InvalidInput for anything else."""
        try:
            document = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise InvalidInput("manifest", "The manifest is not JSON.") from error
        return cls(tuple(Entry(**fields) for fields in _fields_of(document)))

    @cached_property
    def manifest_hash(self) -> str:
        """Over all entries; a rebuilt font changes it."""
        return digest(_document(SCHEMA, self.entries))

    @cached_property
    def payload_hash(self) -> str:
        """Over what people approve: content and absent entries. A rebuilt font keeps it."""
        return digest(_document(PAYLOAD_SCHEMA, self.payload))

    @property
    def payload(self) -> tuple[Entry, ...]:
        """The content and absent entries."""
        return tuple(entry for entry in self.entries if entry.kind != "derived")

    @property
    def paths(self) -> tuple[str, ...]:
        """All paths, sorted."""
        return tuple(entry.path for entry in self.entries)

    def get(self, path: str) -> Entry | None:
        """The entry at a path."""
        return next((entry for entry in self.entries if entry.path == path), None)


def _document(schema: str, entries: tuple[Entry, ...]) -> dict[str, Any]:
    return {"schema": schema, "entries": [asdict(entry) for entry in entries]}


def _fields_of(document: Any) -> list[dict[str, Any]]:
    """The entries' fields, once their shape is certain: an unknown key would be lost silently."""
    entries = document.get("entries") if isinstance(document, dict) else None
    if not isinstance(entries, list) or document != {"schema": SCHEMA, "entries": entries}:
        raise InvalidInput("manifest", f"This is not a manifest of the form {SCHEMA}.")
    for fields in entries:
        if not isinstance(fields, dict) or set(fields) != _KEYS:
            raise InvalidInput("manifest", "A manifest's entry has path, sha256, size and kind.")
        if not isinstance(fields["path"], str):
            raise InvalidInput("path", "A path is text.")
    return entries


def _check_together(entries: tuple[Entry, ...]) -> None:
    paths = [entry.path for entry in entries]
    repeated = next((one for one, other in pairwise(paths) if one == other), None)
    if repeated is not None:
        raise InvalidInput("path", f"{repeated} is listed twice.")
    # What goes away may share a name with what comes: that is how a rename by case looks.
    present = [entry.path for entry in entries if entry.kind != "absent"]
    check_side_by_side(present, field="path")
