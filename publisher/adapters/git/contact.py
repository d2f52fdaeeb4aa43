"""Contact: whether somebody on this machine waits in vain for a site's remote.

While a command waits for the remote it holds a shared lock on a file of its own kind. The file's time
is the last sign of life, and a byte in it says that the last wait of all was in vain.
"""

import fcntl
import os
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from publisher.adapters.git.runner import Interrupted

SILENT_SECONDS = 5.0
"""A remote that answers at all has mostly begun to by then."""


@contextmanager
def waiting(folder: Path, command: str) -> Iterator[None]:
    """Somebody waits for the remote while the block runs; how it ends is what others go by."""
    descriptor = _open(folder, command)
    try:
        if _is_alone(descriptor) and not os.fstat(descriptor).st_size:
            os.utime(descriptor)
        fcntl.flock(descriptor, fcntl.LOCK_SH)
        try:
            yield
        except Interrupted as stop:
            if stop.why == "deadline":
                os.pwrite(descriptor, b"-", 0)
            raise
        os.ftruncate(descriptor, 0)
        os.utime(descriptor)
    finally:
        os.close(descriptor)


def is_silent(folder: Path, commands: Iterable[str]) -> bool:
    """Whether somebody waits in one of these commands: in vain for a while, or after a wait in vain."""
    return any(_is_in_vain(folder, command) for command in commands)


def _is_in_vain(folder: Path, command: str) -> bool:
    descriptor = _open(folder, command)
    try:
        if _is_alone(descriptor):
            return False
        seen = os.fstat(descriptor)
        return bool(seen.st_size) or time.time() - seen.st_mtime > SILENT_SECONDS
    finally:
        os.close(descriptor)


def _is_alone(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _open(folder: Path, command: str) -> int:
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return os.open(folder / f"contact.{command}", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
