"""Selectors of a job's history: its newest part first, and by keyset all that is older."""

from collections.abc import Collection
from dataclasses import dataclass

from publisher.models import Job, JobEvent

SHOWN = 200


@dataclass(frozen=True, slots=True)
class Part:
    """Some of a job's events in order; ``earlier`` is the key before which more lie, or None."""

    items: list[JobEvent]
    earlier: int | None


def newest(
    of: Job, *, before: int | None = None, without: Collection[str] = (), limit: int = SHOWN
) -> Part:
    """The newest events, or the newest before a key; ``without`` those of some kinds."""
    rows = of.events.exclude(event__in=list(without)) if without else of.events.all()
    if before is not None:
        rows = rows.filter(seq__lt=before)
    found = list(rows.order_by("-seq")[: limit + 1])
    shown = found[:limit]
    return Part(shown[::-1], shown[-1].seq if len(found) > limit else None)


def last(of: Job, *, among: Collection[str]) -> JobEvent | None:
    """The newest of some events, if any happened."""
    return of.events.filter(event__in=list(among)).order_by("-seq").first()


def names(of: Job, *, among: Collection[str]) -> list[str]:
    """Which of some events happened, in order, each as often as it did: of all of the history."""
    rows = of.events.filter(event__in=list(among)).order_by("seq")
    return list(rows.values_list("event", flat=True))
