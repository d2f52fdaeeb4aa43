"""Selectors of people's tables: requests, decisions, and what waits for whom."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils.translation import gettext as _

from publisher import selectors as engine
from publisher.domain.errors import NotFound
from publisher.domain.remotes import shown
from publisher.models import Conflict, Job, Site
from reviews.models import Approval, ApprovalStatus, Comment, Decision, Policy, Principal
from reviews.permissions import Caller
from reviews.rules import Rules
from reviews.services import policies, quorum

SOON = timedelta(hours=24)
Scopes = Collection[str] | None


@dataclass(frozen=True, slots=True)
class InboxItem:
    """One thing that waits for the caller: ``kind`` is approval, review or conflict."""

    kind: str
    job: Job
    approval: Approval | None
    conflict: Conflict | None
    why: str
    since: datetime
    expires_at: datetime | None
    requester: str


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
    found = rows.first()
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
    *, scopes: Scopes, status: str = "", after: int | None = None, limit: int = 50
) -> ApprovalPage:
    """Requests, newest first, by keyset."""
    rows = Approval.objects.select_related("job__site")
    if scopes is not None:
        rows = rows.filter(job__scope__in=list(scopes))
    if status:
        rows = rows.filter(status=status)
    if after is not None:
        rows = rows.filter(pk__lt=after)
    found = list(rows.order_by("-pk")[: limit + 1])
    following = str(found[limit - 1].pk) if len(found) > limit else None
    return ApprovalPage(found[:limit], following)


def decisions_of(of: Approval) -> list[Decision]:
    """The answers to one request, oldest first."""
    return list(of.decisions.select_related("actor").order_by("pk"))


def comments_of(job: Job) -> list[Comment]:
    """What people said about a job, oldest first."""
    return list(Comment.objects.select_related("author").filter(job=job).order_by("pk"))


def quorum_of(of: Approval) -> quorum.Quorum:
    """How far a request is, by the rules and roles of now."""
    rules, _version = policies.of(of.job)
    return quorum.of(of, of.job, rules)


def people(scope: str) -> list[Principal]:
    """Everybody with a role in the scope, by name, with their roles prefetched."""
    rows = Principal.objects.select_related("user").prefetch_related("memberships")
    return list(rows.filter(memberships__scope=scope).distinct().order_by("name"))


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


def inbox(caller: Caller, *, now: datetime) -> list[InboxItem]:
    """What waits for this person: soonest to expire first, then oldest first."""
    items = [*_approvals_for(caller, now), *_reviews_for(caller), *_conflicts_for(caller)]
    return sorted(items, key=lambda item: _urgency(item, now))


def _urgency(item: InboxItem, now: datetime) -> tuple[int, datetime]:
    if item.expires_at is not None and item.expires_at - now < SOON:
        return (0, item.expires_at)
    return (1, item.since)


def _approvals_for(caller: Caller, now: datetime) -> list[InboxItem]:
    if not caller.may_somewhere("decide"):
        return []
    rows = Approval.objects.select_related("job__site").filter(
        status=ApprovalStatus.PENDING.value, wait_until__gte=now, job__scope__in=list(caller.scopes)
    )
    found = list(rows.exclude(decisions__actor=caller.principal).order_by("opened_at")[:200])
    edited = _edited_by(caller.name, [request.job_id for request in found])
    rules: dict[tuple[str, int, str], Rules] = {}
    items = []
    for request in found:
        job = request.job
        key = (job.scope, job.site_id, job.kind)
        if key not in rules:
            rules[key] = policies.of(job)[0]
        if not caller.may("decide", job.scope, job.site):
            continue
        maybe_own = job.requester == caller.name or job.pk in edited or job.appeals_id is not None
        if maybe_own and caller.name in quorum.barred(job, rules[key]):
            continue
        why = _("It waits for your yes or no.")
        items.append(_item("approval", job, why, request.opened_at, approval=request))
    return items


def _edited_by(name: str, job_ids: list[str]) -> set[str]:
    """Those of the jobs in which this person wrote any revision: one query for all of them."""
    rows = Job.objects.filter(pk__in=job_ids, revisions__author=name)
    return set(rows.values_list("pk", flat=True))


def _item(
    kind: str,
    job: Job,
    why: str,
    since: datetime,
    *,
    approval: Approval | None = None,
    conflict: Conflict | None = None,
) -> InboxItem:
    expires_at = approval.wait_until if approval else None
    return InboxItem(kind, job, approval, conflict, why, since, expires_at, job.requester)


def _reviews_for(caller: Caller) -> list[InboxItem]:
    if not caller.may_somewhere("edit"):
        return []
    why = _("A check stopped it; somebody has to look.")
    return [
        _item("review", job, why, job.updated_at)
        for job in engine.reviews_waiting(scopes=caller.scopes)
        if caller.may("edit", job.scope, job.site, owner=job.requester)
    ]


def _conflicts_for(caller: Caller) -> list[InboxItem]:
    if not caller.may_somewhere("resolve"):
        return []
    why = _("Somebody else changed the same text.")
    return [
        _item("conflict", found.job, why, found.created_at, conflict=found)
        for found in engine.conflicts(scopes=caller.scopes)
        if caller.may("resolve", found.job.scope, found.job.site)
    ]


def shown_remote(site: Site) -> str:
    """A site's remote as it may be shown: without a password or token."""
    return shown(site.remote)


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
    proposal = engine.proposal(job)
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
