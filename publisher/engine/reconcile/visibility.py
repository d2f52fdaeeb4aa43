"""visibility: was published and is still visible are two facts; the second is looked at again."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from publisher import journal, spoiled
from publisher.artifacts import sha256_of
from publisher.domain.errors import StaleWorker
from publisher.domain.manifest import Manifest
from publisher.domain.states import Actor
from publisher.engine import holders
from publisher.engine.reconcile.alone import alone
from publisher.engine.reconcile.counts import Counts
from publisher.journal import Guard, Who
from publisher.models import Job, JobEvent, Site
from publisher.ports import CommitFacts, Ports, Repository
from publisher.selectors_reverts import taken_back_by

WHO = Who(Actor.RECONCILE, "visibility")
WATCHED_DAYS = 30
SHOWN = 3
SLACK = timedelta(minutes=1)
"""A fetch may have begun so long before it was written down."""
TOLD = "Another sweep told of it meanwhile."
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

    What arrived or was confirmed since the last look is looked at, so a branch that stands still
    costs one question.
    """
    counts = Counts()
    now = ports.clock.now()
    rows = Site.objects.filter(removed_at__isnull=True).exclude(head="")
    for row in spoiled.readable(rows):
        if site and row.name != site:
            continue
        counts.looked_at += 1
        since = _watched_at(row, now)
        if row.head == row.watched_head and since and not _finished(row, since):
            counts.left += 1
        else:
            # An unreadable clone is told on the site's page; nothing is known of the jobs.
            with alone(counts, "visibility", site=row.name):
                _look(row, ports, counts, now)
    return counts


def _look(site: Site, ports: Ports, counts: Counts, now: datetime) -> None:
    repository = ports.repository(site.spec, lambda: False)
    watched, left = site.watched_head, counts.left
    try:
        if site.watched_at is None and repository.tip() != site.head:
            counts.left += 1  # the head may be of the branch that the site followed before
            return
        goes_on = bool(watched) and repository.is_ancestor(watched, site.head)
        since = _watched_at(site, now) if goes_on else None
        jobs = _jobs(site, _finished(site, since or now - timedelta(days=WATCHED_DAYS)))
        arrived = holders.arrived(site, repository, watched) if goes_on else []
        kept = _few(site, jobs, repository) if since else _all(site, repository)
        holders.remember(site, kept | {job.pk for job in arrived})
        for job in jobs:
            if job.pk not in kept:
                _missed(job, site, repository, ports, counts)
        held = _held(job for job in jobs if job.pk in kept)
        if goes_on:
            held |= holders.since(site, repository, watched, arrived)
        for loss in _losses(site, repository, held, watched if goes_on else None):
            with alone(counts, "visibility", job_id=loss.job.pk):
                counts.changed += _tell(loss, site, ports)
    finally:
        repository.close()
    if counts.left == left:
        # Else what could not be told is looked at again; what was told is told once.
        same = Site.objects.filter(pk=site.pk, branch=site.branch)
        same.update(watched_head=site.head, watched_at=now)


def _watched_at(site: Site, now: datetime) -> datetime | None:
    """When the last look was; not known where its clock was ahead."""
    at = site.watched_at
    return at if at is not None and at <= now else None


def _finished(site: Site, since: datetime) -> list[str]:
    """Published since then, oldest first: some are confirmed long after their commit arrived."""
    rows = holders.published(site).filter(finished_at__gte=since).exclude(remote_commit="")
    return list(rows.order_by("finished_at").values_list("pk", flat=True))


def _jobs(site: Site, keys: list[str]) -> list[Job]:
    published = holders.published(site).order_by("finished_at")
    parts = holders.batches(keys)
    return [job for part in parts for job in spoiled.readable(published.filter(pk__in=part))]


def _few(site: Site, jobs: list[Job], repository: Repository) -> set[str]:
    """Those of these jobs whose commits the branch's history holds."""
    return {
        job.pk
        for job in jobs
        if repository.resolves(job.remote_commit)
        and repository.is_ancestor(job.remote_commit, site.head)
    }


def _all(site: Site, repository: Repository) -> set[str]:
    """All of the site's jobs whose commits the branch's history holds, by one pass."""
    rows = holders.published(site).exclude(remote_commit="").values_list("pk", "remote_commit")
    commits = dict(rows)
    found: set[str] = set()
    if commits:
        repository.each_commit(site.head, lambda facts: found.add(facts.commit))
    return {job_id for job_id, commit in commits.items() if commit in found}


def _missed(job: Job, site: Site, repository: Repository, ports: Ports, counts: Counts) -> None:
    """A published commit that the history does not hold."""
    if holders.branch_before(site, job.pk) or _is_told_gone(job):
        return
    if _is_newer(job, site, repository):
        counts.left += 1
        return

    def guard(fresh: Job) -> None:
        if _is_told_gone(fresh):
            raise StaleWorker(TOLD)

    reason = "The branch's history no longer holds the published commit. Nothing was pushed."
    with alone(counts, "visibility", job_id=job.pk):
        counts.changed += _warn(job, site, ports, GONE, reason, guard)


