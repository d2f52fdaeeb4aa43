"""Approvals: opening, closing and lapsing of requests; never a decision."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction

from publisher import envelopes, journal, selectors, spoiled, statements
from publisher.domain.envelope import binding_hash
from publisher.domain.errors import StaleWorker, WrongState
from publisher.domain.states import Actor, Event, State
from publisher.journal import Who
from publisher.models import Job
from reviews.models import Approval, ApprovalStatus
from reviews.models.approval import OPEN, TICK
from reviews.rules import Rules
from reviews.services import policies

MISLEADING = ("hidden_character", "misleading_link")
"""Findings of a text that reads differently than it is: that it was noticed is said by a tick."""


def open_of(job: Job) -> Approval | None:
    """The job's open request, locked for this transaction."""
    requests = statements.rows(Approval, locks=True, job_id=job.pk)
    return next((one for one in requests if one.status in OPEN), None)


def newest_of(job: Job) -> Approval | None:
    """The last request of a job, open or closed."""
    return Approval.objects.filter(job=job).order_by("-pk").first()


def ask(
    job: Job, envelope: Mapping[str, Any], bound: str, now: datetime, *, waits: bool = False
) -> Approval:
    """Make sure that exactly one open request names this envelope, and return it.

    A request for the same hash that still holds is kept, with its decisions; any other is closed.
    ``waits`` is ``create``'s.
    """
    present = open_of(job)
    if present is not None:
        if present.binding_hash == bound and not has_lapsed(present, now):
            Approval.objects.filter(pk=present.pk).update(revision=job.revision)
            return present
        same = present.binding_hash == bound
        close(present, ApprovalStatus.EXPIRED if same else ApprovalStatus.SUPERSEDED, now)
    return create(job, envelope, bound, now, waits=waits)


def create(
    job: Job, envelope: Mapping[str, Any], bound: str, now: datetime, *, waits: bool = False
) -> Approval:
    """A new pending request; approved at once where the policy needs nobody.

    ``waits``: the job stays where people are waited for, so one is asked whatever the policy became:
    nothing would take up a job that waits for what is approved already.
    """
    rules, version = policies.of(job)
    needs_nobody = rules.needs_nobody and not waits
    status = ApprovalStatus.APPROVED if needs_nobody else ApprovalStatus.PENDING
    request = Approval(
        job=job,
        revision=job.revision,
        envelope=dict(envelope),
        binding_hash=bound,
        status=status.value,
        parts=parts_of(job),
        policy_version=version,
        risk=policies.risk_of(job, rules).value,
        wait_until=now + timedelta(seconds=rules.wait_seconds),
        valid_until=valid_until(job, rules, now) if needs_nobody else None,
        opened_at=now,
    )
    statements.add(request)
    return request


def valid_until(job: Job, rules: Rules, now: datetime) -> datetime:
    """Until when a yes holds: counted from when the job may leave, or none would outlast a long hold."""
    start = earliest(job, rules, now)
    if job.not_before:
        start = max(start, job.not_before)
    return start + timedelta(seconds=rules.validity_seconds)


def earliest(job: Job, rules: Rules, now: datetime) -> datetime:
    """When a worker may take up an approved job: after the hold of its policy and its risk."""
    return now + timedelta(seconds=rules.hold(policies.risk_of(job, rules)))


def has_lapsed(approval: Approval, now: datetime) -> bool:
    """Whether the time to answer, or the time for which the answer holds, is over."""
    if approval.status == ApprovalStatus.PENDING.value:
        return now > approval.wait_until
    return approval.valid_until is not None and now > approval.valid_until


def as_of(approval: Approval, now: datetime) -> Approval:
    """The request as the clock has it: once its time is over it reads as expired, before any sweep.

    For pages alone; the row is closed by ``lapse``.
    """
    if approval.status == ApprovalStatus.PENDING.value and has_lapsed(approval, now):
        approval.status, approval.closed_at = ApprovalStatus.EXPIRED.value, approval.wait_until
    return approval


def close(approval: Approval, status: ApprovalStatus, now: datetime, *, why: str = "") -> None:
    """Close an open request; a closed one stays as it is."""
    closed = {"status": status.value, "closed_at": now, "closed_why": why[:200]}
    if not Approval.objects.filter(pk=approval.pk, status__in=OPEN).update(**closed):
        approval.refresh_from_db()
        return
    for name, value in closed.items():
        setattr(approval, name, value)


def parts_of(job: Job) -> list[dict[str, Any]]:
    """Each thing to be read before a yes; what no page can show says why."""
    proposal = selectors.proposal(job)
    if proposal is None:
        return []
    shown = [
        {
            "id": file.path,
            "path": file.path,
            "kind": file.kind,
            "sha256": file.sha256,
            "size": file.size,
            "is_showable": not file.is_binary,
            "why": "binary" if file.is_binary else "",
        }
        for file in proposal.files
    ]
    misleading = {row.path for row in selectors.findings(job) if row.rule in MISLEADING}
    ticked = [
        {**part, "id": f"{part['path']} (hidden)", "is_showable": False, "why": TICK}
        for part in shown
        if part["path"] in misleading
    ]
    return [*shown, *ticked]


def overdue(now: datetime, *, limit: int = 200) -> list[Approval]:
    """Pending requests whose time to answer is over, oldest first."""
    rows = Approval.objects.select_related("job__site").filter(
        status=ApprovalStatus.PENDING.value, wait_until__lt=now
    )
    return spoiled.readable(rows.order_by("wait_until")[:limit])


def lapse(approval: Approval, now: datetime) -> bool:
    """Close an overdue request and bring its job to REVIEW, where asking again is one click.

    Nothing but the clock does this, and it never means yes. False when somebody was faster.
    """
    with transaction.atomic():
        job = Job.objects.select_for_update().select_related("site").get(pk=approval.job_id)
        approval = Approval.objects.select_for_update().get(pk=approval.pk)
        if approval.status != ApprovalStatus.PENDING.value or not has_lapsed(approval, now):
            return False
        close(approval, ApprovalStatus.EXPIRED, now, why="nobody answered in time")
        if job.state != State.WAITING_APPROVAL.value:
            return False
        journal.record(
            job,
            Event.EXPIRE,
            who=Who(Actor.CLOCK),
            now=now,
            reason="Nobody decided in time. Nothing was sent.",
            changes={"failure_code": "approval_expired"},
            approval=approval.pk,
        )
    return True


def renew_envelope(job: Job, now: datetime) -> Approval | None:
    """Ask anew when the envelope of a waiting job is no longer what was asked about.

    A changed site (its remote, its branch) does that: without this the request could never be
    answered, because no hash that a page shows would be the right one. None when nothing differs.
    """
    with transaction.atomic():
        fresh = Job.objects.select_for_update().select_related("site").get(pk=job.pk)
        present = open_of(fresh)
        if fresh.state != State.WAITING_APPROVAL.value or present is None:
            return None
        envelope = envelopes.of(fresh)
        bound = binding_hash(envelope)
        if bound == present.binding_hash:
            return None
        try:
            journal.note(
                fresh,
                "envelope_changed",
                who=Who(Actor.CLOCK),
                now=now,
                changes={"binding_hash": bound},
                before=present.binding_hash,
                after=bound,
            )
        except StaleWorker as moved:
            raise WrongState("The job moved on meanwhile. Look again.", **moved.facts) from None
        return ask(fresh, envelope, bound, now, waits=True)
