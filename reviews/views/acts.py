"""Acts on a job: one address each, POST only; each leads back to the job."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from publisher import clock
from publisher.domain.errors import NotFound
from reviews.permissions import Caller, caller_of
from reviews.services import work
from reviews.views import reach
from reviews.views.common import needs_right

Doer = Callable[[Any, Caller, str], Any]


def _cancel(job: Any, caller: Caller, reason: str) -> Any:
    return work.cancel(job, caller=caller, now=clock.now(), reason=reason)


def _retry(job: Any, caller: Caller, reason: str) -> Any:
    return work.retry(job, caller=caller, now=clock.now())


def _skip(job: Any, caller: Caller, reason: str) -> Any:
    return work.skip(job, caller=caller, now=clock.now(), reason=reason)


def _ask_again(job: Any, caller: Caller, reason: str) -> Any:
    return work.ask_again(job, caller=caller, now=clock.now())


def _publish_anyway(job: Any, caller: Caller, reason: str) -> Any:
    return work.publish_anyway(job, caller=caller, now=clock.now()).job


def _revert(job: Any, caller: Caller, reason: str) -> Any:
    return work.revert(job, caller=caller, now=clock.now()).job


def _record_published(job: Any, caller: Caller, reason: str) -> Any:
    return work.record_published(job, caller=caller, now=clock.now(), reason=reason)


ACTS: dict[str, Doer] = {
    "cancel": _cancel,
    "retry": _retry,
    "skip": _skip,
    "ask-again": _ask_again,
    "publish-anyway": _publish_anyway,
    "revert": _revert,
    "record-published": _record_published,
}


@needs_right("read")
def act(request: HttpRequest, job_id: str, name: str) -> HttpResponseBase:
    """Do it, say it, show the job. The service asks for the right."""
    found = reach.job(request, job_id)
    doer = ACTS.get(name)
    if doer is None:
        raise NotFound("There is no such act.")
    if request.method != "POST":
        return redirect("job", job_id=found.pk)
    after = doer(found, caller_of(request), request.POST.get("reason", "").strip())
    said = {
        "cancel": _("Cancelled. Nothing more happens with this job."),
        "retry": _("It is tried again now."),
        "skip": _("Given up. Nothing is published."),
        "ask-again": _("Reviewers are asked again."),
        "publish-anyway": _("This is the job that publishes it anyway."),
        "record-published": _("A worker looks at the site now. What it finds appears below."),
        "revert": _("This is the job that takes it back. Reviewers are asked first."),
    }
    messages.success(request, said[name])
    return redirect("job", job_id=after.pk)


def download(data: bytes, name: str) -> HttpResponse:
    """Bytes as an attachment that no browser interprets."""
    response = HttpResponse(data, content_type="application/octet-stream")
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    response["X-Content-Type-Options"] = "nosniff"
    return response
