"""History: events of all jobs within reach, for auditors."""

from dataclasses import dataclass

from django.db.models import Q

from publisher.models import JobEvent


@dataclass(frozen=True, slots=True)
class EventPage:
    """One page of events, newest first; ``next`` is the key to go on after."""

    items: list[JobEvent]
    next: int | None


def events(
    *,
    within: Q,
    actor: str = "",
    event: str = "",
    site: str = "",
    after: int | None = None,
    limit: int = 100,
) -> EventPage:
    """Events of jobs within reach, by keyset; filters narrow, nothing is counted."""
    rows = JobEvent.objects.select_related("job__site").filter(within)
    if actor:
        rows = rows.filter(actor_name=actor)
    if event:
        rows = rows.filter(event=event)
    if site:
        rows = rows.filter(job__site__name=site)
    if after is not None:
        rows = rows.filter(pk__lt=after)
    found = list(rows.order_by("-pk")[: limit + 1])
    following = found[limit - 1].pk if len(found) > limit else None
    return EventPage(found[:limit], following)
