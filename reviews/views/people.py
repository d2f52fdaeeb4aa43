"""People: who is here, and as what."""

from django.http import HttpRequest, HttpResponse

from reviews import selectors
from reviews.permissions import caller_of
from reviews.services import people as service
from reviews.views.common import needs_right, show


@needs_right("read")
def people(request: HttpRequest) -> HttpResponse:
    """Everybody in the caller's scopes with the roles held there, those for sites out of reach left out."""
    caller = caller_of(request)
    spaces = [
        {
            "scope": scope,
            "people": [
                {"row": person, "roles": roles, "groups": service.groups_of(roles)}
                for person, roles in selectors.people(scope, within=caller)
            ],
        }
        for scope in sorted(caller.scopes)
    ]
    is_admin = caller.may_somewhere("admin")
    context = {
        "spaces": spaces,
        "is_admin": is_admin,
        "without_role": selectors.people_without_role() if is_admin else [],
    }
    return show(request, "reviews/people.html", context)
