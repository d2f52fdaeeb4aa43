"""Checks: everything that a decision is refused for. Nothing here changes anything."""

from dataclasses import replace
from typing import Any

from django.db.models import Q

from publisher import envelopes
from publisher.domain import paths
from publisher.domain.envelope import binding_hash, differences
from publisher.domain.errors import (
    AlreadyDecided,
    Expired,
    NotAcknowledged,
    NotAllowed,
    NotFound,
    OwnWork,
    StaleApproval,
    TooLate,
    WrongState,
)
from publisher.domain.states import State
from publisher.models import Job
from publisher.models.effect import EffectStatus
from reviews.models import Answer, Approval, ApprovalStatus, Kind, Principal, Role
from reviews.permissions import PAGE, Caller, require
from reviews.rules import Rules
from reviews.services import (
    approvals,
    delegations,
    policies,
    quorum,
    reading,
    reauthentication,
)
from reviews.services.asking import Asked

NAMED = 5
"""How many parts a refusal names in its sentence; all of them are among its facts."""

_OPEN_EFFECTS = (EffectStatus.INTENT.value, EffectStatus.UNKNOWN.value)


def require_right(approval: Approval, caller: Caller) -> None:
    """NotFound outside of the caller's scopes, NotAllowed without a reviewer's right."""
    job = approval.job
    if job.scope not in caller.scopes:
        raise NotFound("There is no such approval that you may see.")
    require(caller, "decide", job.scope, job.site)


def require_decidable(approval: Approval, job: Job, asked: Asked) -> Asked:
    """Refuse what may not be answered: the order tells the most useful truth first.

    What was asked is given back with the proof of who it is only where these rules want one.
    """
    rules, _version = policies.of(job)
    _refuse_own_work(job, rules, asked)
    _refuse_unlent(job, asked)
    _refuse_unseen(approval, job, asked)
    _refuse_closed(approval, job)
    _refuse_second_answer(approval, asked)
    if approvals.has_lapsed(approval, asked.now):
        raise _expired(approval)
    if job.state != State.WAITING_APPROVAL.value:
        raise WrongState("This job does not wait for approval now.", state=job.state)
    if asked.decision is Answer.APPROVE:
        _refuse_changed_envelope(approval, job)
        _refuse_unread(approval, rules, asked)
        risk = policies.risk_of(job, rules)
        reauthentication.require(rules, risk, asked.proved_at, now=asked.now)
        if reauthentication.is_asked(rules, risk, None, now=asked.now):
            return asked
    return replace(asked, proved_at=None)


def require_withdrawable(approval: Approval, job: Job, asked: Asked) -> Asked:
    """TooLate once the text may be on its way; otherwise an open yes can be taken back."""
    _refuse_unlent(job, asked)
    _refuse_unseen(approval, job, asked)
    sent = approval.status in (ApprovalStatus.DISPATCHING.value, ApprovalStatus.DONE.value)
    if sent or job.effects.filter(status__in=_OPEN_EFFECTS).exists():
        raise TooLate(
            "It is too late to withdraw: the text may already be on its way.", state=job.state
        )
    _refuse_closed_withdrawal(approval, job)
    return replace(asked, proved_at=None)


def _refuse_own_work(job: Job, rules: Rules, asked: Asked) -> None:
    barred = quorum.barred(job, rules)
    if asked.caller.name in barred:
        raise OwnWork(
            "You wrote or requested this text, so somebody else decides about it.",
            others=others_who_may(job, rules),
        )
    if asked.holder.name in barred:
        raise OwnWork(
            f"{asked.holder.name} wrote or requested this text, so nobody decides about it in "
            "that place.",
            others=others_who_may(job, rules),
        )


def _refuse_unlent(job: Job, asked: Asked) -> None:
    """Nobody lent this weight, or its holder has none there any more."""
    if asked.on_behalf_of is None:
        return
    is_known = asked.holder.pk is not None
    lent = is_known and delegations.covers(
        asked.holder, asked.caller.principal, job.scope, asked.now
    )
    if not lent or not quorum.reviewing(asked.holder, job):
        raise NotAllowed(f"You do not stand in for {asked.holder.name} here now.")


def others_who_may(job: Job, rules: Rules, *, limit: int = 5) -> list[str]:
    """Names of people who can decide about the job, for the way on."""
    barred = quorum.barred(job, rules)
    # One condition for one membership: a role of another site says nothing of this one.
    rows = Principal.objects.filter(
        Q(memberships__site=job.site_id) | Q(memberships__site__isnull=True),
        kind=Kind.PERSON.value,
        disabled_at__isnull=True,
        memberships__role=Role.REVIEWER.value,
        memberships__scope=job.scope,
    )
    names = rows.exclude(name__in=barred).order_by("name").values_list("name", flat=True)
    return list(names.distinct()[:limit])


