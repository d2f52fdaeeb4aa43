"""Policies: which rules hold where, in words."""

from django.http import HttpRequest, HttpResponse

from reviews import selectors
from reviews.permissions import caller_of
from reviews.presenters import policies as presenter
from reviews.rules import DEFAULT, from_json
from reviews.views.common import needs_right, show


@needs_right("read")
def policies(request: HttpRequest) -> HttpResponse:
    """The newest version of each policy in reach, the narrowest last."""
    caller = caller_of(request)
    rows = [
        {"row": row, "sentences": presenter.sentences(from_json(row.rules))}
        for row in selectors.policies_for(caller)
        if caller.may("read", row.scope, row.site)
    ]
    context = {
        "rows": rows,
        "built_in": presenter.sentences(DEFAULT),
        "is_admin": caller.may_somewhere("admin"),
    }
    return show(request, "reviews/policies.html", context)
