"""Whose rows somebody sees at the admin site: those of scopes held as admin, operator or auditor."""

from collections.abc import Collection

from django.http import HttpRequest

from publisher.domain.errors import NotAllowed
from reviews.models import Role
from reviews.permissions import caller_of

LOOKING = (Role.ADMIN, Role.OPERATOR, Role.AUDITOR)


def scopes_of(request: HttpRequest) -> Collection[str] | None:
    """The scopes; None for a superuser, who sees all and still decides by the same rules."""
    if getattr(request.user, "is_superuser", False):
        return None
    try:
        asking = caller_of(request)
    except NotAllowed:
        return ()
    return frozenset(
        held.scope for held in asking.memberships if held.role in LOOKING and held.site_id is None
    )
