"""Files: copied with their hash and flushed, so that what has its name is whole and on the disk."""

import hashlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

CHUNK = 1 << 20


def chunks(source: BinaryIO) -> Iterator[bytes]:
    """The content, a piece at a time."""
    while piece := source.read(CHUNK):
        yield piece


def write(pieces: Iterable[bytes], target: Path) -> str:
    """Write a new file, readable by its owner alone, flush it, and return its SHA-256."""
    target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    digest = hashlib.sha256()
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    with os.fdopen(os.open(target, flags, 0o600), "wb") as out:
        for piece in pieces:
            digest.update(piece)
            out.write(piece)
        out.flush()
        os.fsync(out.fileno())
    return digest.hexdigest()


def copy(source: Path, target: Path) -> str:
    """Copy one file and return its SHA-256."""
    with source.open("rb") as file:
        return write(chunks(file), target)


def replace(text: str, target: Path) -> None:
    """Put a small text in the place of another: the old one or the new one, never half."""
    draft = target.with_name(f".{target.name}.{os.getpid()}")
    write([text.encode()], draft)
    draft.replace(target)
    flush(target.parent)


def sha256(path: Path) -> str:
    """The hash of a file."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        for piece in chunks(file):
            digest.update(piece)
    return digest.hexdigest()


def holds(path: Path, wanted: str) -> bool:
    """Whether the file is there with this SHA-256; what the disk cannot read has none."""
    try:
        return path.is_file() and sha256(path) == wanted
    except OSError:
        return False


def is_whole(path: Path, name: str, size: int) -> bool:
    """Whether the file is the artifact of this name; one of another size is not read through."""
    try:
        is_there = path.is_file() and path.stat().st_size == size
    except OSError:
        return False
    return is_there and holds(path, name.removeprefix("sha256:"))


def flush(folder: Path) -> None:
    """Make the names in a folder durable."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def flush_all(folder: Path) -> None:
    """Make the names in a folder and in all below it durable."""
    for place, _folders, _files in os.walk(folder):
        flush(Path(place))
