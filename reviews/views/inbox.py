"""Inbox: what waits for me, why, from whom, and until when."""

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _

from publisher import clock
from reviews import selectors
from reviews.permissions import caller_of
from reviews.views.common import needs_right, show


def address(item: selectors.InboxItem) -> str:
    """Where the thing is settled."""
    if item.kind == "approval" and item.approval is not None:
        return reverse("approval", args=[item.approval.pk])
    if item.kind == "conflict" and item.conflict is not None:
        return reverse("conflict", args=[item.conflict.pk])
    return reverse("job_review", args=[item.job.pk])


@needs_right("login")
def inbox(request: HttpRequest) -> HttpResponse:
    """Oldest and soonest-to-expire first."""
    caller = caller_of(request)
    words = {
        "approval": _("Read and decide"),
        "review": _("See what was found"),
        "conflict": _("Choose a version"),
    }
    items = [
        {"item": item, "href": address(item), "act": words[item.kind]}
        for item in selectors.inbox(caller, now=clock.now())
    ]
    context = {"items": items, "has_role": bool(caller.memberships)}
    return show(request, "reviews/inbox.html", context)
