"""Approvals: read what is asked, and answer it by hash."""

from dataclasses import asdict
from typing import Annotated

from django.http import HttpRequest
from ninja import Query, Router

from publisher import clock
from publisher.domain.errors import InvalidInput
from reviews import proofs, selectors
from reviews.api import lookups, shapes
from reviews.api.auth import caller
from reviews.api.bodies import DecisionBody
from reviews.api.jobs import whole
from reviews.api.lookups import Limit
from reviews.api.shapes import Json
from reviews.models import ApprovalStatus
from reviews.services import decisions

router = Router(tags=["approvals"])


@router.get("/approvals", response=Json, summary="List requests for approval, newest first")
def listing(
    request: HttpRequest,
    status: str = "",
    after: Annotated[int | None, Query(ge=0, le=2**63 - 1)] = None,
    limit: Limit = 50,
) -> Json:
    """A page of requests; those of status=pending wait. What it names as next goes into after."""
    asking = lookups.reader(request)
    if status and status not in list(ApprovalStatus):
        known = ", ".join(ApprovalStatus)
        raise InvalidInput("status", f"There is no such status; known: {known}.")
    within = asking.within("read", of="job__")
    found = selectors.approvals(within, status=status, after=after, limit=limit)
    return shapes.page(map(shapes.approval, found.items), found.next)


@router.get("/approvals/{int:approval_id}", response=Json, summary="Read a request for approval")
def read(request: HttpRequest, approval_id: int) -> Json:
    """The request with envelope, findings, parts and links."""
    return whole(lookups.approval(request, approval_id, to_read=True))


@router.post(
    "/approvals/{int:approval_id}/decision", response=Json, summary="Answer a request for approval"
)
def decide(request: HttpRequest, approval_id: int, body: DecisionBody) -> Json:
    """One answer a person. The same request_id gets the same answer again."""
    now, found = clock.now(), lookups.approval(request, approval_id)
    outcome = decisions.decide(
        found,
        caller=caller(request),
        decision=body.decision,
        reviewed_hash=body.reviewed_hash,
        request_id=body.request_id,
        comment=body.comment,
        comments=[decisions.Anchored(one.path, one.line, one.text) for one in body.comments],
        acknowledged=body.acknowledged,
        on_behalf_of=body.on_behalf_of,
        proved_at=proofs.of(request, caller(request), body.password.get_secret_value(), now=now),
        now=now,
    )
    return {"id": outcome.decision_id, "approval_id": approval_id, **asdict(outcome)}
