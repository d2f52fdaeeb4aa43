"""Reading: which parts were shown to whom, what was said about a line, and who is at work on a page."""

from django.db import models

from publisher.models import Job
from publisher.models.fields import PATH_LENGTH, hash_field
from reviews.models.approval import Approval
from reviews.models.principal import Principal


class Shown(models.Model):
    """One part of one envelope that was shown to its end to one person.

    ``part`` is the id of a part that fits on a page; of a text that is read in pieces, it is one
    of them (``services.reading`` names them, and knows when all of one way of looking are there).
    ``view`` is the way of looking, the hashes are those of the text beside which it was shown and
    of the text itself; rows of older releases have none of the three.
    """

    approval = models.ForeignKey(Approval, on_delete=models.PROTECT, related_name="shown")
    actor = models.ForeignKey(Principal, on_delete=models.PROTECT, related_name="+")
    binding_hash = hash_field()
    part = models.CharField(max_length=PATH_LENGTH)
    view = models.CharField(max_length=20, blank=True, default="", db_default="")
    base_sha256 = hash_field(db_default="")
    content_sha256 = hash_field(db_default="")
    at = models.DateTimeField()

    class Meta:
        ordering = ["id"]
        verbose_name_plural = "shown"
        constraints = [
            models.UniqueConstraint(
                fields=["approval", "actor", "binding_hash", "part"], name="shown_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.part} to {self.actor}"


class Comment(models.Model):
    """What a person said about a job, anchored to a line where one was named."""

    job = models.ForeignKey(Job, on_delete=models.PROTECT, related_name="comments")
    approval = models.ForeignKey(
        Approval, null=True, blank=True, on_delete=models.PROTECT, related_name="comments"
    )
    author = models.ForeignKey(Principal, on_delete=models.PROTECT, related_name="+")
    path = models.CharField(max_length=PATH_LENGTH, blank=True, default="")
    line = models.PositiveIntegerField(null=True, blank=True)
    text = models.TextField()
    created_at = models.DateTimeField()
    settled_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.author} on {self.job_id}"


class Claim(models.Model):
    """A soft lock: who works on something at the moment. It stops nobody."""

    subject = models.CharField(max_length=80, unique=True)
    holder = models.ForeignKey(Principal, on_delete=models.PROTECT, related_name="+")
    since = models.DateTimeField()
    until = models.DateTimeField()

    class Meta:
        ordering = ["subject"]

    def __str__(self) -> str:
        return f"{self.subject}: {self.holder}"
