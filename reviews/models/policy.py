"""Policies: the rules of approval in a scope, in versions that are only ever added."""

from django.db import models
from django.db.models import Q

from publisher.models import Site

ANY_ACTION = "*"


class Policy(models.Model):
    """One version of the rules for a scope, or for one site or one action in it."""

    scope = models.SlugField(max_length=100)
    site = models.ForeignKey(
        Site, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    action = models.CharField(max_length=60, default=ANY_ACTION)
    version = models.PositiveIntegerField()
    rules = models.JSONField(default=dict)
    who = models.CharField(max_length=150)
    why = models.TextField(blank=True, default="")
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["scope", "site", "action", "-version"]
        verbose_name_plural = "policies"
        constraints = [
            models.UniqueConstraint(
                fields=["scope", "action", "version"],
                name="policy_version_once_a_scope",
                condition=Q(site__isnull=True),
            ),
            models.UniqueConstraint(
                fields=["scope", "site", "action", "version"],
                name="policy_version_once_a_site",
                condition=Q(site__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.scope} {self.action} v{self.version}"
