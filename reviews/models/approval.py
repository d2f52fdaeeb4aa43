"""Approvals: requests that people decide on one exact envelope."""

from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from typing import Any

from django.db import models
from django.db.models import Q

from publisher.domain.workflows import Risk
from publisher.models import Job
from publisher.models.fields import hash_field, one_of


class ApprovalStatus(StrEnum):
    """Where a request for approval is; the first three are open."""

    PENDING = "pending"
    APPROVED = "approved"
    DISPATCHING = "dispatching"
    DONE = "done"
    REJECTED = "rejected"
    SUPERSEDED = "superseded"
    EXPIRED = "expired"
    WITHDRAWN = "withdrawn"
    VOID = "void"


OPEN = (
    ApprovalStatus.PENDING.value,
    ApprovalStatus.APPROVED.value,
    ApprovalStatus.DISPATCHING.value,
)


TICK = "hidden"
"""Why a part is there that is no file: letters of a file mislead, and a tick says that they were seen."""


def files_of(parts: Iterable[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """The parts that are files, which alone are bound."""
    return (part for part in parts if part["why"] != TICK)


class Approval(models.Model):
    """One envelope that waits for, or got, its yes. ``parts`` names each thing to be read:
    [{id, path, kind, sha256, size, is_showable, why}]. ``risk`` is what it was when people were
    first asked; inboxes rank by it.
    """

    job = models.ForeignKey(Job, on_delete=models.PROTECT, related_name="approvals")
    revision = models.PositiveIntegerField()
    envelope = models.JSONField()
    binding_hash = hash_field(db_index=True)
    status = models.CharField(max_length=20, default=ApprovalStatus.PENDING.value)
    parts = models.JSONField(default=list)
    policy_version = models.PositiveIntegerField(default=0)
    risk = models.CharField(
        max_length=20, default=Risk.ROUTINE.value, db_default=Risk.ROUTINE.value
    )
    wait_until = models.DateTimeField()
    valid_until = models.DateTimeField(null=True, blank=True)
    opened_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True, blank=True)
    closed_why = models.CharField(max_length=200, blank=True, default="")

    class Meta:
        ordering = ["-id"]
        constraints = [
            one_of("approval_status_known", "status", ApprovalStatus),
            one_of("approval_risk_known", "risk", Risk),
            models.UniqueConstraint(
                fields=["job"], name="approval_one_open", condition=Q(status__in=list(OPEN))
            ),
        ]
        indexes = [
            models.Index(
                fields=["wait_until"], name="approval_pending", condition=Q(status="pending")
            ),
            models.Index(  # the riskier word also comes first in the alphabet
                fields=["risk", "opened_at"], name="approval_by_risk", condition=Q(status="pending")
            ),
        ]

    def __str__(self) -> str:
        return f"{self.job_id} {self.binding_hash[7:15]} {self.status}"

    @property
    def is_open(self) -> bool:
        """Whether this request still counts."""
        return self.status in OPEN
