"""The admin site's view of the engine: every table, to be read and not to be changed.

Whatever has rules is changed through services, on the pages, over HTTP or at the console.
"""

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.db.models import Model, QuerySet
from django.http import HttpRequest

from publisher import models
from publisher.domain.remotes import shown

if TYPE_CHECKING:
    Table = admin.ModelAdmin[Any]
else:
    Table = admin.ModelAdmin  # takes no type argument when it runs

ScopesOf = Callable[[HttpRequest], Collection[str] | None]


def _superusers_all(request: HttpRequest) -> Collection[str] | None:
    """Without the people's app there are no scopes to be held: superusers see all, others nothing."""
    return None if getattr(request.user, "is_superuser", False) else ()


class ReadOnly(Table):
    """Shows the rows of the scopes that the user may look into; changes nothing.

    ``scope_path`` leads from the row to its scope; without one only those who see all see it.
    ``plural`` names the table where an "s" after its model's name would not; it stands here
    because in the model it would ask for a migration that changes nothing.
    """

    scope_path = ""
    plural = ""
    scopes_of: ScopesOf = staticmethod(_superusers_all)
    show_full_result_count = False
    list_per_page = 50

    def __init__(self, model: type[Model], admin_site: admin.AdminSite) -> None:
        """The table by the name that people give it."""
        super().__init__(model, admin_site)
        if self.plural:
            self.opts.verbose_name_plural = self.plural

    def has_module_permission(self, request: HttpRequest) -> bool:
        """Whether the app is listed at all."""
        return self.has_view_permission(request)

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Staff with at least one scope to look into."""
        user = request.user
        if not (user.is_active and user.is_staff):
            return False
        scopes = ReadOnly.scopes_of(request)
        return scopes is None or (bool(scopes) and bool(self.scope_path))

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Rows come from services."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Rows change through services."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Nothing is deleted here."""
        return False

    def lookup_allowed(self, lookup: str, value: Any, request: HttpRequest | None = None) -> bool:
        """What is not shown is not asked for either: a filter would tell it letter by letter."""
        hidden = set(self.exclude or ()) & set(lookup.split("__"))
        return not hidden and super().lookup_allowed(lookup, value, request)  # type: ignore[arg-type]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Only rows of the user's scopes."""
        rows = super().get_queryset(request)
        scopes = ReadOnly.scopes_of(request)
        if scopes is None:
            return rows
        if not self.scope_path:
            return rows.none()
        return rows.filter(**{f"{self.scope_path}__in": list(scopes)})


class SitesInReach(admin.RelatedFieldListFilter):
    """Offers the sites whose rows are shown: a filter's names tell of a scope as much as a row does."""

    def field_choices(
        self, field: Any, request: HttpRequest, model_admin: admin.ModelAdmin[Any]
    ) -> list[Any]:
        """Sites of the user's scopes."""
        scopes = ReadOnly.scopes_of(request)
        limit = {} if scopes is None else {"scope__in": list(scopes)}
        found: list[Any] = field.get_choices(
            include_blank=False, ordering=("name",), limit_choices_to=limit
        )
        return found


@admin.register(models.Site)
class SiteAdmin(ReadOnly):
    """Sites."""

    scope_path = "scope"
    list_display = ("name", "scope", "address", "branch", "clone_state", "fetched_at")
    search_fields = ("name",)
    readonly_fields = ("address",)
    exclude = ("remote",)  # an old one may hold a password

    @admin.display(description="remote")
    def address(self, site: models.Site) -> str:
        """The remote as every page shows it."""
        return shown(site.remote)


@admin.register(models.LiveSight)
class LiveSightAdmin(ReadOnly):
    """Live checkouts."""

    scope_path = "site__scope"
    list_display = ("site", "looked_at", "sent_commit", "sent_at", "forwarded_at")


@admin.register(models.Job)
class JobAdmin(ReadOnly):
    """Jobs."""

    scope_path = "scope"
    list_display = ("id", "site", "state", "title", "requester", "created_at")
    list_filter = ("state", "kind", ("site", SitesInReach))
    list_select_related = ("site",)
    search_fields = ("id", "title", "topic", "target_path", "requester")


@admin.register(models.Revision)
class RevisionAdmin(ReadOnly):
    """Revisions."""

    scope_path = "job__scope"
    list_display = ("job_id", "number", "author", "why", "created_at")


@admin.register(models.SearchText)
class SearchTextAdmin(ReadOnly):
    """What jobs are found by."""

    scope_path = "job__scope"
    list_display = ("job_id", "text_begin")

    @admin.display(description="text")
    def text_begin(self, kept: models.SearchText) -> str:
        """As much as fits a line."""
        return kept.text[:80]


@admin.register(models.JobEvent)
class JobEventAdmin(ReadOnly):
    """Events."""

    scope_path = "job__scope"
    list_display = ("job_id", "seq", "event", "source", "target", "actor_name", "at")
    list_filter = ("event",)
    search_fields = ("job__id",)


@admin.register(models.Step)
class StepAdmin(ReadOnly):
    """Steps."""

    scope_path = "job__scope"
    list_display = ("job_id", "revision", "name", "state", "attempt", "finished_at")
    list_filter = ("state", "name")


@admin.register(models.Finding)
class FindingAdmin(ReadOnly):
    """Findings."""

    scope_path = "step__job__scope"
    list_display = ("step", "severity", "path", "line", "rule", "overridden_by")
    list_filter = ("severity", "rule")
    list_select_related = ("step",)


@admin.register(models.Effect)
class EffectAdmin(ReadOnly):
    """Outside writes."""

    scope_path = "job__scope"
    list_display = ("job_id", "action", "status", "policy", "updated_at")
    list_filter = ("status",)


@admin.register(models.Conflict)
class ConflictAdmin(ReadOnly):
    """Conflicts."""

    scope_path = "job__scope"
    list_display = ("job_id", "kind", "revision", "created_at", "settled_how")


@admin.register(models.Delta)
class DeltaAdmin(ReadOnly):
    """Judged deltas."""

    scope_path = "job__scope"
    list_display = ("job_id", "revision", "head", "verdict", "judged_by", "created_at")


@admin.register(models.Memory)
class MemoryAdmin(ReadOnly):
    """Memory."""

    plural = "memory"
    scope_path = "scope"
    list_display = ("scope", "key", "revision", "author", "expires_at")


@admin.register(models.TopicCursor)
class TopicCursorAdmin(ReadOnly):
    """Topics."""

    scope_path = "site__scope"
    list_display = ("site", "session", "is_open", "close_revision")
    list_select_related = ("site",)


@admin.register(models.Article)
class ArticleAdmin(ReadOnly):
    """The index of articles."""

    scope_path = "site__scope"
    list_display = ("site", "path", "title")
    list_select_related = ("site",)
    exclude = ("sketch", "place_key")


@admin.register(models.OtherFile)
class OtherFileAdmin(ReadOnly):
    """The index of what is no article."""

    scope_path = "site__scope"
    list_display = ("site", "path", "is_regular")
    list_select_related = ("site",)
    exclude = ("place_key",)


@admin.register(models.Outbox)
class OutboxAdmin(ReadOnly):
    """Messages; those without a job belong to no scope."""

    plural = "outbox"
    scope_path = "job__scope"
    list_display = ("id", "kind", "job_id", "due_at", "tries", "owner", "done_at")
    list_filter = ("kind",)


@admin.register(models.Artifact, models.Seal, models.Transition, models.Node)
class InstallationAdmin(ReadOnly):
    """What belongs to the whole installation."""
