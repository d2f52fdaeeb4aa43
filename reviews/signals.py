"""Each login has its principal: made with the user, so that no page meets a user without one."""

from typing import Any

from django.conf import settings
from django.db.models.signals import post_save
from django.utils import timezone

from reviews.models import Kind, Principal


def _on_user_saved(instance: Any, created: bool, raw: bool = False, **_: Any) -> None:
    """A new user gets a principal of the same name, without any role. An agent's name is taken."""
    if raw or not created:
        return
    made, _is_new = Principal.objects.get_or_create(
        name=instance.get_username(),
        defaults={"kind": Kind.PERSON.value, "user": instance, "created_at": timezone.now()},
    )
    if made.user is None and not made.is_agent:
        Principal.objects.filter(pk=made.pk, user__isnull=True).update(user=instance)


post_save.connect(_on_user_saved, sender=settings.AUTH_USER_MODEL, dispatch_uid="reviews.signals")