def _refuse_unseen(approval: Approval, job: Job, asked: Asked) -> None:
    """The hash is another one, or this request was replaced by one for another envelope."""
    current = approvals.newest_of(job) or approval
    replaced = (
        approval.status == ApprovalStatus.SUPERSEDED.value
        or current.binding_hash != approval.binding_hash
    )
    if asked.reviewed_hash == approval.binding_hash and not replaced:
        return
    seen = _envelope_of(job, asked.reviewed_hash)
    raise StaleApproval(
        "What you reviewed is not what is asked about now. Review the new version.",
        seen=asked.reviewed_hash,
        current=job.binding_hash,
        differences=differences(seen, _present_envelope(job, current)) if seen else [],
    )


def _envelope_of(job: Job, bound: str) -> dict[str, Any] | None:
    known = Approval.objects.filter(job=job, binding_hash=bound).order_by("-pk").first()
    return known.envelope if known else None


def _present_envelope(job: Job, current: Approval) -> dict[str, Any]:
    """The envelope as the rows give it; while a draft is being made, what is known of it."""
    if not job.manifest_artifact:
        inputs = job.revisions.filter(number=job.revision).values_list("input_hash", flat=True)
        return {**current.envelope, "input_hash": inputs.first(), "payload_hash": None}
    return envelopes.of(job)


def _refuse_closed(approval: Approval, job: Job) -> None:
    if approval.status == ApprovalStatus.PENDING.value:
        return
    if approval.status == ApprovalStatus.EXPIRED.value:
        raise _expired(approval)
    raise _decided(approval, job)


def _refuse_closed_withdrawal(approval: Approval, job: Job) -> None:
    if approval.status == ApprovalStatus.EXPIRED.value:
        raise _expired(approval)
    if not approval.is_open:
        raise _decided(approval, job)
    if not approval.decisions.filter(decision=Answer.APPROVE.value).exists():
        raise WrongState("Nobody approved this yet, so there is nothing to withdraw.")


def _decided(approval: Approval, job: Job) -> AlreadyDecided | WrongState:
    last = approval.decisions.select_related("actor").order_by("-pk").first()
    if last is None:
        return WrongState("This request is closed.", state=job.state, why=approval.closed_why)
    return AlreadyDecided(
        f"{last.actor.name} decided already: {last.decision.replace('_', ' ')}.",
        who=last.actor.name,
        at=last.at.isoformat(),
        decision=last.decision,
        status=approval.status,
    )


def _refuse_second_answer(approval: Approval, asked: Asked) -> None:
    """One answer a person, and one a weight, whoever gives it."""
    me, holder = asked.caller.principal, asked.holder
    rows = approval.decisions.select_related("actor").order_by("-pk")
    before = rows.filter(Q(actor__in=[me, holder]) | Q(on_behalf_of=holder)).first()
    if before is None:
        return
    said = f"An answer in the place of {holder.name} is given already; others are still asked."
    if before.actor == me:
        said = "You decided already; others are still asked."
    raise AlreadyDecided(
        said,
        who=before.actor.name,
        at=before.at.isoformat(),
        decision=before.decision,
        status=approval.status,
    )


def _expired(approval: Approval) -> Expired:
    ended = approval.valid_until or approval.wait_until
    return Expired(
        "The time to decide ran out. Nothing was sent. Ask again to decide after all.",
        expired_at=ended.isoformat(),
    )


def _refuse_changed_envelope(approval: Approval, job: Job) -> None:
    """The rows say something else than the request did: a site changed its remote, for example."""
    present = envelopes.of(job)
    bound = binding_hash(present)
    if bound != approval.binding_hash:
        raise StaleApproval(
            "What would be sent changed after it was shown. Review the new version.",
            seen=approval.binding_hash,
            current=bound,
            differences=differences(approval.envelope, present),
        )


def _refuse_unread(approval: Approval, rules: Rules, asked: Asked) -> None:
    """At a page each part must have been shown or acknowledged; elsewhere where the policy says so."""
    if not (rules.require_shown or asked.door == PAGE):
        return
    names = reading.names_of(approval, asked.caller.principal)
    known = asked.acknowledged | reading.read_of(approval, names)
    missing = sorted(part["id"] for part in approval.parts if part["id"] not in known)
    if missing:
        raise NotAcknowledged(_unread(missing), parts=missing)


def _unread(parts: list[str]) -> str:
    names = ", ".join(paths.shown(part) for part in parts[:NAMED])
    if len(parts) == 1:
        return f"{names} was not shown to you in full. Read it, or say that you know it."
    rest = len(parts) - NAMED
    if rest > 0:
        return (
            f"{names} and {rest} more were not shown to you in full. "
            "Read them, or say for each that you know it."
        )
    return f"{names} were not shown to you in full. Read them, or say for each that you know it."
