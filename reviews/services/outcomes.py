"""Outcomes: what a permitted decision does to its request and its job."""

from typing import Any

from publisher import journal
from publisher.domain.states import Actor, Event, Lane, State, can
from publisher.journal import Who
from publisher.models import Job
from reviews.models import Answer, Approval, ApprovalStatus
from reviews.services import approvals, policies, quorum
from reviews.services.asking import Asked

_FRESH_BUDGET: dict[str, Any] = {"attempt": 0, "deadline_at": None}


def answer(approval: Approval, job: Job, asked: Asked, comment: str) -> dict[str, Any]:
    """Approve, reject or ask for changes; returns the outcome to store."""
    if asked.decision is Answer.APPROVE:
        return _approve(approval, job, asked, comment)
    rejects = asked.decision is Answer.REJECT
    approvals.close(
        approval,
        ApprovalStatus.REJECTED if rejects else ApprovalStatus.VOID,
        asked.now,
        why="" if rejects else "changes requested",
    )
    journal.record(
        job,
        Event.REJECT if rejects else Event.REQUEST_CHANGES,
        who=_who(asked),
        now=asked.now,
        reason=comment,
        changes=None if rejects else {"failure_code": "changes_requested"},
        **_facts(approval, asked),
    )
    message = (
        "Rejected. This is final for this job; a new one can start from its text."
        if rejects
        else "Changes are requested. The job waits for a new version."
    )
    return _stored(approval, job, message)


def _approve(approval: Approval, job: Job, asked: Asked, comment: str) -> dict[str, Any]:
    rules, version = policies.of(job)
    giver = quorum.Giver(asked.caller.principal, asked.holder, asked.now)
    found = quorum.with_one_more(approval, job, rules, giver)
    facts = {**_facts(approval, asked), "policy_version": version, "quorum": found.sentence}
    if {asked.caller.name, asked.holder.name} & quorum.authors_of(job):
        facts["one_person"] = rules.one_person
        facts["author_counts"] = True
    if not found.is_met:
        journal.note(job, "decision", who=_who(asked), now=asked.now, reason=comment, **facts)
        return _stored(approval, job, f"Noted: {found.sentence}. Others are still asked.")
    until = approvals.valid_until(job, rules, asked.now)
    Approval.objects.filter(pk=approval.pk).update(
        status=ApprovalStatus.APPROVED.value, valid_until=until, policy_version=version
    )
    approval.refresh_from_db()
    available_at = approvals.earliest(job, rules, asked.now)
    journal.record(
        job,
        Event.APPROVE,
        who=_who(asked),
        now=asked.now,
        to=State.READY_TO_COMMIT if job.lane == Lane.PUBLISH.value else State.READY_TO_DISPATCH,
        reason=comment,
        changes={**_FRESH_BUDGET, "available_at": available_at},
        valid_until=until.isoformat(),
        **facts,
    )
    return _stored(approval, job, "Approved. Exactly this is published, once.")


def withdraw(approval: Approval, job: Job, asked: Asked, comment: str) -> dict[str, Any]:
    """Take a yes back: the request closes, and the same envelope is asked about anew.

    Where a worker is in the middle of a local step the withdrawal is a note; the next gate or
    the fence finds no approval and brings the job back.
    """
    approvals.close(approval, ApprovalStatus.WITHDRAWN, asked.now, why=f"by {asked.caller.name}")
    facts = _facts(approval, asked)
    waiting = job.state == State.WAITING_APPROVAL.value
    if waiting:
        journal.note(job, "withdraw", who=_who(asked), now=asked.now, reason=comment, **facts)
    elif can(State(job.state), Event.VOID, actor=Actor.REVIEWER, lane=Lane(job.lane)):
        journal.record(
            job,
            Event.VOID,
            who=_who(asked),
            now=asked.now,
            reason=comment or "The approval was withdrawn.",
            changes=_FRESH_BUDGET,
            **facts,
        )
        waiting = True
    else:
        journal.note(job, "withdraw", who=_who(asked), now=asked.now, reason=comment, **facts)
    if waiting:
        approvals.create(job, approval.envelope, approval.binding_hash, asked.now, waits=True)
    return _stored(approval, job, "Withdrawn. Nothing was sent; the job asks for approval again.")


def _who(asked: Asked) -> Who:
    return Who(Actor.REVIEWER, asked.caller.name)


def _facts(approval: Approval, asked: Asked) -> dict[str, Any]:
    facts = {
        "approval": approval.pk,
        "decision": asked.decision.value,
        "reviewed_hash": asked.reviewed_hash,
        "door": asked.door,
        "os_user": asked.caller.os_user,
    }
    if asked.on_behalf_of is not None:
        facts["on_behalf_of"] = asked.holder.name
    if asked.proved_at is not None:
        facts["reauthenticated_at"] = asked.proved_at.isoformat()
    return facts


def _stored(approval: Approval, job: Job, message: str) -> dict[str, Any]:
    return {
        "approval_status": approval.status,
        "job_state": job.state,
        "binding_hash": approval.binding_hash,
        "message": message,
    }
