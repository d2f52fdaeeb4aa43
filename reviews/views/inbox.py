"""Inbox: what waits for me, why, from whom, and until when."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from publisher import clock
from reviews import inbox as waiting
from reviews.permissions import caller_of
from reviews.views.common import mark_of, needs_right, show


def address(item: waiting.InboxItem) -> str:
    """Where the thing is settled."""
    if item.kind == "approval" and item.approval is not None:
        return reverse("approval", args=[item.approval.pk])
    if item.kind == "conflict" and item.conflict is not None:
        return reverse("conflict", args=[item.conflict.pk])
    return reverse("job_review", args=[item.job.pk])


@needs_right("login")
def inbox(request: HttpRequest) -> HttpResponse:
    """Oldest and soonest-to-expire first."""
    return show(request, "reviews/inbox.html", _waiting(request))


@needs_right("login")
def inbox_live(request: HttpRequest) -> HttpResponse:
    """What waits, anew, with its number wherever the page tells it; 204 while it is the same."""
    context = _waiting(request)
    if request.GET.get("seen") == context["seen"]:
        return HttpResponse(status=204)
    return render(request, "reviews/partials/inbox_live.html", {"now": clock.now(), **context})


def _waiting(request: HttpRequest) -> dict[str, Any]:
    caller = caller_of(request)
    words = {
        "approval": _("Read and decide"),
        "review": _("See what was found"),
        "conflict": _("Choose a version"),
    }
    now, after = clock.now(), waiting.place_of(request.GET.get("after", ""))
    found = waiting.page(caller, now=now, after=after)
    count = waiting.waiting(caller, now=now)
    shown = [(address(item), item.job.state_version, item.expires_at) for item in found.items]
    return {
        "items": [
            {"item": item, "href": address(item), "act": words[item.kind]} for item in found.items
        ],
        "has_role": bool(caller.memberships),
        "waiting": count,
        "following": found.next,
        "after": str(after) if after else "",
        "seen": mark_of(shown, found.next, str(count)),
    }
