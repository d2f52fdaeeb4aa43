"""Artifacts: immutable bytes by SHA-256, kept in Django's storage below ``artifacts/``."""

import errno
import hashlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

from django.core.files.base import ContentFile
from django.core.files.storage import Storage, storages

from publisher.domain.errors import ArtifactDamaged
from publisher.models import Artifact
from publisher.storage import DurableFileSystemStorage

_OF_THE_BYTES = {errno.ENOENT, errno.EIO, errno.EISDIR, errno.ENOTDIR, errno.ELOOP, errno.EUCLEAN,
                 errno.EBADMSG}  # fmt: skip
"""What the system says of one stored file; all else, as of a network or of rights, passes or is mended."""


@dataclass(frozen=True, slots=True)
class Kept:
    """What the row of an artifact says besides its name."""

    size: int
    kind: str


def sha256_of(data: bytes) -> str:
    """The name of these bytes."""
    return "sha256:" + hashlib.sha256(data).hexdigest()


def store(data: bytes, *, kind: str, now: datetime) -> str:
    """Keep the bytes and return their name; storing the same bytes again changes nothing.

    The file is complete before the row exists, so a crash leaves at most an unnamed file.
    """
    name = write(data)
    register({name: Kept(len(data), kind)}, now)
    return name


def write(data: bytes) -> str:
    """Put the bytes on the disk and return their name; they count once they are registered."""
    name = sha256_of(data)
    storage = storages["artifacts"]
    where = place_of(name)
    if not _is_kept(storage, where, data):
        storage.save(where, ContentFile(data))
    return name


def _is_kept(storage: Storage, where: str, data: bytes) -> bool:
    """Whether these very bytes are there: what was damaged under their name is written anew."""
    try:
        if isinstance(storage, DurableFileSystemStorage):
            storage.renew(where)
        with reading(sha256_of(data)), storage.open(where) as stored:
            return bool(stored.read() == data)
    except (FileNotFoundError, ArtifactDamaged):
        return False


def register(kept: Mapping[str, Kept], now: datetime) -> None:
    """Write the rows of bytes that are on the disk; rows that exist stay as they are."""
    rows = [
        Artifact(pk=name, size=one.size, kind=one.kind, created_at=now)
        for name, one in kept.items()
    ]
    Artifact.objects.bulk_create(rows, ignore_conflicts=True)


def load(name: str) -> bytes:
    """The bytes of this name, verified; ArtifactDamaged when missing, unreadable or different."""
    with reading(name), storages["artifacts"].open(place_of(name)) as stored:
        data: bytes = stored.read()
    if sha256_of(data) != name:
        raise ArtifactDamaged(f"The stored bytes {name} were changed.", artifact=name)
    return data


@contextmanager
def reading(name: str) -> Iterator[None]:
    """While the bytes of this name are read: ArtifactDamaged where they are not to be had."""
    try:
        yield
    except OSError as error:
        lost = isinstance(error, FileNotFoundError)  # without a number where no file system says it
        if not lost and error.errno not in _OF_THE_BYTES:
            raise
        if lost:
            raise ArtifactDamaged(f"The stored bytes {name} are missing.", artifact=name) from error
        why = f"The stored bytes {name} cannot be read: {error.strerror}."
        raise ArtifactDamaged(why, artifact=name) from error


def load_whole(name: str | None) -> bytes | None:
    """The same; None where there is no name, or what it names is not to be had."""
    try:
        return load(name) if name else None
    except ArtifactDamaged:
        return None


def load_text(name: str) -> str:
    """The artifact as UTF-8 text; damaged bytes become replacement characters."""
    return load(name).decode("utf-8", "replace")


def place_of(name: str) -> str:
    """Where the bytes of this name lie in the storage."""
    plain = name.removeprefix("sha256:")
    return f"{plain[:2]}/{plain[2:4]}/{plain}"
