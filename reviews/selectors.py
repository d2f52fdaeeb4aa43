"""Selectors of people's tables: requests, decisions, comments, policies."""

from collections.abc import Collection
from dataclasses import dataclass

from django.db.models import Q

from publisher import selectors as engine
from publisher import spoiled
from publisher.domain.errors import ArtifactDamaged, NotFound
from publisher.domain.remotes import shown
from publisher.models import Job, Site
from reviews.models import Approval, Comment, Decision, Membership, Policy, Principal
from reviews.permissions import Caller
from reviews.services import policies, quorum

Scopes = Collection[str] | None


@dataclass(frozen=True, slots=True)
class ApprovalPage:
    """One page of requests, newest first; ``next`` is the id to go on after."""

    items: list[Approval]
    next: str | None


def approval(approval_id: int, *, scopes: Scopes) -> Approval:
    """One request with its job and site; NotFound outside of the scopes."""
    rows = Approval.objects.select_related("job__site").filter(pk=approval_id)
    if scopes is not None:
        rows = rows.filter(job__scope__in=list(scopes))
    found = spoiled.first(rows)
    if found is None:
        raise NotFound("There is no such approval that you may see.")
    return found


def approval_of(job: Job) -> Approval | None:
    """The newest request of a job, open or closed."""
    rows = Approval.objects.select_related("job__site").filter(job=job)
    return rows.order_by("-pk").first()


def approvals_of(job: Job) -> list[Approval]:
    """All requests of a job, newest first."""
    return list(Approval.objects.filter(job=job).order_by("-pk"))


def approvals(
    within: Q, *, status: str = "", after: int | None = None, limit: int = 50
) -> ApprovalPage:
    """Requests within reach, newest first, by keyset."""
    rows = Approval.objects.select_related("job__site").filter(within)
    if status:
        rows = rows.filter(status=status)
    if after is not None:
        rows = rows.filter(pk__lt=after)
    found = spoiled.readable(rows.order_by("-pk")[: limit + 1])
    following = str(found[limit - 1].pk) if len(found) > limit else None
    return ApprovalPage(found[:limit], following)


def decisions_of(of: Approval) -> list[Decision]:
    """The answers to one request, oldest first."""
    return list(of.decisions.select_related("actor", "on_behalf_of").order_by("pk"))


def comments_of(job: Job) -> list[Comment]:
    """What people said about a job, oldest first."""
    return list(Comment.objects.select_related("author").filter(job=job).order_by("pk"))


def quorum_of(of: Approval) -> quorum.Quorum:
    """How far a request is, by the rules and roles of now."""
    rules, _version = policies.of(of.job)
    return quorum.of(of, of.job, rules)


def people(scope: str, *, within: Caller | None) -> list[tuple[Principal, list[Membership]]]:
    """Who has a role in the scope, by name, with the roles held there.

    A role names its site: what is for a site out of that caller's reach is left out.
    """
    rows = Principal.objects.select_related("user").prefetch_related("memberships")
    found = []
    for person in rows.filter(memberships__scope=scope).distinct().order_by("name"):
        roles = [
            held
            for held in person.memberships.all()
            if held.scope == scope
            and (within is None or held.site_id is None or within.may("read", scope, held.site_id))
        ]
        if roles:
            found.append((person, roles))
    return found


def people_without_role() -> list[Principal]:
    """Everybody who may log in and no more, by name: no space is theirs."""
    rows = Principal.objects.select_related("user").filter(memberships__isnull=True)
    return list(rows.order_by("name"))


def policies_for(caller: Caller) -> list[Policy]:
    """The newest version of each policy in the caller's scopes; of sites, those within reach."""
    newest: dict[tuple[str, int | None, str], Policy] = {}
    rows = Policy.objects.select_related("site").filter(scope__in=list(caller.scopes))
    for row in rows.order_by("version"):
        if row.site_id is not None and not caller.may("read", row.scope, row.site_id):
            continue
        newest[(row.scope, row.site_id, row.action)] = row
    return sorted(newest.values(), key=lambda row: (row.scope, row.site_id or 0, row.action))


def policy_versions(caller: Caller) -> list[list[Policy]]:
    """Of each policy for the caller all versions, newest first; in the order of ``policies_for``."""
    found: dict[tuple[str, int | None, str], list[Policy]] = {
        (row.scope, row.site_id, row.action): [] for row in policies_for(caller)
    }
    rows = Policy.objects.select_related("site").filter(scope__in=list(caller.scopes))
    for row in rows.order_by("-version"):
        found.get((row.scope, row.site_id, row.action), []).append(row)
    return list(found.values())


def groups_in(scope: str) -> list[str]:
    """The groups that somebody of the scope is in, or that its policies name."""
    held = Membership.objects.filter(scope=scope).values_list("groups", flat=True)
    asked = Policy.objects.filter(scope=scope).values_list("rules__groups", flat=True)
    return sorted({name for names in [*held, *asked] for name in names or []})


def shown_remote(site: Site) -> str:
    """A site's remote as it may be shown: without a password or token."""
    return shown(site.remote)


def proposal_of(approval: Approval) -> engine.Proposal | None:
    """What is asked about; None for an older revision, or where the list of its files is damaged."""
    job = approval.job
    return _readable_proposal(job) if approval.revision == job.revision else None


def _readable_proposal(job: Job) -> engine.Proposal | None:
    try:
        return engine.proposal(job)
    except ArtifactDamaged:
        return None


def artifacts_of(job: Job) -> frozenset[str]:
    """The bytes that belong to a job: its inputs, its proposal, its conflicts. Nothing else.

    Only columns that the engine fills with names are read, so that no text of a submitter can
    name the bytes of another job.
    """
    names = {job.manifest_artifact}
    for revision in engine.revisions(job):
        inputs = revision.inputs
        names.add(inputs.get("content") or "")
        for kind in ("sources", "assets", "files"):
            names.update(entry["artifact"] for entry in inputs.get(kind) or [])
    proposal = _readable_proposal(job)
    for file in proposal.files if proposal else ():
        names.update((file.sha256, file.base_sha256, file.diff))
    for conflict in job.conflicts.all():
        for entry in conflict.files:
            names.update(entry.get(side) or "" for side in ("base", "ours", "theirs"))
    return frozenset(names - {""})


def answered(job: Job, *, actor: Principal, request_id: str) -> Approval | None:
    """The request that this person answered under this request id, if any."""
    rows = Approval.objects.select_related("job__site").filter(
        job=job, decisions__actor=actor, decisions__request_id=request_id
    )
    return rows.order_by("-pk").first()
