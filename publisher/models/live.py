"""Live: what was last seen in a site's live checkout."""

from django.db import models

from publisher.models.fields import commit_field
from publisher.models.site import Site


class LiveSight(models.Model):
    """One row a site; ``notes`` are codes with paths, which pages put into words."""

    site = models.OneToOneField(
        Site, primary_key=True, on_delete=models.PROTECT, related_name="live_sight"
    )
    notes = models.JSONField(default=list)
    head = commit_field()
    looked_at = models.DateTimeField()
    sent_commit = commit_field()
    sent_at = models.DateTimeField(null=True, blank=True)
    forwarded_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["site_id"]

    def __str__(self) -> str:
        return f"live checkout of {self.site_id}"
