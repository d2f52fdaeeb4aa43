"""Tokens: what a program shows instead of a password. Only their digest is stored."""

from django.db import models

from reviews.models.principal import Principal


class Token(models.Model):
    """One credential of one principal; ``allow`` can only narrow what its roles give."""

    principal = models.ForeignKey(Principal, on_delete=models.PROTECT, related_name="tokens")
    label = models.CharField(max_length=100, blank=True, default="")
    prefix = models.CharField(max_length=12)
    digest = models.CharField(max_length=64, unique=True)
    allow = models.JSONField(default=list)
    expires_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{self.prefix}… of {self.principal}"
