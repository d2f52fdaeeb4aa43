"""Assignments: give a job to somebody to look at, or no longer; each leads back to the job."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from publisher import clock
from reviews.permissions import Caller, caller_of
from reviews.services import assignments
from reviews.views import reach
from reviews.views.common import needs_right


def assigned(found: Any, caller: Caller) -> dict[str, Any]:
    """What the job's page tells and offers."""
    may_give = assignments.may_give(caller, found)
    return {
        "assignments": assignments.of(found),
        "may_give": may_give,
        "takers": assignments.takers(found) if may_give else None,
    }


@needs_right("read")
def give(request: HttpRequest, job_id: str) -> HttpResponseBase:
    """Give it to the person or group that was chosen: "person:mei", "group:legal"."""
    found = reach.job(request, job_id)
    if request.method == "POST":
        kind, _colon, name = request.POST.get("to", "").partition(":")
        to = {kind: name} if kind in ("person", "group") else {}
        assignments.give(found, caller=caller_of(request), now=clock.now(), **to)
        messages.success(request, _("Given to %(name)s.") % {"name": name})
    return redirect("job", job_id=found.pk)


@needs_right("read")
def take_back(request: HttpRequest, job_id: str, assignment_id: int) -> HttpResponseBase:
    """It is no longer theirs to look at."""
    found = reach.job(request, job_id)
    if request.method == "POST":
        caller = caller_of(request)
        assignments.take_back(found, assignment_id, caller=caller, now=clock.now())
        messages.success(request, _("They are no longer asked to look at it."))
    return redirect("job", job_id=found.pk)
