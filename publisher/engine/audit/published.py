"""Published: what the remotes' own histories say of our jobs, read again."""

from collections import defaultdict
from collections.abc import Iterator

from publisher import envelopes
from publisher.domain.errors import ImprimaturError, RepositoryError
from publisher.domain.states import State
from publisher.domain.trailers import bare_hex, value
from publisher.engine import confirm
from publisher.engine.audit.breach import Breach
from publisher.models import Job, Site
from publisher.ports import CommitFacts, Ports, Repository


def check_site(site: Site, ports: Ports) -> Iterator[Breach]:
    """Fetch, then compare every commit that carries a job id with what the database says."""
    repository = ports.repository(site.spec, lambda: False)
    try:
        try:
            tip = repository.fetch()
            commits = repository.commits(None, tip)
        except RepositoryError as error:
            yield Breach("remote_unreadable", site.name, error.message)
            return
        yield from _compare(site, repository, commits)
    finally:
        repository.close()


def _compare(site: Site, repository: Repository, commits: list[CommitFacts]) -> Iterator[Breach]:
    ours: dict[str, list[CommitFacts]] = defaultdict(list)
    for facts in commits:
        job_id = value(facts.trailers, f"{site.trailer_prefix}-Job-Id")
        if job_id:
            ours[job_id].append(facts)
    jobs = Job.objects.filter(site=site)
    known = set(jobs.filter(pk__in=list(ours)).values_list("pk", flat=True))
    for job_id, found in ours.items():
        if job_id not in known:
            message = f"Commit {found[0].commit[:12]} names a job that is not in the database."
            yield Breach("unknown_commit", job_id, message)
        elif len(found) > 1:
            yield Breach("second_commit", job_id, f"{len(found)} commits carry this job's id.")
    for job in jobs.select_related("site").filter(state=State.PUBLISHED.value):
        yield from check_job(repository, job, ours.get(job.pk, []))


def check_job(repository: Repository, job: Job, found: list[CommitFacts]) -> Iterator[Breach]:
    """PUBLISHED is proved by a commit in the remote's history with both trailers and the bytes."""
    proved = [facts for facts in found if facts.commit == job.remote_commit]
    if not proved:
        yield Breach("not_on_remote", job.pk, "The remote's history does not hold its commit.")
        return
    try:
        if why := confirm.mismatch(repository, job, proved[0]):
            yield Breach("bytes_differ", job.pk, f"The published commit is not ours: {why}.")
        if why := foreign_paths(repository, job, proved[0]):
            yield Breach("foreign_paths", job.pk, why)
        approval = value(proved[0].trailers, f"{job.site.trailer_prefix}-Approval")
        if approval != bare_hex(job.binding_hash):
            yield Breach("approval_differs", job.pk, "The commit names another approval.")
    except ImprimaturError as error:
        yield Breach(error.code, job.pk, error.message)


def foreign_paths(repository: Repository, job: Job, facts: CommitFacts) -> str:
    """Paths of the commit that the manifest does not list; "" when there are none (invariant I6)."""
    parent = facts.parents[0] if facts.parents else None
    changed = {change.path for change in repository.changes(parent, facts.commit)}
    extra = sorted(changed - set(envelopes.manifest_of(job).paths))
    return f"The commit also changes {', '.join(extra)}." if extra else ""
