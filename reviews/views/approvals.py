"""Approvals: read exactly what would be published, and decide about it."""

import uuid
from collections.abc import Callable, Sequence
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from publisher import artifacts, clock
from publisher import selectors as engine
from publisher import selectors_history as history
from publisher.domain.errors import (
    NotFound,
)
from publisher.domain.states import Event
from reviews import proofs, selectors
from reviews.permissions import caller_of
from reviews.presenters import approval as presenter
from reviews.presenters import (
    duplicates,
    envelope,
    leaving,
    overtaken,
    pictures,
    stepper,
    timeline,
    words,
)
from reviews.presenters import findings as finding_views
from reviews.services import approvals, delegations, policies, quorum, reauthentication, work
from reviews.services.checks import others_who_may
from reviews.views import contents, origins, reach, readings
from reviews.views.acts import download
from reviews.views.common import needs_right, show
from reviews.views.navigation import inbox_of

DECIDED = ("approved-", "dispatching-")
"""How the live address of a page begins on which nobody can decide any more."""


@needs_right("read")
def approval(request: HttpRequest, approval_id: int) -> HttpResponse:
    """The review page."""
    found = approvals.as_of(reach.approval(request, approval_id), clock.now())
    return show(request, "reviews/approval.html", review_page(request, found))


def review_page(request: HttpRequest, found: Any) -> dict[str, Any]:
    """All that the review page prints; the address says which way to look."""
    job = found.job
    caller = caller_of(request)
    proposal = selectors.proposal_of(found)
    newest = selectors.approval_of(job)
    files = proposal.files if proposal else ()
    checks = finding_views.present(
        engine.findings(job, revision=found.revision), never=frozenset(), may_override=False
    )
    shown = contents.of(request, found, files, checks)
    return {
        "approval": found,
        "job": job,
        "label": words.label(job.state),
        "operation": words.OPERATIONS[job.operation],
        "is_pending": found.status == "pending",
        "is_gone": proposal is None,
        "verdict": presenter.verdict(
            found.envelope, len(files) if proposal else 1, when=when(found)
        ),
        "envelope": envelope.present(found.envelope, found.binding_hash),
        "manifest": proposal.manifest if proposal else None,
        "provenance": proposal.provenance if proposal and proposal.generated else None,
        "duplicates": _duplicates(proposal),
        "origins": origins.of(job),
        "same_target": reach.within(caller, engine.same_target(job)),
        "newer": newest if newest is not None and newest.pk != found.pk else None,
        "bar": _bar(
            request,
            found,
            lambda: readings.unread(request, found, caller, files, shown["files"]),
        ),
        "may_edit": work.may(caller, job, Event.REVISE, "edit"),
        "request_id": uuid.uuid4().hex,
        "next_item": inbox_of(request).next_approval(but=found.pk),
        **shown,
        **_record(found),
    }


def _record(found: Any) -> dict[str, Any]:
    """What was found, decided and done so far."""
    job = found.job
    part = history.newest(job, without=timeline.QUIET)
    furthest = stepper.furthest_of(history.names(job, among=stepper.TURNS))
    number, verb = stepper.ordinal(job.state, resume=job.resume_state, furthest=furthest)
    counted = selectors.quorum_of(found)
    return {
        "step_number": number,
        "step_verb": verb,
        "decisions": [
            {"row": row, "word": words.ANSWERS.get(row.decision, row.decision)}
            for row in selectors.decisions_of(found)
        ],
        "quorum": presenter.quorum(counted.approvers, counted.needed, counted.missing_groups),
        "entries": timeline.entries(part.items),
        "earlier": part.earlier,
    }


def _duplicates(proposal: Any) -> duplicates.DuplicateView | None:
    if proposal is None or not proposal.generated:
        return None
    return duplicates.present(proposal.provenance["verdict"])


def _bar(
    request: HttpRequest, found: Any, unread: Callable[[], Sequence[presenter.Unread]]
) -> presenter.Bar:
    caller, job, now = caller_of(request), found.job, clock.now()
    rules, _version = policies.of(job)
    risk = policies.risk_of(job, rules)
    mine = [row for row in selectors.decisions_of(found) if row.actor_id == caller.principal.pk]
    return presenter.bar(
        found,
        job,
        may_decide=caller.may("decide", job.scope, job.site),
        is_own=caller.name in quorum.barred(job, rules),
        others=[name for name in others_who_may(job, rules) if name != caller.name],
        answered=mine[-1].decision if mine else "",
        when=when(found),
        unread=unread,
        lenders=[one.name for one in delegations.lenders(caller.principal, job, now=now)],
        asks_password=reauthentication.is_asked(rules, risk, proofs.known(request), now=now),
    )


def when(found: Any) -> str:
    """When the job leaves that was approved, or would leave if it were approved now."""
    job, now, earliest = found.job, clock.now(), None
    if found.status == "pending":
        rules, _version = policies.of(job)
        earliest = approvals.earliest(job, rules, now)
    return leaving.of(job, now=now, earliest=earliest).when


@needs_right("read")
def live(request: HttpRequest, approval_id: int) -> HttpResponse:
    """A banner once the page is out of date; 204 while it is not.

    A page whose decision is taken shows what becomes of it: there is no text left to lose, so it
    is loaded anew. A time that ran out is told at once, before a sweep closes the request.
    """
    found = approvals.as_of(reach.approval(request, approval_id), clock.now())
    now, seen = f"{found.status}-{found.job.state}", request.GET.get("seen", "")
    if seen == now:
        return HttpResponse(status=204)
    if seen.startswith(DECIDED):
        return HttpResponse(status=204, headers={"HX-Refresh": "true"})
    told = overtaken.of(found, selectors.approval_of(found.job), when=when(found))
    context = {"approval": found, "overtaken": told, "seen": now}
    return render(request, "reviews/partials/changed.html", context)


@needs_right("read")
def file(request: HttpRequest, job_id: str, digest: str) -> HttpResponse:
    """Bytes that belong to the job, as an attachment; a raster picture may be shown inline."""
    job = reach.job(request, job_id)
    name = f"sha256:{digest}"
    if name not in selectors.artifacts_of(job):
        raise NotFound("This job has no such file.")
    data = artifacts.load_whole(name)
    if data is None:
        raise NotFound("These bytes are no longer stored.")
    kind = pictures.type_of(data)
    if request.GET.get("show") != "1" or not kind:
        return download(data, f"{digest[:16]}.bin")
    response = HttpResponse(data, content_type=kind)
    response["X-Content-Type-Options"] = "nosniff"
    response["Content-Disposition"] = "inline"
    return response
