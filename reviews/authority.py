"""The Authority of the engine, on the people's tables: database only, inside the caller's transaction."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

import structlog

from publisher import statements
from publisher.domain.errors import NotAuthorised
from publisher.models import Job
from publisher.ports import Grant
from reviews import audit, audit_bound, permissions, selectors
from reviews.models import Approval, ApprovalStatus, Principal
from reviews.permissions import CLI, Caller
from reviews.services import approvals, people, policies, quorum

log = structlog.get_logger(__name__)

_STATUS_OF_REASON = {
    "superseded": ApprovalStatus.SUPERSEDED,
    "expired": ApprovalStatus.EXPIRED,
    "withdrawn": ApprovalStatus.WITHDRAWN,
}
_GIVEN = (ApprovalStatus.APPROVED.value, ApprovalStatus.DISPATCHING.value)


class DatabaseAuthority:
    """Says yes only where people did, and only while that still holds."""

    def open(self, job: Job, envelope: Mapping[str, Any], binding_hash: str, now: datetime) -> bool:
        """Ask for approval of this envelope; True when a yes to this very hash already holds.

        A yes whose givers have lost the right meanwhile does not hold; the request is asked anew.
        """
        request = approvals.ask(job, envelope, binding_hash, now)
        if request.status == ApprovalStatus.PENDING.value:
            return False
        try:
            _approvers(request, job, now)
        except NotAuthorised:
            approvals.close(request, ApprovalStatus.VOID, now, why="no longer holds")
            return approvals.create(job, envelope, binding_hash, now).status in _GIVEN
        Approval.objects.filter(pk=request.pk).update(status=ApprovalStatus.APPROVED.value)
        return True

    def authorise(self, job: Job, binding_hash: str, now: datetime) -> Grant:
        """The grant for exactly this hash; marks ``dispatching``. Raises NotAuthorised.

        ``why``: no_approval, superseded, pending, expired, quorum.
        """
        request = approvals.open_of(job)
        if request is None:
            raise NotAuthorised("no_approval", "Nobody approved this.")
        if request.binding_hash != binding_hash:
            raise NotAuthorised(
                "superseded",
                "What would be sent is not what was approved.",
                approved=request.binding_hash,
                present=binding_hash,
            )
        names = _approvers(request, job, now)
        dispatching = {"status": ApprovalStatus.DISPATCHING.value}
        statements.change(Approval, {"id": request.pk}, dispatching)
        return Grant(request.pk, request.binding_hash, names)

    def void(self, job: Job, reason: str, now: datetime) -> None:
        """The job's open request counts no more."""
        request = approvals.open_of(job)
        if request is not None:
            status = _STATUS_OF_REASON.get(reason, ApprovalStatus.VOID)
            approvals.close(request, status, now, why=reason)

    def release(self, job: Job, reason: str, now: datetime) -> None:
        """Back from ``dispatching`` to ``approved``: the write surely did not happen."""
        Approval.objects.filter(job=job, status=ApprovalStatus.DISPATCHING.value).update(
            status=ApprovalStatus.APPROVED.value
        )

    def done(self, job: Job, now: datetime) -> None:
        """The approved write happened; a request that still waits has nothing left to ask."""
        request = approvals.open_of(job)
        if request is not None:
            given = request.status in _GIVEN
            approvals.close(request, ApprovalStatus.DONE if given else ApprovalStatus.VOID, now)

    def breaches(
        self, jobs: tuple[str, str] | None = None, *, site: str = ""
    ) -> Iterator[tuple[str, str, str]]:
        """What does not hold of approvals and decisions: (rule, job or guard, what is wrong).

        With two ids, what was bound of the jobs from one on and before the other, row by row.
        """
        return audit.breaches(site) if jobs is None else audit_bound.breaches_of(*jobs, site)

    def lapse(self, now: datetime) -> dict[str, bool]:
        """Bring jobs whose time to answer is over to REVIEW; their ids, with whether each moved.

        For the sweep, outside of any transaction: each job is one of its own.
        """
        moved = {}
        for request in approvals.overdue(now):
            moved[request.job_id] = False
            try:
                moved[request.job_id] = approvals.lapse(request, now)
            except Exception as trouble:
                # A defect of one job must not keep the others' requests open.
                log.warning(
                    "lapse_missed", job_id=request.job_id, reason=str(trouble), exc_info=True
                )
        return moved

    def knows(self, name: str) -> bool:
        """Whether a principal of this name exists and is not disabled."""
        return Principal.objects.filter(name=name, disabled_at__isnull=True).exists()

    def require(self, name: str, right: str, scope: str, site: Any, *, owner: str = "") -> None:
        """NotAllowed unless this principal holds the right there; a disabled one holds none."""
        permissions.require(Caller(people.find(name), CLI), right, scope, site, owner=owner)

    def describe(self, job: Job) -> dict[str, Any] | None:
        """The newest request of a job in the words of programs; None before the first."""
        request = selectors.approval_of(job)
        if request is None:
            return None
        return {
            "approval_id": request.pk,
            "revision": request.revision,
            "binding_hash": request.binding_hash,
            "envelope": request.envelope,
            "status": request.status,
        }


def _approvers(request: Approval, job: Job, now: datetime) -> tuple[str, ...]:
    """The names whose yes carries this request now; NotAuthorised when it gives no right."""
    if request.status not in _GIVEN:
        raise NotAuthorised("pending", "It still waits for its approval.")
    if approvals.has_lapsed(request, now):
        raise NotAuthorised(
            "expired", "The approval's time ran out. Nothing was sent.", approval=request.pk
        )
    rules, version = policies.of(job)
    found = quorum.of(request, job, rules)
    if not found.is_met:
        raise NotAuthorised(
            "quorum",
            f"The approval no longer holds: {found.sentence} count now.",
            approval=request.pk,
            approvers=list(found.approvers),
            policy_version=version,
            policy_version_before=request.policy_version,
        )
    return found.approvers
