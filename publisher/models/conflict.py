"""Conflicts: base, ours and theirs that cannot be joined safely; deltas that were judged."""

from enum import StrEnum

from django.db import models

from publisher.models.fields import commit_field, hash_field, one_of
from publisher.models.job import Job


class Conflict(models.Model):
    """One clash of a revision with the remote.

    ``files`` holds [{path, kind, base, ours, theirs (artifact or None), commit, author, date,
    subject, moved_to}] and says who changed what on the remote.
    """

    job = models.ForeignKey(Job, on_delete=models.PROTECT, related_name="conflicts")
    revision = models.PositiveIntegerField()
    kind = models.CharField(max_length=60)
    files = models.JSONField(default=list)
    base_commit = commit_field()
    tip = commit_field()
    ours_sha256 = hash_field()
    theirs_sha256 = hash_field()
    created_at = models.DateTimeField()
    settled_at = models.DateTimeField(null=True, blank=True)
    settled_by = models.CharField(max_length=150, blank=True, default="")
    settled_how = models.CharField(max_length=60, blank=True, default="")

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["job"],
                name="conflict_one_open",
                condition=models.Q(settled_at__isnull=True),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.job_id} {self.kind}"


class Judged(StrEnum):
    """What arrived meanwhile says the same, or something else; there is no third answer."""

    SKIP = "SKIP"
    KEEP = "KEEP"


class Delta(models.Model):
    """Article changes between base and remote head that were judged once for a job's revision.

    Rows of a release that did not keep the revision have 0, and count for none.
    """

    job = models.ForeignKey(Job, on_delete=models.PROTECT, related_name="deltas")
    revision = models.PositiveIntegerField(db_default=0)
    fingerprint = hash_field()
    head = commit_field()
    verdict = models.CharField(max_length=20)
    evidence = models.JSONField(default=list)
    judged_by = models.CharField(max_length=150, blank=True, default="")
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["job", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["job", "revision", "fingerprint"], name="delta_judged_once"
            ),
            one_of("delta_verdict_known", "verdict", Judged),
        ]

    def __str__(self) -> str:
        return f"{self.job_id} {self.verdict}"
