"""Contact: whether somebody on this machine waits in vain for a site's remote.

While a command waits for the remote it holds a shared lock on a file of its own kind. The file's time
is the last sign of life, and a byte in it says that the last wait of all was in vain.
"""

import os
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from publisher.adapters.git import shared_lock
from publisher.adapters.git.runner import Interrupted
from publisher.domain.errors import LockBusy

SILENT_SECONDS = 5.0
"""A remote that answers at all has mostly begun to by then."""


_PAUSE = 0.02


@contextmanager
def in_turn(folder: Path, command: str) -> Iterator[None]:
    """As ``waiting``, after the answer to whoever waits already; LockBusy where none comes.

    Several who begin at once would all wait for a remote that never answers, and nobody would be
    left for the other sites.
    """
    with shared_lock.opened(folder, f"contact.{command}") as descriptor:
        _see_an_answer(descriptor)
    with waiting(folder, command):
        yield


def _see_an_answer(descriptor: int) -> None:
    """Return once nobody waits, or somebody was answered; raise when it is known to be in vain."""
    last_sign = os.fstat(descriptor).st_mtime
    while not shared_lock.is_alone(descriptor):
        if _is_in_vain(descriptor):
            raise LockBusy(
                "Somebody else here waits for this site's remote, and it does not answer."
            )
        if os.fstat(descriptor).st_mtime != last_sign:
            return
        time.sleep(_PAUSE)


@contextmanager
def waiting(folder: Path, command: str) -> Iterator[None]:
    """Somebody waits for the remote while the block runs; how it ends is what others go by."""
    with shared_lock.opened(folder, f"contact.{command}") as descriptor:
        if shared_lock.is_alone(descriptor) and not os.fstat(descriptor).st_size:
            os.utime(descriptor)
        shared_lock.share(descriptor)
        try:
            yield
        except Interrupted as stop:
            if stop.why == "deadline":
                os.pwrite(descriptor, b"-", 0)
            raise
        os.ftruncate(descriptor, 0)
        os.utime(descriptor)


def is_silent(folder: Path, commands: Iterable[str]) -> bool:
    """Whether somebody waits in one of these commands: in vain for a while, or after a wait in vain.

    Where the last wait was in vain, somebody who waits so for any other remote counts as well: all
    remotes that are known to be silent hold one worker together, and not one each.
    """
    files = [folder / f"contact.{command}" for command in commands]
    if any(_is_waited_for_in_vain(file) for file in files):
        return True
    if not any(file.stat().st_size for file in files):
        return False
    others = (file for file in folder.parent.glob("*/contact.*") if file.parent != folder)
    return any(_is_waited_for_in_vain(file) for file in others)


def _is_waited_for_in_vain(file: Path) -> bool:
    with shared_lock.opened(file.parent, file.name) as descriptor:
        return not shared_lock.is_alone(descriptor) and _is_in_vain(descriptor)


def _is_in_vain(descriptor: int) -> bool:
    seen = os.fstat(descriptor)
    return bool(seen.st_size) or time.time() - seen.st_mtime > SILENT_SECONDS
