"""Outbox: messages written in the same transaction as the state they announce."""

from django.db import models

from publisher.models.job import Job


class Outbox(models.Model):
    """One message, delivered at least once; its id is deterministic where no job is named."""

    id = models.CharField(primary_key=True, max_length=80)
    kind = models.CharField(max_length=60)
    payload = models.JSONField(default=dict)
    job = models.ForeignKey(
        Job, null=True, blank=True, on_delete=models.PROTECT, related_name="messages"
    )
    due_at = models.DateTimeField()
    tries = models.PositiveIntegerField(default=0)
    owner = models.CharField(max_length=200, blank=True, default="")
    lease_until = models.DateTimeField(null=True, blank=True)
    done_at = models.DateTimeField(null=True, blank=True)
    last_error = models.TextField(blank=True, default="")
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["created_at", "id"]
        indexes = [
            models.Index(
                fields=["due_at"], name="outbox_open", condition=models.Q(done_at__isnull=True)
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.pk}"
