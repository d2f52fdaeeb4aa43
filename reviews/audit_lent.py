"""What was lent: answers in somebody's place, beside the delegations by which they were given."""

from collections.abc import Iterator

from django.db.models import QuerySet

from reviews.models import Decision
from reviews.services import delegations

Breach = tuple[str, str, str]
"""The rule, the job, and what is wrong."""


def rows(site: str) -> QuerySet[Decision]:
    """The answers in somebody's place, of all jobs or of one site's."""
    found = Decision.objects.select_related("actor", "on_behalf_of", "approval__job").filter(
        on_behalf_of__isnull=False
    )
    found = found.filter(approval__job__site__name=site) if site else found
    return found.order_by("pk")


def check(row: Decision) -> Iterator[Breach]:
    """Whether the weight was lent when it was used."""
    job, giver, holder = row.approval.job, row.actor, row.on_behalf_of
    if holder is not None and not delegations.covers(holder, giver, job.scope, row.at):
        message = f"{giver.name} is said to have answered for {holder.name}, who had lent nothing."
        yield "decision_changed", job.pk, message
