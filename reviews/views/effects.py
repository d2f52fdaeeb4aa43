"""Effects: outside writes whose outcome is open."""

from django.http import HttpRequest, HttpResponse

from reviews import lists
from reviews.permissions import caller_of
from reviews.presenters import words
from reviews.views.common import SHOWN, after_of, needs_right, show


@needs_right("operate")
def effects(request: HttpRequest) -> HttpResponse:
    """The desk, oldest first."""
    after = after_of(request)
    found = lists.effects(caller_of(request), right="operate", after=after, limit=SHOWN)
    items = [
        {
            "row": row,
            "label": words.of(words.EFFECTS, row.status),
            "what": words.SENT.get(row.action, words.SENT_ANYTHING),
        }
        for row in found.items
    ]
    context = {"items": items, "following": found.next, "is_later": bool(after)}
    return show(request, "reviews/effects.html", context)
