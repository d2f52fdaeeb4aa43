"""The tables of other apps at the admin site: shown as all others are, and changed by nobody."""

from django.apps import apps
from django.contrib import admin
from django.db.models import ForeignKey, Model

from publisher.admin import ReadOnly

SECRET = frozenset(
    {
        "password", "session_key", "session_data", "session_hash", "digest", "payload", "args",
        "kwargs", "result", "get_data", "post_data",
    }
)  # fmt: skip
"""Columns whose values could be used, or may hold what somebody typed or sent."""

_COLUMNS = 6


class Other(ReadOnly):
    """A table of another app. Its rows belong to no scope, so that only superusers see them."""

    def __init__(self, model: type[Model], admin_site: admin.AdminSite) -> None:
        """No row whose very key is a secret is linked to: the address would tell it."""
        super().__init__(model, admin_site)
        fields = self.opts.fields
        self.exclude = [field.name for field in fields if field.name in SECRET]  # type: ignore[misc]
        shown = [field for field in fields if field.name not in SECRET][:_COLUMNS]
        self.list_display = [field.name for field in shown]
        self.list_display_links = None if self.opts.pk.name in SECRET else self.list_display[:1]
        related = [field.name for field in shown if isinstance(field, ForeignKey)]
        self.list_select_related = related or False  # type: ignore[misc]


def cover() -> None:
    """Put each table at the admin site as one to look at, in place of the page its app brought."""
    for model in apps.get_models():
        if not admin.site.is_registered(model):
            admin.site.register(model, Other)
        elif not isinstance(admin.site.get_model_admin(model), ReadOnly):
            admin.site.unregister(model)
            admin.site.register(model, Other)
