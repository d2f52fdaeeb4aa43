"""Live: what the engine needs of a checkout that people edit by hand, as a Protocol."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Protocol

from publisher.ports import Change, Repository


@dataclass(frozen=True, slots=True)
class LiveState:
    """What people's git does there. ``trouble`` is "missing" or "no_clone" when nothing can be read.

    ``locked_at`` is when a lock of somebody's git command came to lie there, in seconds since 1970.
    ``branch`` is "" when HEAD is detached, ``head`` when there is no commit yet. ``identity`` tells
    this checkout from another one, and from a copy of itself.
    """

    trouble: str = ""
    identity: str = ""
    head: str = ""
    branch: str = ""
    operations: tuple[str, ...] = ()
    locked_at: float | None = None
    has_stash: bool = False


@dataclass(frozen=True, slots=True)
class Edit:
    """One path that differs from HEAD; ``is_new`` says that git does not know it."""

    path: str
    is_staged: bool
    is_new: bool = False


@dataclass(frozen=True, slots=True)
class Content:
    """What a path holds, as git would store it; no blob for a removed file.

    ``held`` is why it cannot be taken: folder_gone, no_file, too_large, filtered, converted.
    """

    data: bytes | None = None
    blob: str | None = None
    held: str = ""


class LiveCheckout(Protocol):
    """One clone that people work in. Reading writes nothing; hooks, filters and drivers never run."""

    def state(self) -> LiveState:
        """What people do there now."""

    def edits(self) -> list[Edit]:
        """Every path that differs from HEAD: edited, removed, staged, clashing or unknown to git."""

    def changed_at(self, path: str) -> float:
        """When the file, or the folder that it was removed from, last changed; seconds since 1970."""

    def history(self) -> list[str]:
        """The newest commits of HEAD's history, newest first."""

    def contents(self, paths: Collection[str]) -> dict[str, Content]:
        """What these paths hold now."""

    def forward(self, old: str, new: str, changes: Sequence[Change], *, branch: str) -> str:
        """Bring it from ``old`` to ``new`` when nothing of anybody is in the way.

        Returns "" when done, else why not: dirty, staged, locked, filtered, sparse or moved.
        The new commit must be in the site's own clone.
        """


class LiveRepository(Repository, Protocol):
    """A repository that can open the site's live checkout on this machine."""

    def live(self, place: str) -> LiveCheckout:
        """The checkout at an absolute path; nothing is looked at yet."""
