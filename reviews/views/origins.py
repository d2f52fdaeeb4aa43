"""Origins: what the pages of a job ask to say where it came from and what became of it."""

from typing import Any

from publisher import selectors as engine
from reviews.presenters import origins


def of(job: Any) -> list[origins.Origin]:
    """The sentences above a job."""
    events = engine.events(job, limit=1)
    first = events[0].facts if events else {}
    return origins.present(job, first or {}, engine.reverts_of(job))
