"""In use: whether a git process of ours lives in a site's folder; the kernel knows, also after a kill.

Each process inherits a shared lock on one file and keeps it to its end, whoever started it. Who gets
that file alone knows that every lock file of git in the clone was left by somebody dead.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def marked(folder: Path) -> Iterator[int]:
    """A descriptor to hand to a git process: the folder is in use as long as anybody has it open."""
    descriptor = _open(folder)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH)
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def alone(folder: Path) -> Iterator[bool]:
    """Whether no git process lives there; while the block runs, none starts."""
    descriptor = _open(folder)
    try:
        yield _taken(descriptor)
    finally:
        os.close(descriptor)


def _taken(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _open(folder: Path) -> int:
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return os.open(folder / "in_use", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
