"""Sites: one git remote, its branch and the rules of its content."""

from enum import StrEnum

from django.db import models

from publisher.models.fields import commit_field, one_of
from publisher.ports import SiteSpec


class CloneState(StrEnum):
    """How far the site's clone on this installation is."""

    PENDING = "pending"
    CLONING = "cloning"
    READY = "ready"
    FAILED = "failed"


class Site(models.Model):
    """A place that jobs publish to."""

    name = models.SlugField(max_length=100, unique=True)
    scope = models.SlugField(max_length=100)
    remote = models.CharField(max_length=2000)
    branch = models.CharField(max_length=250, blank=True, default="")
    articles = models.CharField(max_length=500, default="content/**/*.{md,mdx}")
    assets = models.CharField(max_length=500, default="public/**")
    fonts = models.CharField(max_length=500, blank=True, default="")
    font_source = models.CharField(max_length=2000, blank=True, default="")
    required_front_matter = models.JSONField(default=list)
    trailer_prefix = models.CharField(max_length=40, default="Blog")
    token_file = models.CharField(max_length=2000, blank=True, default="")
    host_keys = models.TextField(blank=True, default="")
    live_checkout = models.CharField(max_length=2000, blank=True, default="")
    quiet_seconds = models.PositiveIntegerField(default=300)
    paused_lanes = models.JSONField(default=list)
    clone_state = models.CharField(max_length=20, default=CloneState.PENDING.value)
    clone_progress = models.CharField(max_length=300, blank=True, default="")
    head = commit_field()
    root_commit = commit_field()
    stop_reason = models.TextField(blank=True, default="")
    watched_head = commit_field()
    watched_at = models.DateTimeField(null=True, blank=True)
    indexed_commit = commit_field()
    fetched_at = models.DateTimeField(null=True, blank=True)
    last_error = models.TextField(blank=True, default="")
    last_error_at = models.DateTimeField(null=True, blank=True)
    check_report = models.JSONField(default=list)
    created_at = models.DateTimeField()
    removed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["name"]
        constraints = [one_of("site_clone_state_known", "clone_state", CloneState)]

    def __str__(self) -> str:
        return self.name

    @property
    def spec(self) -> SiteSpec:
        """What adapters need to know."""
        return SiteSpec(
            id=self.pk,
            name=self.name,
            remote=self.remote,
            branch=self.branch,
            trailer_prefix=self.trailer_prefix,
            token_file=self.token_file,
        )

    @property
    def roots(self) -> tuple[str, ...]:
        """The glob patterns that a job's paths must match."""
        return tuple(pattern for pattern in (self.articles, self.assets) if pattern)
