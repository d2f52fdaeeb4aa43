"""Selectors of reverts: which jobs were to take a publication back, and which one did."""

from publisher.domain.states import State
from publisher.models import Job


def reverts_of(of: Job) -> list[Job]:
    """The jobs that were to take this one back, newest first."""
    return list(of.compensations.order_by("-pk")[:20])


def taken_back_by(of: Job) -> Job | None:
    """The published job that took this one back, unless that was taken back itself."""
    if of.state != State.PUBLISHED.value:
        return None
    for row in reverts_of(of):
        if row.state == State.PUBLISHED.value and taken_back_by(row) is None:
            return row
    return None
