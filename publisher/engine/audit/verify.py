"""verify: the whole installation's promises, read anew from database, artifacts and remotes."""

from collections.abc import Iterator
from contextlib import suppress
from functools import partial

from publisher import selectors
from publisher.domain.errors import RowUnreadable
from publisher.domain.states import State
from publisher.engine.audit import (
    chains,
    database,
    manifests,
    published,
    rows,
    seals,
    stored_bytes,
    times,
)
from publisher.engine.audit.breach import Breach, unchecked, unreadable
from publisher.engine.audit.spread import Spread
from publisher.models import Job, Site, triggers
from publisher.models.site import CloneState
from publisher.ports import Ports
from publisher.spoiled import each, whole


def verify(
    ports: Ports, *, site: str = "", deep: bool = False, spread: Spread = map
) -> list[Breach]:
    """Everything found; an empty list means that every checked promise holds.

    ``spread`` may have other processes read the histories meanwhile. Raises NotFound for a site
    that is not there.
    """
    unreadable = list(database.check())
    if unreadable:
        return unreadable
    if site:
        with suppress(RowUnreadable):  # it is there, and told below
            selectors.site(site, scopes=None)
    histories = chains.check(site, spread, partial(ports.authority.breaches, site=site))
    found = [
        *_inside(ports, site),
        *stored_bytes.check(deep=deep),
        *_by_reading(site, deep=deep),
        *_remotes(ports, site, deep=deep),
    ]
    return [*histories, *found]


def _by_reading(site: str, *, deep: bool) -> Iterator[Breach]:
    """What takes the reading of each job's files or versions."""
    if deep:
        yield from whole("manifests", partial(manifests.check, site), unchecked)


def _inside(ports: Ports, site: str) -> Iterator[Breach]:
    yield from whole("guards", _guards, unchecked)
    yield from whole("times", partial(times.check, site), unchecked)
    yield from whole("seals", partial(seals.check, site), unchecked)
    yield from rows.check(ports.clock.now(), site)
    for rule, subject, message in ports.authority.breaches(site=site):
        yield Breach(rule, subject, message)


def _guards() -> Iterator[Breach]:
    for name in sorted(triggers.missing()):
        yield Breach("guard_missing", name, "A guard of the database is missing.")
    for name in sorted(triggers.changed()):
        yield Breach("guard_changed", name, "A guard of this name is there, and is another one.")
    if not triggers.has_moves():
        message = "The table of moves that the database allows is not the product's."
        yield Breach("moves_differ", "publisher_transition", message)


def _remotes(ports: Ports, site: str, *, deep: bool) -> Iterator[Breach]:
    """Every site's remote, whatever its clone is like; what is not looked at is said."""
    found = Site.objects.filter(name=site) if site else Site.objects.all()
    yield from each(found, partial(_remote, ports, deep), unreadable("publisher_site"))


def _remote(ports: Ports, deep: bool, site: Site) -> Iterator[Breach]:
    jobs = Job.objects.filter(site=site, state=State.PUBLISHED.value)
    if site.removed_at is not None:
        if jobs.exists():
            message = "The site was removed: what its jobs published there is not checked."
            yield Breach("site_unchecked", site.name, message)
    elif site.root_commit or site.clone_state == CloneState.READY.value or jobs.exists():
        yield from published.check_site(site, ports, deep=deep)
