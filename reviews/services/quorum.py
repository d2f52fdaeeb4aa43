"""Quorum: whether those who said yes are still enough, still here, and still allowed to."""

from dataclasses import dataclass

from publisher import statements
from publisher.models import Job, Revision
from reviews.models import Answer, Approval, Membership, Principal, Role
from reviews.rules import Rules


@dataclass(frozen=True, slots=True)
class Quorum:
    """Who counts, how many are needed, and which groups are still missing."""

    approvers: tuple[str, ...]
    needed: int
    missing_groups: tuple[str, ...]

    @property
    def is_met(self) -> bool:
        """Whether nothing more is needed."""
        return len(self.approvers) >= self.needed and not self.missing_groups

    @property
    def sentence(self) -> str:
        """How far it is, for a person."""
        groups = (
            f", one of them from {', '.join(self.missing_groups)}" if self.missing_groups else ""
        )
        return f"{len(self.approvers)} of {self.needed} approvals{groups}"


def authors_of(job: Job) -> frozenset[str]:
    """The names behind the content: requester and editors, also of a job that this one appeals."""
    names: set[str] = set()
    current: Job | None = job
    seen: set[str] = set()
    while current is not None and current.pk not in seen:
        seen.add(current.pk)
        names.add(current.requester)
        names.update(_editors(current))
        current = current.appeals
    return frozenset(names - {""})


def barred(job: Job, rules: Rules) -> frozenset[str]:
    """The authors who may not decide under these rules."""
    if rules.one_person:
        return frozenset()
    authors = authors_of(job)
    if rules.editor_counts and rules.approvals > 1:
        return authors - (_editors(job) - {job.requester})
    return authors


def _editors(job: Job) -> set[str]:
    """Who wrote a revision up to the present one: others' changes leave much of it as it was."""
    written = statements.rows(Revision, job_id=job.pk)
    return {revision.author for revision in written if revision.number <= job.revision}


def of(approval: Approval, job: Job, rules: Rules) -> Quorum:
    """The quorum as it stands now: roles, accounts and authorship are read anew."""
    return _counted(_givers(approval), job, rules)


def with_one_more(approval: Approval, job: Job, rules: Rules, one: Principal) -> Quorum:
    """The quorum as it will stand once this person has said yes."""
    return _counted([*_givers(approval), one], job, rules)


def _givers(approval: Approval) -> list[Principal]:
    """Everybody who said yes to this very hash."""
    rows = approval.decisions.filter(
        decision=Answer.APPROVE.value, reviewed_hash=approval.binding_hash
    )
    return [row.actor for row in rows.select_related("actor__user")]


def _counted(givers: list[Principal], job: Job, rules: Rules) -> Quorum:
    forbidden = barred(job, rules)
    approvers: list[str] = []
    groups: set[str] = set()
    for giver in givers:
        held = _reviewing(giver, job)
        if held and giver.name not in forbidden:
            approvers.append(giver.name)
            groups.update(group for membership in held for group in membership.groups)
    missing = tuple(group for group in rules.groups if group not in groups)
    return Quorum(tuple(approvers), rules.approvals, missing)


def _reviewing(actor: Principal, job: Job) -> list[Membership]:
    """The memberships by which this person may review the job today."""
    if actor.is_agent or not actor.is_active:
        return []
    role = Role.REVIEWER.value
    rows = statements.rows(Membership, principal_id=actor.pk, role=role, scope=job.scope)
    return [held for held in rows if held.site_id in (None, job.site_id)]
