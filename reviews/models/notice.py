"""Notices and views: what a person was told, and the filters that a person saved."""

from django.db import models

from publisher.models import Job
from reviews.models.principal import Principal


class Notice(models.Model):
    """One message to one person."""

    principal = models.ForeignKey(Principal, on_delete=models.PROTECT, related_name="notices")
    job = models.ForeignKey(
        Job, null=True, blank=True, on_delete=models.PROTECT, related_name="notices"
    )
    channel = models.CharField(max_length=20, default="page")
    message = models.TextField()
    created_at = models.DateTimeField()
    read_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return self.message[:60]


class View(models.Model):
    """A saved filter of a list."""

    principal = models.ForeignKey(Principal, on_delete=models.CASCADE, related_name="views")
    name = models.CharField(max_length=100)
    page = models.CharField(max_length=60)
    query = models.CharField(max_length=1000, blank=True, default="")

    class Meta:
        ordering = ["principal", "name"]
        constraints = [
            models.UniqueConstraint(fields=["principal", "name"], name="view_name_once"),
        ]

    def __str__(self) -> str:
        return self.name
