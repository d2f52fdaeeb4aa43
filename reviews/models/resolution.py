"""Resolutions: what people chose while settling a conflict, and on which two heads."""

from django.db import models

from publisher.models import Conflict
from publisher.models.fields import hash_field
from reviews.models.principal import Principal


class Resolution(models.Model):
    """One saved set of choices; ``choices`` is {path: {choice, hunks, content artifact}}."""

    conflict = models.ForeignKey(Conflict, on_delete=models.PROTECT, related_name="resolutions")
    author = models.ForeignKey(Principal, on_delete=models.PROTECT, related_name="+")
    choices = models.JSONField(default=dict)
    ours_sha256 = hash_field()
    theirs_sha256 = hash_field()
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{self.conflict_id} by {self.author}"
