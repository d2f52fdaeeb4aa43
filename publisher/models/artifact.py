"""Artifacts: immutable bytes named by their SHA-256."""

from django.db import models

from publisher.models.fields import HASH_LENGTH


class Artifact(models.Model):
    """The row of stored bytes; the bytes themselves lie in Django's storage under the hash."""

    sha256 = models.CharField(primary_key=True, max_length=HASH_LENGTH)
    size = models.PositiveBigIntegerField()
    kind = models.CharField(max_length=60)
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["sha256"]

    def __str__(self) -> str:
        return self.sha256
