"""Nodes: the machines and processes that show they live."""

from django.db import models


class Node(models.Model):
    """One process kind on one machine of this installation ("worker", "sweep", "web")."""

    installation = models.CharField(max_length=36)
    name = models.CharField(max_length=150)
    role = models.CharField(max_length=30)
    version = models.CharField(max_length=30, blank=True, default="")
    facts = models.JSONField(default=dict)
    heartbeat_at = models.DateTimeField()

    class Meta:
        ordering = ["name", "role"]
        constraints = [models.UniqueConstraint(fields=["name", "role"], name="node_once")]

    def __str__(self) -> str:
        return f"{self.name} ({self.role})"
