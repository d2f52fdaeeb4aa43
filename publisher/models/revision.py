"""Revisions: numbered versions of what a job proposes."""

from collections.abc import Mapping
from typing import Any

from django.db import models

from publisher.models.fields import hash_field
from publisher.models.job import Job


def given_title(inputs: Mapping[str, Any], job: Job) -> str:
    """The title that a person or program gave; a revert's is that of the job it takes back."""
    title: str = inputs.get("title", job.title)
    return title


def given_path(inputs: Mapping[str, Any], job: Job) -> str:
    """The article's path that a person or program gave; empty where the text decides."""
    path: str = inputs.get("path", job.target_path)
    return path


def taken_out(inputs: Mapping[str, Any], job: Job) -> list[dict[str, str]]:
    """What was redacted, by ``path`` and ``rule``; older rows name rules alone, of the article."""
    return [
        entry if isinstance(entry, dict) else {"path": job.target_path, "rule": entry}
        for entry in inputs["redacted"]
    ]


class Revision(models.Model):
    """One content version. ``inputs`` names artifacts by hash; rows are never changed.

    ``inputs`` holds ``sources`` [{id, artifact}], ``content`` (artifact or None), ``assets``
    [{path, artifact}], ``set_front_matter``, ``title`` and ``path`` (as they were given,
    empty where they follow the text), ``redacted`` [{path, rule}] and ``edited`` (where people
    wrote all of the content, its head too).
    """

    job = models.ForeignKey(Job, on_delete=models.PROTECT, related_name="revisions")
    number = models.PositiveIntegerField()
    inputs = models.JSONField(default=dict)
    input_hash = hash_field()
    content = hash_field()
    author = models.CharField(max_length=150)
    why = models.TextField(blank=True, default="")
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["job", "number"]
        constraints = [
            models.UniqueConstraint(fields=["job", "number"], name="revision_number_once"),
        ]

    def __str__(self) -> str:
        return f"{self.job_id} r{self.number}"

    @property
    def given_title(self) -> str:
        """The title that was given for this revision."""
        return given_title(self.inputs, self.job)