def _is_told_gone(job: Job) -> bool:
    return job.events.filter(event=GONE).exists()


def _is_newer(job: Job, site: Site, repository: Repository) -> bool:
    """Whether it may have been published on top of this head only after that was fetched.

    By another machine too, whose commit this one's clone holds with its next fetch.
    """
    fetched, finished, commit = site.fetched_at, job.finished_at, job.remote_commit
    if fetched is not None and finished is not None and finished < fetched - SLACK:
        return False
    return not repository.resolves(commit) or repository.is_ancestor(site.head, commit)


def _held(jobs: Iterable[Job]) -> dict[str, Job]:
    """For each file that these jobs brought, the one that published it last."""
    return {
        entry.path: job
        for job in jobs
        for entry in holders.manifest(job).payload
        if entry.sha256 is not None
    }


def _losses(
    site: Site, repository: Repository, held: dict[str, Job], watched: str | None
) -> list[Loss]:
    """Published files whose bytes others changed or removed, by job and commit."""
    lost = _differing(site, repository, held)
    told: dict[tuple[str, str, bool], Loss] = {}
    for part in holders.batches(sorted(lost)):
        brought = repository.last_changes(watched, site.head, part)
        before = [path for path in part if path not in brought]
        if watched and before:  # taken away before the last look, which did not know the job yet
            brought = brought | repository.last_changes(None, site.head, before)
        theirs = {facts.commit for facts in brought.values() if not holders.is_ours(site, facts)}
        for path, facts in brought.items():
            job, is_gone = lost[path]
            if facts.commit in theirs:
                loss = Loss(job, facts, is_gone, [])
                told.setdefault((job.pk, facts.commit, is_gone), loss).paths.append(path)
    return list(told.values())


def _differing(
    site: Site, repository: Repository, holding: dict[str, Job]
) -> dict[str, tuple[Job, bool]]:
    """Paths that hold other bytes than their job published, and whether there are none."""
    held: dict[str, Manifest] = {}
    found = {}
    for path, job in holding.items():
        if job.pk not in held:
            held[job.pk] = holders.manifest(job)
        entry, data = held[job.pk].get(path), repository.read_path(site.head, path)
        if entry is None or (None if data is None else sha256_of(data)) == entry.sha256:
            continue
        if not _is_elsewhere(site, repository, job):
            found[path] = (job, data is None)
    return found


def _is_elsewhere(site: Site, repository: Repository, job: Job) -> bool:
    """Whether it was published on a branch that the site followed before, and never was on this one."""
    was_moved = holders.branch_before(site, job.pk)
    return bool(was_moved) and not repository.is_ancestor(job.remote_commit, site.head)


def _tell(loss: Loss, site: Site, ports: Ports) -> bool:
    """Of each file once, and once more when it is removed after a change."""
    job, facts = loss.job, loss.by
    paths = _untold(loss)

    def guard(_fresh: Job) -> None:
        if _untold(loss) != paths:
            raise StaleWorker(TOLD)

    who, commit, subject = facts.author, facts.commit[:12], facts.subject[:100]
    path = ", ".join(paths[:SHOWN]) + (" …" if len(paths) > SHOWN else "")
    reason = (
        f"{who} removed {path} in commit {commit} ({subject}). Nothing was pushed."
        if loss.is_gone
        else f"{who} changed {path} in commit {commit} ({subject}). Nothing was pushed."
    )
    more = {"removed_by": facts.commit, "author": facts.author, "paths": paths}
    return bool(paths) and _warn(
        job, site, ports, CHANGED, reason, guard, gone=loss.is_gone, **more
    )


def _untold(loss: Loss) -> list[str]:
    """An older note does not say whether the files are gone, and counts as if they were."""
    told = JobEvent.objects.filter(job=loss.job, event=CHANGED).values_list("facts", flat=True)
    known = {
        path
        for row in told
        if row.get("gone", True) or not loss.is_gone
        for path in row.get("paths", [loss.job.target_path])
    }
    return [path for path in loss.paths if path not in known]


def _warn(
    job: Job, site: Site, ports: Ports, event: str, reason: str, guard: Guard, **facts: Any
) -> bool:
    """Of what was taken back on purpose, nothing is lost. The guard sees what another sweep told."""
    if taken_back_by(job) is not None:
        return False
    journal.note(
        job, event, who=WHO, now=ports.clock.now(), guard=guard, reason=reason, head=site.head,
        commit=job.remote_commit, **facts,
    )  # fmt: skip
    return True
