"""Holds: one supervisor to a data folder, and no cluster that outlives the knowledge of it."""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from publisher.processes import kernel

KILL_SECONDS = 5.0


class AlreadySupervised(Exception):
    """Another supervisor works with this data folder."""


class InUse(Exception):
    """Processes of the product work with this data folder, or a restore does."""


class ClusterWillNotDie(Exception):
    """An old cluster keeps its lock although its group was killed."""


def use(folder: Path) -> int:
    """Show that this process works with the data folder, and all that it starts and becomes.

    Every descendant inherits the lock, so it is free only when the last of them is gone.
    """
    descriptor = _in_use(folder)
    os.set_inheritable(descriptor, True)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError as error:
        os.close(descriptor)
        raise InUse(f"A backup is being put back into {folder.parent}.") from error
    return descriptor


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Be the only one that works with the data folder; InUse when somebody does."""
    descriptor = _in_use(folder)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        raise InUse(f"Imprimatur runs in {folder.parent}. Stop all of it first.") from error
    else:
        yield
    finally:
        os.close(descriptor)


def _in_use(folder: Path) -> int:
    folder.mkdir(parents=True, exist_ok=True)
    return os.open(folder / "in-use.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)


def hold_supervision(path: Path) -> int:
    """Take the supervisor's own lock, which no child inherits; AlreadySupervised when it is taken."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(descriptor)
        raise AlreadySupervised(f"A supervisor already works with {path.parent.parent}.") from error
    return descriptor


def hold_cluster(path: Path) -> int:
    """Take the lock that every process of a cluster inherits, ending the cluster that has it.

    Who holds the lock is alive and in the group named in the file, so no stranger that was given
    an old number can be hit.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    end = time.monotonic() + KILL_SECONDS
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            group = read_group(path)
            if group:
                kernel.kill_group(group)
            if time.monotonic() > end:
                raise ClusterWillNotDie(f"The group {group} keeps {path}.") from None
            time.sleep(0.02)
        else:
            return descriptor


def write_group(path: Path) -> None:
    """Name this process's group as the one that holds the cluster's lock."""
    path.write_text(f"{os.getpgrp()}\n")


def read_group(path: Path) -> int:
    """The group named last; 0 when none is."""
    word = path.read_text().strip()
    return int(word) if word.isdigit() else 0
