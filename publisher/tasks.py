"""django-q2's entry points: an id in, nothing out. Every one of them may run twice or never.

None does anything while the database is of another release: a process outlives a migration.
"""

from django.conf import settings

from publisher import nodes, wiring
from publisher.domain.errors import NotFound
from publisher.engine import outbox, reconcile, worker
from publisher.engine.reconcile import clocks
from publisher.engine.reconcile import due as due_reconciler
from publisher.processes.doctor import glance
from publisher.processes.live_watch import LiveWatch

_live = LiveWatch()


def advance(job_id: str) -> None:
    """Take one job as far as it goes; not yet, where that would be to wait for a silent remote."""
    seconds = settings.IMPRIMATUR_LEASE_SECONDS
    if not glance.is_known() or worker.is_held_up(job_id, wiring.ports()):
        return
    try:
        worker.advance(
            job_id,
            ports=wiring.ports(),
            owner=wiring.owner(),
            node=nodes.writer(wiring.node(), wiring.ports().clock.now()),
            heartbeat=wiring.heartbeat(seconds),
            lease_seconds=seconds,
        )
    except NotFound:
        # A hint outlived its job's database; the state table is the truth.
        return


def deliver() -> None:
    """Deliver the outbox's due messages."""
    if not glance.is_known():
        return
    seconds = settings.IMPRIMATUR_LEASE_SECONDS
    outbox.deliver_due(
        wiring.ports(),
        owner=wiring.owner(),
        heartbeat=wiring.heartbeat(seconds),
        lease_seconds=seconds,
    )


def sweep() -> None:
    """One full round of reconcile, and what it asked for."""
    if not glance.is_known():
        return
    ports = wiring.ports()
    nodes.show_life(wiring.node(), "sweep", ports.clock.now())
    done = reconcile.sweep(ports)
    nodes.show_life(wiring.node(), "sweep", ports.clock.now(), **done.counts)
    deliver()


def due() -> None:
    """The frequent look: hints for whatever is due, from the supervisor's side process."""
    if not glance.is_known():
        return
    clocks.run(wiring.ports())
    due_reconciler.run(wiring.ports())
    _live.look()


def heartbeat(mark: str) -> None:
    """Show that a hint travels through the whole cluster."""
    nodes.show_life(wiring.node(), "worker", wiring.ports().clock.now(), mark=mark)
