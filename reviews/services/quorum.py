"""Quorum: whether those who said yes are still enough, still here, and still allowed to."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from django.db.models import F

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
