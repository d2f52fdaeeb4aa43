"""Quorum: whether those who said yes are still enough, still here, and still allowed to."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import F

from publisher import statements
from publisher.models import Job, Revision
from reviews.models import Answer, Approval, Membership, Principal, Role
from reviews.rules import Rules, shares
from reviews.services import delegations


@dataclass(frozen=True, slots=True)
class Quorum:
    """Who counts, how many are needed, and which groups are still missing, each as often."""

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
        given = f"{len(self.approvers)} of {self.needed} approvals"
        if not self.missing_groups:
            return given
        return f"{given}; still missing from groups: {shares(self.missing_groups)}"


@dataclass(frozen=True, slots=True)
class Giver:
    """Somebody who said yes, ``holder`` whose weight it has, and when a stand-in said it."""

    actor: Principal
    holder: Principal
    at: datetime

    @property
    def is_standing_in(self) -> bool:
        """Whether the weight is another's."""
        return self.actor.pk != self.holder.pk


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
    if editor_may(rules):
        return authors - (_editors(job) - {job.requester})
    return authors


def editor_may(rules: Rules) -> bool:
    """Whether who only edited may give one of several approvals."""
    return rules.editor_counts and rules.approvals > 1


def barred_to(name: str, jobs: Sequence[Job], rules_of: Callable[[Job], Rules]) -> frozenset[str]:
    """The jobs whose ``barred`` holds this name, by the same few queries however many they are."""
    written = _written_by(name, [job.pk for job in jobs])
    appealing = _appealing(name, jobs)
    found: set[str] = set()
    for job in jobs:
        is_editor = job.pk in written
        if not (is_editor or job.requester == name or job.pk in appealing):
            continue
        rules = rules_of(job)
        only_edited = is_editor and job.requester != name
        if not rules.one_person and not (only_edited and editor_may(rules)):
            found.add(job.pk)
    return frozenset(found)


def _written_by(name: str, job_ids: Collection[str]) -> set[str]:
    """Those of the jobs in which this person wrote a revision up to the present one."""
    if not job_ids:
        return set()
    rows = Revision.objects.filter(job__in=job_ids, author=name, number__lte=F("job__revision"))
    return set(rows.values_list("job_id", flat=True))


def _appealing(name: str, jobs: Sequence[Job]) -> set[str]:
    """Those of the jobs that appeal, however far back, one of whose authors this person is."""
    before = {job.pk: job.appeals_id for job in jobs if job.appeals_id is not None}
    asked, own = set(before.values()), set[str]()
    fresh = asked
    while fresh:
        own |= _written_by(name, fresh)
        older: set[str] = set()
        for pk, requester, appeals in Job.objects.filter(pk__in=fresh).values_list(
            "pk", "requester", "appeals_id"
        ):
            if requester == name:
                own.add(pk)
            if appeals is not None:
                before[pk] = appeals
                older.add(appeals)
        fresh = older - asked
        asked |= fresh
    return {job.pk for job in jobs if _leads_to(job.pk, before, own)}


def _leads_to(pk: str, before: Mapping[str, str], own: Collection[str]) -> bool:
    seen: set[str] = set()
    while pk in before and pk not in seen:
        seen.add(pk)
        pk = before[pk]
        if pk in own:
            return True
    return False


def _editors(job: Job) -> set[str]:
    """Who wrote a revision up to the present one: others' changes leave much of it as it was."""
    written = statements.rows(Revision, job_id=job.pk)
    return {revision.author for revision in written if revision.number <= job.revision}


def of(approval: Approval, job: Job, rules: Rules) -> Quorum:
    """The quorum as it stands now: roles, accounts and authorship are read anew."""
    return _counted(_givers(approval), job, rules)


def with_one_more(approval: Approval, job: Job, rules: Rules, one: Giver) -> Quorum:
    """The quorum as it will stand once this person has said yes."""
    return _counted([*_givers(approval), one], job, rules)


def _givers(approval: Approval) -> list[Giver]:
    """Everybody who said yes to this very hash."""
    rows = approval.decisions.filter(
        decision=Answer.APPROVE.value, reviewed_hash=approval.binding_hash
    )
    found = rows.select_related("actor__user", "on_behalf_of__user")
    return [Giver(row.actor, row.on_behalf_of or row.actor, row.at) for row in found]


def _counted(givers: list[Giver], job: Job, rules: Rules) -> Quorum:
    forbidden = barred(job, rules)
    approvers: dict[str, str] = {}
    groups: list[str] = []
    for giver in givers:
        if forbidden & {giver.actor.name, giver.holder.name} or giver.holder.name in approvers:
            continue
        held = reviewing(giver.holder, job)
        if held and (not giver.is_standing_in or _may_stand_in(giver, job)):
            approvers[giver.holder.name] = giver.actor.name
            groups += {group for membership in held for group in membership.groups}
    return Quorum(tuple(approvers.values()), rules.approvals, rules.missing(groups))


def _may_stand_in(giver: Giver, job: Job) -> bool:
    """Whether the weight was lent when it was used, and who used it is still here."""
    is_here = bool(reviewing(giver.actor, job))
    return is_here and delegations.covers(giver.holder, giver.actor, job.scope, giver.at)


def reviewing(actor: Principal, job: Job) -> list[Membership]:
    """The memberships by which this person may review the job today."""
    if actor.is_agent or not actor.is_active:
        return []
    role = Role.REVIEWER.value
    rows = statements.rows(Membership, principal_id=actor.pk, role=role, scope=job.scope)
    return [held for held in rows if held.site_id in (None, job.site_id)]
