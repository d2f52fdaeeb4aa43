"""Forward: bring a live checkout to the branch's tip after a publication, when that is safe."""

from publisher.engine.external_sync.place import (
    blockers,
    checkout_lock,
    note,
    opened,
    remember,
    standing,
)
from publisher.live import LiveCheckout, LiveRepository, LiveState
from publisher.models import Site
from publisher.ports import Ports


def forward(site: Site, ports: Ports) -> str:
    """Fast-forward to the last fetched tip; "" when there, else a word why not. No network."""
    with (
        opened(site, ports) as (repository, live),
        checkout_lock(site, ports),
    ):
        state = live.state()
        found = blockers(site, state)
        why = found[0]["code"] if found else bring(site, ports, repository, live, state)
    if why:
        notes = found or [note(why if why in ("ahead", "diverged") else f"behind_{why}")]
        remember(site, notes=notes, looked_at=ports.clock.now())
    return why


def bring(
    site: Site, ports: Ports, repository: LiveRepository, live: LiveCheckout, state: LiveState
) -> str:
    """The same for who holds the checkout lock and has seen that nothing blocks."""
    tip = repository.tip()
    if tip is None or tip == state.head:
        return ""
    away = standing(site, repository, live, state)
    if away:
        return away
    changes = repository.changes(state.head, tip)
    why = live.forward(state.head, tip, changes, branch=site.branch)
    if not why:
        remember(site, forwarded_at=ports.clock.now(), head=tip)
    return why
