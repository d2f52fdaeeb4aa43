"""Origins: what the pages of a job ask to say where it came from and what became of it."""

from typing import Any

from publisher import selectors as engine
from publisher.domain.states import TERMINAL, State
from reviews.presenters import origins


def of(job: Any) -> list[origins.Origin]:
    """The sentences above a job."""
    events = engine.events(job, limit=1)
    first = events[0].facts if events else {}
    asked = [row for row in engine.reverts_of(job) if State(row.state) not in TERMINAL]
    done = taken_back_by(job)
    return origins.present(job, first or {}, [*asked, *([done] if done else [])])


def taken_back_by(job: Any) -> Any | None:
    """The published job that took this one back, unless that was taken back itself."""
    if job.state != State.PUBLISHED.value:
        return None
    for row in engine.reverts_of(job):
        if row.state == State.PUBLISHED.value and taken_back_by(row) is None:
            return row
    return None
