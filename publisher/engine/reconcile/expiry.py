"""expiry: what nobody answered in its wait window goes to REVIEW; silence never approves."""

from publisher.engine.reconcile.counts import Counts
from publisher.ports import Ports


def run(ports: Ports, *, site: str = "") -> Counts:
    """The authority knows its windows; a site's name does not narrow them."""
    lapsed = ports.authority.lapse(ports.clock.now())
    return Counts(looked_at=len(lapsed), changed=len(lapsed))
