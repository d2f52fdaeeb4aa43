"""Shared lock: many hold a file together; who gets it alone knows that nobody else does.

The kernel lets a hold go with the last process that has it open, also when that was killed.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def opened(folder: Path, name: str) -> Iterator[int]:
    """The file's descriptor, made with its folder where either is missing; closed at the end."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor = os.open(folder / name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def share(descriptor: int) -> None:
    """Hold it together with others, until it is closed."""
    fcntl.flock(descriptor, fcntl.LOCK_SH)


def is_alone(descriptor: int) -> bool:
    """Whether nobody else holds it; if so it is held alone from now on."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
