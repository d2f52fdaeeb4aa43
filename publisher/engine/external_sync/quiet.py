"""Quiet: whether an edit was left alone for the site's quiet time, whatever any clock said of it."""

from datetime import datetime

from publisher.engine.external_sync.place import Note, note
from publisher.live import LiveCheckout
from publisher.models import LiveSight, Site

FRESH = "fresh"


class Quiet:
    """Times of files outlive any process, so a restart neither forgets nor prolongs the wait.

    A file whose time is still to come (``touch``, a clock that was wrong) is waited for since it was
    first seen like that; ``note`` keeps that moment for the next look.
    """

    def __init__(self, site: Site, live: LiveCheckout, now: datetime) -> None:
        self._seconds = site.quiet_seconds
        self._live = live
        self._now = now.timestamp()
        sight = LiveSight.objects.filter(site=site).first()
        self._before: dict[str, list[float]] = {}
        for kept in sight.notes if sight else []:
            self._before |= kept.get("times", {})
        self._times: dict[str, list[float]] = {}

    def has(self, path: str) -> bool:
        """Whether nothing happened to the path for long enough."""
        if self._seconds == 0:
            return True
        changed = self._live.changed_at(path)
        since = changed if changed <= self._now else self._since(path, changed)
        return self._now - since >= self._seconds

    def _since(self, path: str, changed: float) -> float:
        before, since = self._before.get(path, (changed, self._now))
        if before != changed or since > self._now:
            since = self._now
        self._times[path] = [changed, since]
        return since

    def note(self, paths: list[str]) -> Note:
        """What is still too fresh, for the page and for the next look."""
        times = {path: self._times[path] for path in paths if path in self._times}
        return {**note(FRESH, names=sorted(paths)), **({"times": times} if times else {})}
