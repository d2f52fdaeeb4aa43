"""Audit: who did what to which job, and when."""

from django.http import HttpRequest, HttpResponse
from django.utils.http import urlencode

from reviews import history
from reviews.permissions import caller_of
from reviews.presenters import audit_words, timeline
from reviews.views import reach
from reviews.views.common import needs_right, show

FILTERS = ("actor", "event", "site")


@needs_right("audit")
def audit(request: HttpRequest) -> HttpResponse:
    """Events, newest first, in the places that the caller audits."""
    caller = caller_of(request)
    chosen = {name: request.GET.get(name, "").strip()[:150] for name in FILTERS}
    after = request.GET.get("after", "")
    found = history.events(
        within=caller.within("audit", of="job__"),
        after=int(after) if after.isdecimal() and len(after) < 19 else None,
        actor=chosen["actor"],
        event=chosen["event"],
        site=chosen["site"],
    )
    used = {name: value for name, value in chosen.items() if value}
    context = {
        "entries": [{"row": row, "entry": timeline.entry(row)} for row in found.items],
        "following": "?" + urlencode({**used, "after": str(found.next)}) if found.next else "",
        "chosen": chosen,
        "is_filtered": bool(used),
        "events": audit_words.kinds(),
        "sites": [site.name for site in reach.sites(caller)],
    }
    return show(request, "reviews/audit.html", context)
