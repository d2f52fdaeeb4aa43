"""Deciding: the review page's form; the service decides, and a refusal keeps what was typed."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from publisher import clock
from publisher.domain.errors import (
    Clash,
    Expired,
    ImprimaturError,
    InvalidInput,
    PasswordNeeded,
    TooManyTries,
)
from reviews import proofs
from reviews.permissions import caller_of
from reviews.presenters import approval as presenter
from reviews.presenters import envelope, said
from reviews.services import decisions
from reviews.views import approvals, errors, reach
from reviews.views.common import needs_right, show


@needs_right("read")
def decide(request: HttpRequest, approval_id: int) -> HttpResponseBase:
    """Say yes or no; the service refuses. A refusal shows the page anew with the comment kept."""
    found = reach.approval(request, approval_id)
    if request.method != "POST":
        return redirect("approval", approval_id=found.pk)
    now, caller = clock.now(), caller_of(request)
    try:
        outcome = decisions.decide(
            found,
            caller=caller,
            decision=request.POST.get("decision", ""),
            reviewed_hash=request.POST.get("reviewed_hash", ""),
            request_id=request.POST.get("request_id", ""),
            comment=request.POST.get("comment", ""),
            acknowledged=request.POST.getlist("acknowledged"),
            on_behalf_of=request.POST.get("on_behalf_of", ""),
            proved_at=proofs.of(request, caller, request.POST.get("password", ""), now=now),
            now=now,
        )
    except TooManyTries as refusal:
        response = _refused(request, found, refusal)
        response["Retry-After"] = str(refusal.retry_seconds)
        return response
    except (Clash, Expired, InvalidInput, PasswordNeeded) as refusal:
        return _refused(request, found, refusal)
    messages.success(request, _said(outcome, reach.approval(request, found.pk)))
    return redirect("approval", approval_id=found.pk)


def _said(outcome: decisions.Outcome, fresh: Any) -> str:
    known = {
        "approved": presenter.approved(approvals.when(fresh)),
        "pending": _("Your yes is noted. More people are asked."),
        "rejected": _("Rejected. This is final for this job."),
        "withdrawn": _("The approval was taken back. Nothing is sent."),
        "void": _("Changes are requested. The job waits for a new version."),
    }
    return known.get(outcome.approval_status, said.in_words(outcome.message))


def _refused(request: HttpRequest, found: Any, refusal: ImprimaturError) -> HttpResponse:
    fresh = reach.approval(request, found.pk)
    context = {
        **approvals.review_page(request, fresh),
        "refusal": refusal,
        "changes": envelope.changes(refusal.facts.get("differences") or []),
        "kept_comment": request.POST.get("comment", ""),
        "kept_acknowledged": request.POST.getlist("acknowledged"),
        "kept_holder": request.POST.get("on_behalf_of", ""),
    }
    return show(request, "reviews/approval.html", context, status=errors.status_of(refusal))
