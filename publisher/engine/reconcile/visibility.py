"""visibility: was published and is still visible are two facts; the second is looked at again."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from publisher import journal, spoiled
from publisher.artifacts import sha256_of
from publisher.domain.manifest import Manifest
from publisher.domain.states import Actor
from publisher.engine import holders
from publisher.engine.reconcile.alone import alone
from publisher.engine.reconcile.counts import Counts
from publisher.journal import Who
from publisher.models import Job, JobEvent, Site
from publisher.ports import CommitFacts, Ports, Repository
from publisher.selectors_reverts import taken_back_by

WHO = Who(Actor.RECONCILE, "visibility")
WATCHED_DAYS = 30
SHOWN = 3
GONE, CHANGED = "no_longer_found", "no_longer_at_tip"


@dataclass(frozen=True, slots=True)
class Loss:
    """What one commit of somebody else did to files of one job."""

    job: Job
    by: CommitFacts
    is_gone: bool
    paths: list[str]


def run(ports: Ports, *, site: str = "") -> Counts:
    """Warn once where a published text is gone, with who took it away; touch nothing.

    What arrived since the last look is looked at, so a branch that stands still costs nothing.
    """
    counts = Counts()
    rows = Site.objects.filter(removed_at__isnull=True).exclude(head="")
    for row in spoiled.readable(rows):
        if site and row.name != site:
            continue
        counts.looked_at += 1
        if row.head == row.watched_head:
            counts.left += 1
        else:
            # An unreadable clone is told on the site's page; nothing is known of the jobs.
            with alone(counts, "visibility", site=row.name):
                _look(row, ports, counts)
    return counts


def _look(site: Site, ports: Ports, counts: Counts) -> None:
    repository = ports.repository(site.spec, lambda: False)
    watched = site.watched_head
    left = counts.left
    try:
        if watched and repository.is_ancestor(watched, site.head):
            _overwritten(site, repository, ports, counts)
        else:
            _rewritten(site, repository, ports, counts)
    finally:
        repository.close()
    if counts.left == left:
        # Else what could not be told is looked at again; what was told is told once.
        Site.objects.filter(pk=site.pk).update(watched_head=site.head)


def _rewritten(site: Site, repository: Repository, ports: Ports, counts: Counts) -> None:
    """At first sight, and when the watched tip is gone from the history: is each commit there?"""
    since = ports.clock.now() - timedelta(days=WATCHED_DAYS)
    published = holders.published(site).filter(finished_at__gte=since)
    if not published.exists():
        return
    held: set[str] = set()
    repository.each_commit(site.head, lambda facts: held.add(facts.commit))
    lost = [
        job
        for part in holders.batches(list(published.values_list("pk", flat=True)))
        for job in spoiled.readable(published.filter(pk__in=part))
        if job.remote_commit not in held and not job.events.filter(event=GONE).exists()
    ]
    reason = "The branch's history no longer holds the published commit. Nothing was pushed."
    for job in lost:
        with alone(counts, "visibility", job_id=job.pk):
            if not holders.branch_before(site, job.pk):
                counts.changed += _warn(job, site, ports, GONE, reason)


def _overwritten(site: Site, repository: Repository, ports: Ports, counts: Counts) -> None:
    """Published files whose bytes others changed or removed since the last look."""
    lost = _differing(site, repository)
    told: dict[tuple[str, str, bool], Loss] = {}
    for part in holders.batches(sorted(lost)):
        brought = repository.last_changes(site.watched_head, site.head, part)
        theirs = {facts.commit for facts in brought.values() if not holders.is_ours(site, facts)}
        for path, facts in brought.items():
            job, is_gone = lost[path]
            if facts.commit in theirs:
                loss = Loss(job, facts, is_gone, [])
                told.setdefault((job.pk, facts.commit, is_gone), loss).paths.append(path)
    for loss in told.values():
        with alone(counts, "visibility", job_id=loss.job.pk):
            if not _is_elsewhere(site, repository, loss.job):
                counts.changed += _tell(loss, site, ports)


def _differing(site: Site, repository: Repository) -> dict[str, tuple[Job, bool]]:
    """Paths that hold other bytes than their job published, and whether there are none."""
    held: dict[str, Manifest] = {}
    found = {}
    for path, job in holders.since(site, repository, site.watched_head).items():
        if job.pk not in held:
            held[job.pk] = holders.manifest(job)
        entry, data = held[job.pk].get(path), repository.read_path(site.head, path)
        if entry is not None and (None if data is None else sha256_of(data)) != entry.sha256:
            found[path] = (job, data is None)
    return found


def _is_elsewhere(site: Site, repository: Repository, job: Job) -> bool:
    """Whether it was published on a branch that the site followed before, and never was on this one."""
    was_moved = holders.branch_before(site, job.pk)
    return bool(was_moved) and not repository.is_ancestor(job.remote_commit, site.head)


def _tell(loss: Loss, site: Site, ports: Ports) -> bool:
    """Of each file once."""
    job, facts = loss.job, loss.by
    told = JobEvent.objects.filter(job=job, event=CHANGED).values_list("facts", flat=True)
    known = {path for row in told for path in row.get("paths", [job.target_path])}
    paths = [path for path in loss.paths if path not in known]
    who, commit, subject = facts.author, facts.commit[:12], facts.subject[:100]
    path = ", ".join(paths[:SHOWN]) + (" …" if len(paths) > SHOWN else "")
    reason = (
        f"{who} removed {path} in commit {commit} ({subject}). Nothing was pushed."
        if loss.is_gone
        else f"{who} changed {path} in commit {commit} ({subject}). Nothing was pushed."
    )
    more = {"removed_by": facts.commit, "author": facts.author, "paths": paths}
    return bool(paths) and _warn(job, site, ports, CHANGED, reason, **more)


def _warn(job: Job, site: Site, ports: Ports, event: str, reason: str, **facts: Any) -> bool:
    """Of what was taken back on purpose, nothing is lost."""
    if taken_back_by(job) is not None:
        return False
    journal.note(
        job, event, who=WHO, now=ports.clock.now(), reason=reason, head=site.head,
        commit=job.remote_commit, **facts,
    )  # fmt: skip
    return True
