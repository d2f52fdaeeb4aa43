"""Events: the append-only, hash-chained history; the sealed heads; the legal moves as rows."""

from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Lower

from publisher.models.fields import hash_field
from publisher.models.job import Job

GIVES_A_NAME = Q(event="approve") | Q(event="revise") | Q(event="submit")
"""Who submitted, changed or approved a text is looked for by name; in this spelling SQLite uses the index."""


class JobEvent(models.Model):
    """One thing that happened to a job. ``target`` is empty for a note without a move."""

    job = models.ForeignKey(Job, on_delete=models.PROTECT, related_name="events")
    seq = models.PositiveIntegerField()
    event = models.CharField(max_length=60)
    actor = models.CharField(max_length=20)
    actor_name = models.CharField(max_length=150, blank=True, default="")
    source = models.CharField(max_length=30, blank=True, default="")
    target = models.CharField(max_length=30, blank=True, default="")
    reason = models.TextField(blank=True, default="")
    generation = models.PositiveIntegerField(default=0)
    facts = models.JSONField(default=dict)
    at = models.DateTimeField()
    previous_hash = hash_field()
    hash = hash_field()

    class Meta:
        ordering = ["job", "seq"]
        constraints = [
            models.UniqueConstraint(fields=["job", "seq"], name="event_seq_once"),
        ]
        indexes = [
            models.Index(
                Lower("actor_name"), F("job").desc(), name="event_by_person", condition=GIVES_A_NAME
            ),
        ]

    def __str__(self) -> str:
        return f"{self.job_id} #{self.seq} {self.event}"


class Seal(models.Model):
    """A digest over all heads that changed since the seal before; also appended to a file.

    ``last_event`` is the row up to which events were looked at; it only saves work.
    """

    number = models.PositiveIntegerField(unique=True)
    heads = models.JSONField(default=dict)
    previous_hash = hash_field()
    hash = hash_field()
    at = models.DateTimeField()
    last_event = models.PositiveBigIntegerField(default=0)

    class Meta:
        ordering = ["number"]
        indexes = [models.Index(fields=["last_event"], name="seal_by_event")]

    def __str__(self) -> str:
        return f"seal {self.number}"


class Transition(models.Model):
    """One legal move, kept equal to the table in ``domain/states.py``; a trigger reads it."""

    source = models.CharField(max_length=30)
    target = models.CharField(max_length=30)

    class Meta:
        ordering = ["source", "target"]
        constraints = [
            models.UniqueConstraint(fields=["source", "target"], name="transition_once"),
        ]

    def __str__(self) -> str:
        return f"{self.source} -> {self.target}"
