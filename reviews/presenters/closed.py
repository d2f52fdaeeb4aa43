"""Closed: what became of a request for approval, and who had a part in it."""

from typing import Any

from django.utils.translation import gettext_lazy as _

from reviews.presenters.words import ANSWERS, APPROVALS, Label, Text

OUTCOMES: dict[str, tuple[Text, tuple[str, ...]]] = {
    "approved": (APPROVALS["approved"].word, ("approved", "dispatching", "done")),
    "rejected": (APPROVALS["rejected"].word, ("rejected",)),
    "expired": (APPROVALS["expired"].word, ("expired",)),
    "withdrawn": (APPROVALS["withdrawn"].word, ("withdrawn",)),
    "void": (_("Void or replaced"), ("void", "superseded")),
}
"""What a filter offers: a word, and the statuses that it means."""


def label(status: str) -> Label:
    """What became of it; one that is still pending ran out of time and was not swept yet."""
    return APPROVALS["expired" if status == "pending" else status]


def answers(decisions: list[Any]) -> list[dict[str, Any]]:
    """Who answered what, first to last."""
    return [
        {"who": row.actor.name, "word": ANSWERS.get(row.decision, row.decision), "at": row.at}
        for row in sorted(decisions, key=lambda row: row.pk)
    ]
