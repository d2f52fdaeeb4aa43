"""What was lent: answers in somebody's place, and proofs of who gave one, beside what was told of them."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.db.models import Q, QuerySet

from publisher.models import JobEvent
from reviews.models import Decision
from reviews.services import delegations

Breach = tuple[str, str, str]
"""The rule, the job, and what is wrong."""


def rows(site: str) -> QuerySet[Decision]:
    """The answers that have either, of all jobs or of one site's."""
    found = Decision.objects.select_related("actor", "on_behalf_of", "approval__job").filter(
        Q(on_behalf_of__isnull=False) | Q(reauthenticated_at__isnull=False)
    )
    found = found.filter(approval__job__site__name=site) if site else found
    return found.order_by("pk")


def check(row: Decision) -> Iterator[Breach]:
    """Whether the history tells the same of one answer, and the weight was lent when it was used."""
    job, giver, holder = row.approval.job, row.actor, row.on_behalf_of
    if holder is not None and not delegations.covers(holder, giver, job.scope, row.at):
        message = f"{giver.name} is said to have answered for {holder.name}, who had lent nothing."
        yield "decision_changed", job.pk, message
    told = _told(row)
    if (told.get("on_behalf_of", "") != (holder.name if holder else "")) or not _is_same(
        told.get("reauthenticated_at"), row.reauthenticated_at
    ):
        message = (
            f"{giver.name}'s answer has another weight or another proof than its history tells."
        )
        yield "decision_changed", job.pk, message


def _told(row: Decision) -> dict[str, Any]:
    """The facts of the event that tells of this answer."""
    events = JobEvent.objects.filter(
        job=row.approval.job_id, actor="reviewer", actor_name=row.actor.name, at=row.at
    )
    for event in events:
        if event.facts.get("approval") == row.approval_id:
            return dict(event.facts)
    return {}


def _is_same(told: object, kept: datetime | None) -> bool:
    if kept is None or not isinstance(told, str):
        return kept is told
    return datetime.fromisoformat(told) == kept
