"""Steps: units of a workflow with their verified, stored results (checkpoints)."""

from enum import StrEnum

from django.db import models

from publisher.models.fields import hash_field, one_of
from publisher.models.job import Job


class StepState(StrEnum):
    """Where a step is."""

    PENDING = "pending"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    WAITING_APPROVAL = "waiting_approval"
    RETRY_SCHEDULED = "retry_scheduled"
    FAILED = "failed"
    COMPENSATING = "compensating"
    COMPENSATED = "compensated"
    CANCELLED = "cancelled"
    MANUAL_INTERVENTION = "manual_intervention"


class Step(models.Model):
    """One step of one revision. ``outputs`` maps names to values or artifact hashes."""

    job = models.ForeignKey(Job, on_delete=models.PROTECT, related_name="steps")
    revision = models.PositiveIntegerField()
    name = models.CharField(max_length=60)
    position = models.PositiveSmallIntegerField()
    state = models.CharField(max_length=30, default=StepState.PENDING.value)
    attempt = models.PositiveIntegerField(default=0)
    input_hash = hash_field()
    outputs = models.JSONField(default=dict)
    assertions = models.JSONField(default=list)
    fingerprint = hash_field()
    event_seq = models.PositiveIntegerField(default=0)
    error_class = models.CharField(max_length=60, blank=True, default="")
    error = models.TextField(blank=True, default="")
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["job", "revision", "position"]
        constraints = [
            models.UniqueConstraint(fields=["job", "revision", "name"], name="step_once"),
            one_of("step_state_known", "state", StepState),
        ]

    def __str__(self) -> str:
        return f"{self.job_id} r{self.revision} {self.name}"
