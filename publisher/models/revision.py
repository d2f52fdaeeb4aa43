"""Revisions: numbered versions of what a job proposes."""

from django.db import models

from publisher.models.fields import hash_field
from publisher.models.job import Job


class Revision(models.Model):
    """One content version. ``inputs`` names artifacts by hash; rows are never changed.

    ``inputs`` holds ``sources`` [{id, artifact}], ``content`` (artifact or None), ``files``
    [{path, artifact}] of a hand edit, ``assets`` [{path, artifact}], ``set_front_matter`` and
    ``title``: the one that came with the request, which a hand edit has none of.
    """

    job = models.ForeignKey(Job, on_delete=models.PROTECT, related_name="revisions")
    number = models.PositiveIntegerField()
    inputs = models.JSONField(default=dict)
    input_hash = hash_field()
    content = hash_field()
    author = models.CharField(max_length=150)
    why = models.TextField(blank=True, default="")
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["job", "number"]
        constraints = [
            models.UniqueConstraint(fields=["job", "number"], name="revision_number_once"),
        ]

    def __str__(self) -> str:
        return f"{self.job_id} r{self.number}"
