"""expiry: what nobody answered in its wait window goes to REVIEW; silence never approves."""

from publisher.engine.reconcile.counts import Counts
from publisher.ports import Ports


def run(ports: Ports, *, site: str = "") -> Counts:
    """The authority knows its windows; a site's name does not narrow them."""
    overdue = ports.authority.lapse(ports.clock.now())
    changed = sum(overdue.values())
    return Counts(looked_at=len(overdue), changed=changed, left=len(overdue) - changed)
