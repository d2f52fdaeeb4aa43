"""Decisions: one person's answers to one approval. Rows are only ever added (a trigger sees to it)."""

from enum import StrEnum

from django.db import models
from django.db.models import Q

from publisher.models.fields import hash_field, one_of
from reviews.models.approval import Approval
from reviews.models.principal import Principal


class Answer(StrEnum):
    """What a person can say."""

    APPROVE = "approve"
    REJECT = "reject"
    REQUEST_CHANGES = "request_changes"
    WITHDRAW = "withdraw"


class Decision(models.Model):
    """One answer, bound to the hash of what was reviewed; ``outcome`` is replayed to a repeat.

    ``on_behalf_of``: whose weight it has, where its giver stood in for somebody.
    ``reauthenticated_at``: when the giver last showed the password, where the rules asked for it.
    """

    approval = models.ForeignKey(Approval, on_delete=models.PROTECT, related_name="decisions")
    actor = models.ForeignKey(Principal, on_delete=models.PROTECT, related_name="decisions")
    decision = models.CharField(max_length=20)
    reviewed_hash = hash_field()
    request_id = models.CharField(max_length=200)
    door = models.CharField(max_length=20)
    os_user = models.CharField(max_length=100, blank=True, default="")
    comment = models.TextField(blank=True, default="")
    acknowledged = models.JSONField(default=list)
    at = models.DateTimeField()
    on_behalf_of = models.ForeignKey(
        Principal, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    reauthenticated_at = models.DateTimeField(null=True, blank=True)
    outcome = models.JSONField(default=dict)

    class Meta:
        ordering = ["id"]
        constraints = [
            one_of("decision_known", "decision", Answer),
            models.UniqueConstraint(
                fields=["approval", "request_id"], name="decision_request_once"
            ),
            models.UniqueConstraint(
                fields=["approval", "actor"],
                name="decision_one_a_person",
                condition=~Q(decision="withdraw"),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.actor} {self.decision} {self.reviewed_hash[7:15]}"
