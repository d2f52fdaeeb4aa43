"""The engine as a Django app, and the admin site at which nothing is changed."""

from importlib import import_module

from django.apps import AppConfig
from django.conf import settings
from django.contrib.admin.apps import AdminConfig


class PublisherConfig(AppConfig):
    """Registers the checks and, when asked for, the fault points."""

    name = "publisher"
    label = "publisher"
    verbose_name = "Publisher"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Load what registers itself; none of it may be imported before the models are."""
        import_module("publisher.checks")
        import_module("publisher.models.triggers")
        if settings.IMPRIMATUR_FAULT:
            import_module("publisher.faults").install(settings.IMPRIMATUR_FAULT)


class ReadOnlyAdminConfig(AdminConfig):
    """Django's admin site; what other apps put there with a form is put there without one."""

    def ready(self) -> None:
        """Cover the rest once each app has registered its own."""
        super().ready()
        import_module("publisher.admin_others").cover()
