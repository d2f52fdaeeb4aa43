"""visibility: was published and is still visible are two facts; the second is looked at again."""

from datetime import timedelta
from typing import Any

from django.db.models import QuerySet

from publisher import envelopes, journal
from publisher.artifacts import sha256_of
from publisher.domain.errors import ArtifactDamaged, ImprimaturError
from publisher.domain.states import Actor, State
from publisher.domain.trailers import value
from publisher.engine.reconcile.counts import Counts
from publisher.journal import Who
from publisher.models import Job, JobEvent, Site
from publisher.ports import Change, CommitFacts, Ports, Repository

WHO = Who(Actor.RECONCILE, "visibility")
WATCHED_DAYS = 30
BATCH = 500


def run(ports: Ports, *, site: str = "") -> Counts:
    """Warn once where a published text is gone, with who took it away; touch nothing.

    What arrived since the last look is looked at, so a branch that stands still costs nothing.
    """
    counts = Counts()
    for row in Site.objects.filter(removed_at__isnull=True).exclude(head=""):
        if site and row.name != site:
            continue
        counts.looked_at += 1
        if row.head == row.watched_head:
            counts.left += 1
        else:
            _look(row, ports, counts)
    return counts


def _look(site: Site, ports: Ports, counts: Counts) -> None:
    repository = ports.repository(site.spec, lambda: False)
    watched = site.watched_head
    try:
        if watched and repository.is_ancestor(watched, site.head):
            counts.changed += _overwritten(site, repository, ports)
        else:
            counts.changed += _rewritten(site, repository, ports)
        Site.objects.filter(pk=site.pk).update(watched_head=site.head)
    except ImprimaturError:
        # An unreadable clone is told on the site's page; nothing is known of the jobs.
        counts.left += 1
    finally:
        repository.close()


def _rewritten(site: Site, repository: Repository, ports: Ports) -> int:
    """At first sight, and when the watched tip is gone from the history: is each commit there?"""
    since = ports.clock.now() - timedelta(days=WATCHED_DAYS)
    published = _published(site).filter(finished_at__gte=since)
    if not published.exists():
        return 0
    held: set[str] = set()
    repository.each_commit(site.head, lambda facts: held.add(facts.commit))
    lost = [job for job in published.iterator(chunk_size=BATCH) if job.remote_commit not in held]
    reason = "The branch's history no longer holds the published commit. Nothing was pushed."
    return sum(_warn(job, site, ports, "no_longer_found", reason) for job in lost)


def _overwritten(site: Site, repository: Repository, ports: Ports) -> int:
    """Published paths whose bytes others changed or removed since the last look."""
    changes = [
        change
        for change in repository.changes(site.watched_head, site.head)
        if change.old_blob is not None and change.path != site.fonts
    ]
    warned = 0
    for start in range(0, len(changes), BATCH):
        part = {change.path: change for change in changes[start : start + BATCH]}
        rows = _published(site).filter(target_path__in=part).order_by("finished_at")
        newest = {job.target_path: job for job in rows}
        for path, job in newest.items():
            warned += _compare(job, part[path], site, repository, ports)
    return warned


def _compare(job: Job, change: Change, site: Site, repository: Repository, ports: Ports) -> bool:
    try:
        wanted = {entry.path: entry.sha256 for entry in envelopes.manifest_of(job).entries}
    except ArtifactDamaged:
        # One damaged manifest, which verify tells of, never stops the look at the others.
        return False
    data = repository.read_path(site.head, change.path)
    if (None if data is None else sha256_of(data)) == wanted.get(change.path):
        return False
    facts = repository.last_change(site.watched_head, site.head, change.path)
    if facts is None or _is_ours(facts, site):
        return False
    who, path, commit, subject = facts.author, change.path, facts.commit[:12], facts.subject[:100]
    reason = (
        f"{who} removed {path} in commit {commit} ({subject}). Nothing was pushed."
        if data is None
        else f"{who} changed {path} in commit {commit} ({subject}). Nothing was pushed."
    )
    return _warn(job, site, ports, "no_longer_at_tip", reason, facts)


def _is_ours(facts: CommitFacts, site: Site) -> bool:
    """A later publication of ours is no loss; a trailer alone proves nothing."""
    named = value(facts.trailers, f"{site.trailer_prefix}-Job-Id")
    return _published(site).filter(pk=named, remote_commit=facts.commit).exists()


def _published(site: Site) -> QuerySet[Job]:
    return Job.objects.filter(site=site, state=State.PUBLISHED.value)


def _warn(
    job: Job, site: Site, ports: Ports, event: str, reason: str, by: CommitFacts | None = None
) -> bool:
    if JobEvent.objects.filter(job=job, event=event).exists():
        return False
    facts: dict[str, Any] = {"removed_by": by.commit, "author": by.author} if by else {}
    journal.note(
        job, event, who=WHO, now=ports.clock.now(), reason=reason, head=site.head,
        commit=job.remote_commit, **facts,
    )  # fmt: skip
    return True
