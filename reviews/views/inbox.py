"""Inbox: what waits for me, why, from whom, and until when; filters in the address, and views kept."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from reviews import inbox_filters
from reviews.inbox_lines import Line, place_of
from reviews.permissions import caller_of
from reviews.presenters import inbox as presenter
from reviews.services import views as saved
from reviews.views.common import mark_of, needs_right, show
from reviews.views.navigation import inbox_of

PAGE = "inbox"
"""What saved views call this page."""


def address(line: Line) -> str:
    """Where the thing is settled."""
    if line.kind == "review":
        return reverse("job_review", args=[line.job_id])
    return reverse(line.kind, args=[line.number])


@needs_right("login")
def inbox(request: HttpRequest) -> HttpResponse:
    """Risky first, then what ends soon, what would be void, and all else by age."""
    context = _listed(request)
    first, chosen = inbox_of(request).first, context["chosen"]
    kept = saved.of(caller_of(request), page=PAGE)
    own = [view for view in kept if view.query == chosen.query]
    context |= {
        "offers": _offers(chosen, kept),
        "kinds": [
            ("approval", _("approvals")), ("review", _("stopped by a check")),
            ("conflict", _("conflicts")),
        ],
        "sites": sorted({line.site for line in first.items} | {chosen.site} - {""}),
        "people": sorted({line.requester for line in first.items} | {chosen.who} - {""}),
        "own_view": own[0] if own else None,
    }  # fmt: skip
    return show(request, "reviews/inbox.html", context)


@needs_right("login")
def inbox_live(request: HttpRequest) -> HttpResponse:
    """What waits, anew, with its number wherever the page tells it; 204 while it is the same."""
    context = _listed(request)
    if request.GET.get("seen") == context["seen"]:
        return HttpResponse(status=204)
    return render(
        request, "reviews/partials/inbox_live.html", {"now": inbox_of(request).now, **context}
    )


def _offers(chosen: inbox_filters.Filters, kept: list[Any]) -> list[dict[str, Any]]:
    """Views that everybody has, and one's own: a word, an address, and whether this is it."""
    known = [
        (_("Everything"), ""),
        (_("Given to me"), "given=me"),
        (_("Given to my groups"), "given=groups"),
        (_("Risky"), "risk=risky"),
        *((view.name, view.query) for view in kept),
    ]
    return [
        {"word": word, "href": f"?{query}" if query else "/", "is_here": query == chosen.query}
        for word, query in known
    ]


def _listed(request: HttpRequest) -> dict[str, Any]:
    chosen = inbox_filters.read(request.GET)
    caller, box = caller_of(request), inbox_of(request, chosen)
    after = place_of(request.GET.get("after", ""))
    found = box.page(after)
    seen = mark_of(found.items, found.next, str(box.waiting))
    here = {**chosen.used, **({"after": str(after)} if after else {})}
    return {
        "items": [_row(line, box.now) for line in found.items],
        "has_role": bool(caller.memberships),
        "waiting": box.waiting,
        "fitting": found.count,
        "chosen": chosen,
        "live": f"{reverse('inbox_live')}?{urlencode({**here, 'seen': seen})}",
        "is_later": after is not None,
        "following": chosen.address(found.next) if found.next else "",
        "seen": seen,
    }


def _row(line: Line, now: Any) -> dict[str, Any]:
    edit = reverse("job_review", args=[line.job_id]) + "#edit"
    return {
        "line": line,
        "href": address(line),
        "edit": address(line) if line.kind == "conflict" else edit,
        "act": presenter.act(line.kind),
        "reasons": presenter.reasons(line, now=now),
        "ends_at": line.ends_at if line.kind == "approval" else None,
    }
