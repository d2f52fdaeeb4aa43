"""Effects: outside writes whose outcome is open."""

from django.http import HttpRequest, HttpResponse

from publisher import selectors as engine
from reviews.permissions import caller_of
from reviews.presenters import words
from reviews.views import reach
from reviews.views.common import needs_right, show


@needs_right("operate")
def effects(request: HttpRequest) -> HttpResponse:
    """The desk, oldest first."""
    caller = caller_of(request)
    rows = reach.within(caller, engine.open_effects(scopes=caller.scopes))
    items = [
        {
            "row": row,
            "label": words.of(words.EFFECTS, row.status),
            "what": words.SENT.get(row.action, words.SENT_ANYTHING),
        }
        for row in rows
    ]
    return show(request, "reviews/effects.html", {"items": items})
