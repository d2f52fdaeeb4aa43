"""Jobs: one request to publish or act, through all its revisions."""

from enum import StrEnum
from functools import reduce
from operator import or_

from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Lower

from publisher.domain.retries import FailureClass
from publisher.domain.states import CLAIMABLE, PEOPLES, TERMINAL, Lane, State
from publisher.models.fields import PATH_LENGTH, commit_field, hash_field, one_of
from publisher.models.site import Site

IS_CLAIMABLE = reduce(or_, (Q(state=state) for state in sorted(map(str, CLAIMABLE))))
"""In a question as in an index: SQLite sees that "or" fits, and "in" not."""
IS_WITH_PEOPLE = reduce(or_, (Q(state=state) for state in sorted(PEOPLES - {State.RECONCILING})))
"""Nothing of it is under way; it waits for somebody."""

MEMORY_SCOPE_CHARACTERS = 100


SOUGHT = ("local_commit", "remote_commit", "manifest_hash", "target_sha256")
"""Hashes that people look for by their beginning; others have an index of their own."""


def _by_beginning(column: str) -> models.Index:
    return models.Index(fields=[column], name=f"job_{column}", opclasses=["varchar_pattern_ops"])


class Operation(StrEnum):
    """What a publication does to its target; empty until a draft made here is judged."""

    UNKNOWN = ""
    CREATE = "create"
    UPDATE = "update"
    DELETE = "delete"


class Job(models.Model):
    """The live row. ``state`` is written by the journal alone (a database trigger refuses other moves)."""

    id = models.CharField(primary_key=True, max_length=36)
    site = models.ForeignKey(Site, on_delete=models.PROTECT, related_name="jobs")
    kind = models.CharField(max_length=60)
    lane = models.CharField(max_length=20)
    scope = models.SlugField(max_length=100)
    requester = models.CharField(max_length=150)
    idempotency_key = models.CharField(max_length=300, blank=True, default="")
    key_digest = models.CharField(max_length=64, null=True, blank=True)
    request_hash = hash_field()

    state = models.CharField(max_length=30)
    resume_state = models.CharField(max_length=30, blank=True, default="")
    state_version = models.PositiveIntegerField(default=0)
    generation = models.PositiveIntegerField(default=0)
    owner = models.CharField(max_length=200, blank=True, default="")
    lease_until = models.DateTimeField(null=True, blank=True)
    attempt = models.PositiveIntegerField(default=0)
    available_at = models.DateTimeField()
    deadline_at = models.DateTimeField(null=True, blank=True)
    not_before = models.DateTimeField(null=True, blank=True)

    revision = models.PositiveIntegerField(default=1)
    ready_draft = models.BooleanField(default=False)
    provider = models.CharField(max_length=60, default="standin")
    topic = models.CharField(max_length=300, blank=True, default="")
    title = models.CharField(max_length=300, blank=True, default="")
    summary = models.TextField(blank=True, default="")
    operation = models.CharField(max_length=20, blank=True, default="")
    target_path = models.CharField(max_length=PATH_LENGTH, blank=True, default="")
    target_sha256 = hash_field()
    base_commit = commit_field()
    source_sha256 = hash_field(db_index=True)
    manifest_hash = hash_field()
    manifest_artifact = hash_field()
    payload_hash = hash_field()
    binding_hash = hash_field(db_index=True)
    memory_scope = models.CharField(max_length=MEMORY_SCOPE_CHARACTERS, blank=True, default="")
    memory_revision = models.PositiveIntegerField(null=True, blank=True)
    memory_expires_at = models.DateTimeField(null=True, blank=True)

    committing_at = models.DateTimeField(null=True, blank=True)
    local_commit = commit_field()
    remote_commit = commit_field()
    recheck_head = commit_field()
    recheck_delta = hash_field()
    recheck_origin = models.CharField(max_length=30, blank=True, default="")

    failure_class = models.CharField(max_length=30, blank=True, default="")
    failure_code = models.CharField(max_length=60, blank=True, default="")
    failure_message = models.TextField(blank=True, default="")
    event_seq = models.PositiveIntegerField(default=0)
    event_hash = hash_field()
    compensates = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.PROTECT, related_name="compensations"
    )
    appeals = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.PROTECT, related_name="appeals_of"
    )
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]
        constraints = [
            one_of("job_state_known", "state", State),
            one_of("job_lane_known", "lane", Lane),
            one_of("job_operation_known", "operation", Operation),
            one_of("job_resume_state_known", "resume_state", State, or_empty=True),
            one_of("job_recheck_origin_known", "recheck_origin", State, or_empty=True),
            one_of("job_failure_class_known", "failure_class", FailureClass, or_empty=True),
            models.UniqueConstraint(fields=["site", "key_digest"], name="job_key_once_a_site"),
        ]
        indexes = [
            models.Index(
                fields=["available_at", "id"],
                name="job_unfinished",
                condition=~Q(state__in=sorted(str(state) for state in TERMINAL)),
            ),
            models.Index(fields=["available_at"], name="job_claimable", condition=IS_CLAIMABLE),
            models.Index(fields=["updated_at"], name="job_with_people", condition=IS_WITH_PEOPLE),
            models.Index(fields=["state", "-id"], name="job_by_state"),
            models.Index(fields=["site", "-id"], name="job_by_site"),
            models.Index(fields=["scope", "-id"], name="job_by_scope"),
            models.Index(fields=["scope", "state", "-id"], name="job_by_scope_state"),
            models.Index(fields=["scope", "kind", "-id"], name="job_by_scope_kind"),
            models.Index(fields=["scope", "operation", "-id"], name="job_by_scope_operation"),
            models.Index(F("scope"), Lower("requester"), F("id").desc(), name="job_by_requester"),
            *(_by_beginning(name) for name in SOUGHT),
            models.Index(fields=["site", "target_path"], name="job_by_target"),
            models.Index(
                fields=["site", "finished_at"],
                name="job_published",
                condition=Q(state=str(State.PUBLISHED)),
            ),
        ]

    def __str__(self) -> str:
        return self.title or self.topic or self.target_path or self.pk

    @property
    def is_terminal(self) -> bool:
        """Whether nothing is due any more."""
        return State(self.state) in TERMINAL
