"""Effects: outside writes, written down before they are tried and confirmed only by proof."""

from enum import StrEnum

from django.db import models

from publisher.domain.workflows import ReplayPolicy
from publisher.models.fields import commit_field, hash_field, one_of
from publisher.models.job import Job


class EffectStatus(StrEnum):
    """What is known of an outside write."""

    INTENT = "intent"
    CONFIRMED = "confirmed"
    ABSENT = "absent"
    UNKNOWN = "unknown"
    CLOSED = "closed"


class Effect(models.Model):
    """One outside write under its operation key, which no attempt or generation ever enters."""

    job = models.ForeignKey(Job, on_delete=models.PROTECT, related_name="effects")
    step = models.CharField(max_length=60)
    action = models.CharField(max_length=60)
    operation_key = models.CharField(max_length=80, unique=True)
    policy = models.CharField(max_length=30)
    status = models.CharField(max_length=20, default=EffectStatus.INTENT.value)
    target = models.JSONField(default=dict)
    request_hash = hash_field()
    manifest_hash = hash_field()
    tip = commit_field()
    commit = commit_field()
    external_id = models.CharField(max_length=300, blank=True, default="")
    receipt = models.JSONField(default=dict)
    fresh_write = models.BooleanField(null=True)
    probes = models.JSONField(default=list)
    evidence = models.TextField(blank=True, default="")
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()

    class Meta:
        ordering = ["-id"]
        constraints = [
            one_of("effect_status_known", "status", EffectStatus),
            one_of("effect_policy_known", "policy", ReplayPolicy),
        ]
        indexes = [
            models.Index(
                fields=["updated_at"],
                name="effect_open",
                # Spelled as the questions spell it: SQLite sees that "or" fits, and "in" not.
                condition=models.Q(status="intent") | models.Q(status="unknown"),
            ),
        ]

    def __str__(self) -> str:
        return self.operation_key
