"""Reconcile: the sweep that finds unfinished work from durable facts alone; one reconciler a file."""

from dataclasses import asdict, dataclass

import structlog
from django.db import DatabaseError

from publisher.domain.errors import ImprimaturError
from publisher.engine.reconcile import (
    clocks,
    due,
    expiry,
    external_sync,
    fetches,
    probes,
    seals,
    visibility,
    workspaces,
)
from publisher.engine.reconcile.alone import words
from publisher.engine.reconcile.counts import Counts
from publisher.ports import Ports

log = structlog.get_logger(__name__)

RECONCILERS = {
    "clocks": clocks.run,
    "due": due.run,
    "expiry": expiry.run,
    "fetches": fetches.run,
    "external_sync": external_sync.run,
    "visibility": visibility.run,
    "seals": seals.run,
    "workspaces": workspaces.run,
    "probes": probes.run,
}
"""By name, in the order in which a sweep runs them; last the one that may wait for a remote."""


@dataclass(frozen=True, slots=True)
class Sweep:
    """What one sweep did, reconciler by reconciler; ``failed`` names those that could not finish."""

    counts: dict[str, dict[str, int]]
    failed: tuple[str, ...]


def sweep(ports: Ports, *, site: str = "") -> Sweep:
    """Run every reconciler once; one that fails never stops the others. Two sweeps at once are harmless."""
    counts: dict[str, dict[str, int]] = {}
    failed: list[str] = []
    for name, run in RECONCILERS.items():
        try:
            done: Counts = run(ports, site=site)
        except Exception as error:
            # A defect of one reconciler must stop neither the worker nor the others.
            expected = isinstance(error, (ImprimaturError, DatabaseError, OSError))
            log.warning(
                "reconciler_failed", reconciler=name, reason=words(error), exc_info=not expected
            )
            failed.append(name)
            continue
        counts[name] = asdict(done)
        log.info("reconciled", reconciler=name, **asdict(done))
    return Sweep(counts, tuple(failed))
