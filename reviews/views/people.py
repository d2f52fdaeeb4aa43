"""People: who is here, and as what."""

from collections.abc import Iterator
from typing import Any

from django.http import HttpRequest, HttpResponse

from reviews import selectors
from reviews.permissions import Caller, caller_of
from reviews.views.common import needs_right, show


@needs_right("read")
def people(request: HttpRequest) -> HttpResponse:
    """Everybody in the caller's scopes with the roles held there, those for sites out of reach left out."""
    caller = caller_of(request)
    spaces = [
        {"scope": scope, "people": list(_within_reach(caller, scope))}
        for scope in sorted(caller.scopes)
    ]
    is_admin = caller.may_somewhere("admin")
    context = {
        "spaces": spaces,
        "is_admin": is_admin,
        "without_role": selectors.people_without_role() if is_admin else [],
    }
    return show(request, "reviews/people.html", context)


def _within_reach(caller: Caller, scope: str) -> Iterator[dict[str, Any]]:
    """Who has a role for all sites or for one that the caller may read: a role names its site."""
    for person in selectors.people(scope):
        roles = [
            held
            for held in person.memberships.all()
            if held.scope == scope
            and (held.site_id is None or caller.may("read", scope, held.site_id))
        ]
        if roles:
            yield {"row": person, "roles": roles}
