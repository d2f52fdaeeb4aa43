"""Topic cursors: how often a session's topic was closed."""

from django.db import models

from publisher.models.site import Site


class TopicCursor(models.Model):
    """One session of one site; ``close_revision`` rises with each close that makes a job.

    ``session`` is shown, with its secrets redacted; ``session_digest`` tells sessions apart.
    """

    site = models.ForeignKey(Site, on_delete=models.PROTECT, related_name="topics")
    session = models.CharField(max_length=200)
    session_digest = models.CharField(max_length=64)
    is_open = models.BooleanField(default=True)
    close_revision = models.PositiveIntegerField(default=0)
    updated_at = models.DateTimeField()

    class Meta:
        ordering = ["site", "session"]
        constraints = [
            models.UniqueConstraint(fields=["site", "session_digest"], name="topic_session_once"),
        ]

    def __str__(self) -> str:
        return self.session
