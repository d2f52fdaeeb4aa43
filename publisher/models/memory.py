"""Memory: scoped, versioned, expiring context used for drafting."""

from django.db import models

from publisher.models.fields import hash_field


class Memory(models.Model):
    """One revision of one entry; older ones stay."""

    scope = models.SlugField(max_length=100)
    key = models.CharField(max_length=150)
    revision = models.PositiveIntegerField()
    content = hash_field()
    author = models.CharField(max_length=150)
    expires_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["scope", "key", "-revision"]
        constraints = [
            models.UniqueConstraint(
                fields=["scope", "key", "revision"], name="memory_revision_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.scope}/{self.key} r{self.revision}"
