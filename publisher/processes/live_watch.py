"""Live watch: hears of edits in live checkouts between two sweeps; losing one of them is harmless."""

import os
import stat
import time
from collections.abc import Generator
from datetime import timedelta
from pathlib import Path
from typing import Any

import structlog
from watchfiles import Change, watch

from publisher import clock
from publisher.domain.errors import ImprimaturError
from publisher.domain.globs import top_folders
from publisher.engine.external_sync import ask, watched
from publisher.engine.external_sync.place import roots
from publisher.models import Site

log = structlog.get_logger(__name__)
AGAIN_SECONDS = 300.0
_Changes = Generator[set[Any], None, None]
_Places = tuple[int, tuple[tuple[str, int, int], ...]]
"""A site, and its folders with device and inode: one that was replaced is heard anew."""


class LiveWatch:
    """Asked every few seconds by the look at due work; it has no thread and no process of its own."""

    def __init__(self) -> None:
        self._open: dict[_Places, _Changes] = {}
        self._refused: dict[_Places, float] = {}
        self._unheard: set[str] = set()
        self._replaced: set[int] = set()

    def look(self) -> None:
        """Ask for a scan of each checkout with new edits, at the end of their quiet time."""
        now = clock.now()
        found = {places: site for site in watched() if (places := self._places(site))[1]}
        for gone in self._open.keys() - found.keys():
            self._drop(gone)
        for places, site in found.items():
            is_replaced = site.pk in self._replaced
            self._replaced.discard(site.pk)
            if self._has_changes(site, places) or is_replaced:
                ask(site, now=now, due_at=now + timedelta(seconds=site.quiet_seconds + 1))

    def close(self) -> None:
        """Stop hearing."""
        while self._open:
            self._open.popitem()[1].close()

    def _drop(self, places: _Places) -> None:
        """Its site is asked for once there is a folder again, however many looks later."""
        self._open.pop(places).close()
        self._replaced.add(places[0])

    def _places(self, site: Site) -> _Places:
        """None of a checkout that cannot be read, as behind a mount that is dead, or of odd patterns."""
        try:
            return site.pk, _folders(site)
        except (ImprimaturError, OSError) as trouble:
            self._tell(site, trouble)
            return site.pk, ()

    def _has_changes(self, site: Site, places: _Places) -> bool:
        refused = self._refused.get(places)
        if refused is not None and time.monotonic() - refused < AGAIN_SECONDS:
            return False
        folders = [folder for folder, *_numbers in places[1]]
        if places not in self._open:
            # Without a filter, since what is filtered out is waited through, as long as git writes.
            self._open[places] = watch(
                *folders, watch_filter=None, debounce=50, step=10, rust_timeout=1,
                yield_on_timeout=True, raise_interrupt=False, ignore_permission_denied=True,
            )  # fmt: skip
        try:
            changes = next(self._open[places], set())
        except (OSError, RuntimeError) as trouble:
            # Too many folders for the kernel, for one. It walks them all before it says so.
            self._tell(site, trouble)
            self._refused[places] = time.monotonic()
            del self._open[places]
            return False
        self._refused.pop(places, None)
        self._unheard.discard(site.name)
        if any((Change.deleted, folder) in changes for folder in folders):
            self._drop(places)  # it is gone, and a new one may have its very inode
        return any(_is_of_people(path) for _change, path in changes)

    def _tell(self, site: Site, trouble: Exception) -> None:
        """Once, and not every few seconds. The sweep's scans find everything, and tell of the site."""
        if site.name not in self._unheard:
            self._unheard.add(site.name)
            log.warning("live_watch_failed", site=site.name, reason=str(trouble))


def _folders(site: Site) -> tuple[tuple[str, int, int], ...]:
    """The top folders of the site's content: not all of the checkout, which may hold a package tree.

    All of it where the patterns leave open in which folder a file lies.
    """
    checkout = Path(site.live_checkout)
    names = set().union(*(top_folders(pattern) for pattern in roots(site)))
    found = [checkout] if "" in names else [checkout / name for name in sorted(names)]
    seen = [(str(folder), status) for folder in found if (status := _status(folder))]
    return tuple((folder, status.st_dev, status.st_ino) for folder, status in seen)


def _status(folder: Path) -> os.stat_result | None:
    """Asked for once: a folder may go at any moment."""
    try:
        status = folder.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return status if stat.S_ISDIR(status.st_mode) else None


def _is_of_people(path: str) -> bool:
    """Git's own folder changes with every look that somebody takes at the remote."""
    return ".git" not in Path(path).parts
