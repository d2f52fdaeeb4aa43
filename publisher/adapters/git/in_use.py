"""In use: whether a git process of ours lives in a site's folder; the kernel knows, also after a kill.

Each process inherits a shared lock on one file and keeps it to its end, whoever started it. Who gets
that file alone knows that every lock file of git in the clone was left by somebody dead.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from publisher.adapters.git import shared_lock

_NAME = "in_use"


@contextmanager
def marked(folder: Path) -> Iterator[int]:
    """A descriptor to hand to a git process: the folder is in use as long as anybody has it open."""
    with shared_lock.opened(folder, _NAME) as descriptor:
        shared_lock.share(descriptor)
        yield descriptor


@contextmanager
def alone(folder: Path) -> Iterator[bool]:
    """Whether no git process lives there; while the block runs, none starts."""
    with shared_lock.opened(folder, _NAME) as descriptor:
        yield shared_lock.is_alone(descriptor)
