"""Decisions: the only door through which anybody says yes or no, whatever page or program asks."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction

from publisher.domain.errors import AlreadyDecided, Expired, StaleApproval
from publisher.domain.secrets import scrub_text
from publisher.models import Job
from publisher.models.fields import PATH_LENGTH
from reviews.models import Answer, Approval, Comment, Decision
from reviews.permissions import Caller
from reviews.services import approvals, asking, checks, outcomes, wrong_hashes
from reviews.services.asking import Asked

__all__ = ["Anchored", "Outcome", "decide"]


@dataclass(frozen=True, slots=True)
class Anchored:
    """A comment on one line of one file, sent along with a decision."""

    path: str
    line: int | None
    text: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a decision led to; a repeat of the same request gets the same values."""

    decision_id: int
    approval_status: str
    job_state: str
    binding_hash: str
    message: str


def decide(
    approval: Approval,
    *,
    caller: Caller,
    decision: str,
    reviewed_hash: str,
    request_id: str,
    comment: str = "",
    comments: Sequence[Anchored] = (),
    acknowledged: Collection[str] = (),
    door: str = "",
    on_behalf_of: str = "",
    proved_at: datetime | None = None,
    now: datetime,
) -> Outcome:
    """Answer one request for approval, once; all of it in one transaction that holds the job's row.

    ``on_behalf_of`` names in whose place, ``proved_at`` is when the password was last given.

    1. Refuse without looking: form, HashRequired, NotFound, NotAllowed, TooManyTries.
    2. Lock the job, then the request; the same ``request_id`` gets the answer of the first time.
    3. Refuse: OwnWork, StaleApproval, AlreadyDecided, Expired, NotAcknowledged, PasswordNeeded,
       TooLate.
    4. Move the job, close or keep the request, write the decision.
    Where the time ran out, or the hash is no longer or never was right, that is settled afterwards.
    """
    asked = Asked(
        caller=caller,
        decision=asking.answer(decision),
        reviewed_hash=asking.full_hash(reviewed_hash),
        request_id=asking.request_id(request_id),
        acknowledged=frozenset(acknowledged),
        door=door or caller.door,
        now=now,
        holder=asking.holder(caller, on_behalf_of),
        proved_at=proved_at,
    )
    _require_right(approval, asked)
    return _taken(approval, asked, scrub_text(comment), comments)


def _taken(approval: Approval, asked: Asked, comment: str, comments: Sequence[Anchored]) -> Outcome:
    try:
        with transaction.atomic():
            return _decide(approval, asked, comment, comments)
    except Expired:
        approvals.lapse(approval, asked.now)
        raise
    except StaleApproval:
        _settle_stale(approval, asked)
        raise


def _require_right(approval: Approval, asked: Asked) -> None:
    checks.require_right(approval, asked.caller)
    wrong_hashes.require_few(asked.caller.principal, asked.now)


def _settle_stale(approval: Approval, asked: Asked) -> None:
    """Count a hash that was never right; ask anew where what is asked about changed."""
    wrong_hashes.keep(approval.job_id, asked)
    approvals.renew_envelope(approval.job, asked.now)


def _decide(
    approval: Approval, asked: Asked, comment: str, comments: Sequence[Anchored]
) -> Outcome:
    job = Job.objects.select_for_update().select_related("site").get(pk=approval.job_id)
    fresh = Approval.objects.select_for_update().get(pk=approval.pk)
    before = Decision.objects.filter(approval=fresh, request_id=asked.request_id).first()
    if before is not None:
        return _replayed(before, asked)
    if asked.decision is Answer.WITHDRAW:
        asked = checks.require_withdrawable(fresh, job, asked)
        result = outcomes.withdraw(fresh, job, asked, comment)
    else:
        asked = checks.require_decidable(fresh, job, asked)
        result = outcomes.answer(fresh, job, asked, comment)
    row = Decision.objects.create(
        approval=fresh,
        actor=asked.caller.principal,
        decision=asked.decision.value,
        reviewed_hash=asked.reviewed_hash,
        request_id=asked.request_id,
        door=asked.door,
        os_user=asked.caller.os_user,
        comment=comment,
        acknowledged=sorted(map(scrub_text, asked.acknowledged)),
        at=asked.now,
        on_behalf_of=asked.on_behalf_of,
        reauthenticated_at=asked.proved_at,
        outcome=result,
    )
    _keep_comments(fresh, job, asked, comments)
    return _outcome(row)


def _outcome(row: Decision) -> Outcome:
    values: dict[str, Any] = row.outcome
    return Outcome(decision_id=row.pk, **values)


def _replayed(before: Decision, asked: Asked) -> Outcome:
    """The stored answer, when it is the same request of the same person."""
    holder = before.on_behalf_of_id or before.actor_id
    same = (before.actor_id, holder, before.decision, before.reviewed_hash) == (
        asked.caller.principal.pk,
        asked.holder.pk,
        asked.decision.value,
        asked.reviewed_hash,
    )
    if not same:
        raise AlreadyDecided(
            "This request id was used before, for another decision. Nothing was changed.",
            who=before.actor.name,
            at=before.at.isoformat(),
            decision=before.decision,
        )
    return _outcome(before)


def _keep_comments(
    approval: Approval, job: Job, asked: Asked, comments: Sequence[Anchored]
) -> None:
    Comment.objects.bulk_create(
        Comment(
            job=job,
            approval=approval,
            author=asked.caller.principal,
            path=scrub_text(anchored.path)[:PATH_LENGTH],
            line=anchored.line,
            text=scrub_text(anchored.text),
            created_at=asked.now,
        )
        for anchored in comments
    )
