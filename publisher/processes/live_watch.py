"""Live watch: hears of edits in live checkouts between two sweeps; losing one of them is harmless."""

import time
from collections.abc import Generator
from datetime import timedelta
from pathlib import Path
from typing import Any

import structlog
from watchfiles import watch

from publisher import clock
from publisher.domain.errors import ImprimaturError
from publisher.domain.globs import top_folders
from publisher.engine.external_sync import ask, watched
from publisher.engine.external_sync.place import roots
from publisher.models import Site

log = structlog.get_logger(__name__)
AGAIN_SECONDS = 300.0
_Changes = Generator[set[Any], None, None]


class LiveWatch:
    """Asked every few seconds by the look at due work; it has no thread and no process of its own."""

    def __init__(self) -> None:
        self._open: dict[tuple[str, ...], _Changes] = {}
        self._refused: dict[tuple[str, ...], float] = {}
        self._unheard: set[str] = set()

    def look(self) -> None:
        """Ask for a scan of each checkout with new edits, at the end of their quiet time."""
        now = clock.now()
        places = {}
        for site in watched():
            folders = self._folders(site)
            if folders:
                places[folders] = site
        for gone in self._open.keys() - places.keys():
            self._open.pop(gone).close()
        for folders, site in places.items():
            if self._has_changes(site, folders):
                ask(site, now=now, due_at=now + timedelta(seconds=site.quiet_seconds + 1))

    def close(self) -> None:
        """Stop hearing."""
        while self._open:
            self._open.popitem()[1].close()

    def _folders(self, site: Site) -> tuple[str, ...]:
        """None of a checkout that cannot be read, as behind a mount that is dead, or of odd patterns."""
        try:
            return _folders(site)
        except (ImprimaturError, OSError) as trouble:
            self._tell(site, trouble)
            return ()

    def _has_changes(self, site: Site, folders: tuple[str, ...]) -> bool:
        refused = self._refused.get(folders)
        if refused is not None and time.monotonic() - refused < AGAIN_SECONDS:
            return False
        if folders not in self._open:
            # Without a filter, since what is filtered out is waited through, as long as git writes.
            self._open[folders] = watch(
                *folders, watch_filter=None, debounce=50, step=10, rust_timeout=1,
                yield_on_timeout=True, raise_interrupt=False, ignore_permission_denied=True,
            )  # fmt: skip
        try:
            changes = next(self._open[folders], set())
        except (OSError, RuntimeError) as trouble:
            # Too many folders for the kernel, for one. It walks them all before it says so.
            self._tell(site, trouble)
            self._refused[folders] = time.monotonic()
            del self._open[folders]
            return False
        self._refused.pop(folders, None)
        self._unheard.discard(site.name)
        return any(_is_of_people(path) for _change, path in changes)

    def _tell(self, site: Site, trouble: Exception) -> None:
        """Once, and not every few seconds. The sweep's scans find everything, and tell of the site."""
        if site.name not in self._unheard:
            self._unheard.add(site.name)
            log.warning("live_watch_failed", site=site.name, reason=str(trouble))


def _folders(site: Site) -> tuple[str, ...]:
    """The top folders of the site's content: not all of the checkout, which may hold a package tree.

    All of it where the patterns leave open in which folder a file lies.
    """
    checkout = Path(site.live_checkout)
    names = set().union(*(top_folders(pattern) for pattern in roots(site)))
    found = [checkout] if "" in names else [checkout / name for name in sorted(names)]
    return tuple(str(folder) for folder in found if folder.is_dir())


def _is_of_people(path: str) -> bool:
    """Git's own folder changes with every look that somebody takes at the remote."""
    return ".git" not in Path(path).parts
