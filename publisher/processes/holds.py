"""Holds: one supervisor to a data folder, and no cluster that outlives the knowledge of it."""

import fcntl
import os
import time
from pathlib import Path

from publisher.processes import kernel

KILL_SECONDS = 5.0


class AlreadySupervised(Exception):
    """Another supervisor works with this data folder."""


class ClusterWillNotDie(Exception):
    """An old cluster keeps its lock although its group was killed."""


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
