"""Origins: what the pages of a job ask to say where it came from and what became of it."""

from typing import Any

from publisher import selectors as engine
from publisher.domain.states import TERMINAL, State
from publisher.selectors_reverts import reverts_of, taken_back_by
from reviews.presenters import origins


def of(job: Any) -> list[origins.Origin]:
    """The sentences above a job."""
    events = engine.events(job, limit=1)
    first = events[0].facts if events else {}
    asked = [row for row in reverts_of(job) if State(row.state) not in TERMINAL]
    done = taken_back_by(job)
    return origins.present(job, first or {}, [*asked, *([done] if done else [])])
