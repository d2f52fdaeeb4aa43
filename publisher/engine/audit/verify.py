"""verify: the whole installation's promises, read anew from database, artifacts and remotes."""

from collections.abc import Iterator

from publisher import selectors
from publisher.engine.audit import chains, database, published, rows, seals, stored_bytes
from publisher.engine.audit.breach import Breach
from publisher.engine.audit.spread import Spread
from publisher.models import Site, triggers
from publisher.models.site import CloneState
from publisher.ports import Ports


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
        selectors.site(site, scopes=None)
    histories = chains.check(site, spread)
    found = [
        *_inside(ports, site),
        *stored_bytes.check(deep=deep),
        *_remotes(ports, site, deep=deep),
    ]
    return [*histories, *found]


def _inside(ports: Ports, site: str) -> Iterator[Breach]:
    for name in sorted(triggers.missing()):
        yield Breach("guard_missing", name, "A guard of the database is missing.")
    yield from seals.check()
    yield from rows.check(ports.clock.now(), site)
    for rule, subject, message in ports.authority.breaches():
        yield Breach(rule, subject, message)


def _remotes(ports: Ports, site: str, *, deep: bool) -> Iterator[Breach]:
    found = Site.objects.filter(removed_at__isnull=True, clone_state=CloneState.READY.value)
    for row in found.filter(name=site) if site else found:
        yield from published.check_site(row, ports, deep=deep)
