"""Findings: what the gates found in a revision."""

from django.db import models

from publisher.domain.findings import Severity
from publisher.models.fields import PATH_LENGTH, one_of
from publisher.models.step import Step


class Finding(models.Model):
    """One thing a gate found, with what to do about it."""

    step = models.ForeignKey(Step, on_delete=models.PROTECT, related_name="findings")
    severity = models.CharField(max_length=20)
    path = models.CharField(max_length=PATH_LENGTH, blank=True, default="")
    line = models.PositiveIntegerField(null=True, blank=True)
    column = models.PositiveIntegerField(null=True, blank=True)
    rule = models.CharField(max_length=60)
    message = models.TextField()
    advice = models.TextField(blank=True, default="")
    overridden_by = models.CharField(max_length=150, blank=True, default="")
    overridden_why = models.TextField(blank=True, default="")
    overridden_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["step", "id"]
        constraints = [one_of("finding_severity_known", "severity", Severity)]

    def __str__(self) -> str:
        return f"{self.rule}: {self.message}"
