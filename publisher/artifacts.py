"""Artifacts: immutable bytes by SHA-256, kept in Django's storage below ``artifacts/``."""

import hashlib
from datetime import datetime

from django.core.files.base import ContentFile
from django.core.files.storage import storages

from publisher.domain.errors import ArtifactDamaged
from publisher.models import Artifact


def sha256_of(data: bytes) -> str:
    """The name of these bytes."""
    return "sha256:" + hashlib.sha256(data).hexdigest()


def store(data: bytes, *, kind: str, now: datetime) -> str:
    """Keep the bytes and return their name; storing the same bytes again changes nothing.

    The file is complete before the row exists, so a crash leaves at most an unnamed file.
    """
    name = sha256_of(data)
    storage = storages["artifacts"]
    where = place_of(name)
    if not storage.exists(where) or storage.size(where) != len(data):
        storage.save(where, ContentFile(data))
    row = Artifact(pk=name, size=len(data), kind=kind, created_at=now)
    Artifact.objects.bulk_create([row], ignore_conflicts=True)
    return name


def load(name: str) -> bytes:
    """The bytes of this name, verified; ArtifactDamaged when missing or different."""
    storage = storages["artifacts"]
    try:
        with storage.open(place_of(name)) as stored:
            data: bytes = stored.read()
    except FileNotFoundError:
        raise ArtifactDamaged(f"The stored bytes {name} are missing.", artifact=name) from None
    if sha256_of(data) != name:
        raise ArtifactDamaged(f"The stored bytes {name} were changed.", artifact=name)
    return data


def load_text(name: str) -> str:
    """The artifact as UTF-8 text; damaged bytes become replacement characters."""
    return load(name).decode("utf-8", "replace")


def place_of(name: str) -> str:
    """Where the bytes of this name lie in the storage."""
    plain = name.removeprefix("sha256:")
    return f"{plain[:2]}/{plain[2:4]}/{plain}"
