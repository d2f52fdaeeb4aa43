"""The people's side as a Django app."""

from importlib import import_module

from django.apps import AppConfig


class ReviewsConfig(AppConfig):
    """Registers what listens: principals of new users, the guards of decisions."""

    name = "reviews"
    label = "reviews"
    verbose_name = "Reviews"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Load what registers itself; none of it may be imported before the models are."""
        import_module("reviews.models.triggers")
        import_module("reviews.session_ends")
        import_module("reviews.signals")
