"""holders: which published job's bytes a path of the remote should hold."""

from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

from django.db.models import QuerySet

from publisher import envelopes, spoiled
from publisher.artifacts import sha256_of
from publisher.domain.errors import ArtifactDamaged, RepositoryError
from publisher.domain.globs import match_glob
from publisher.domain.manifest import Manifest
from publisher.domain.states import State
from publisher.domain.trailers import value
from publisher.models import Artifact, Effect, Job, Site
from publisher.models.effect import EffectStatus
from publisher.ports import Change, CommitFacts, Repository

BATCH = 500
Row = TypeVar("Row")


def published(site: Site) -> QuerySet[Job]:
    """What counts as done on a site."""
    return Job.objects.filter(site=site, state=State.PUBLISHED.value)


def branch_before(site: Site, job_id: str) -> str:
    """The branch that holds this, where the site follows another now that was never seen to; or ""."""
    confirmed = Effect.objects.filter(job=job_id, status=EffectStatus.CONFIRMED.value)
    # All of the facts: SQLite answers a key alone with a number, where the branch is named like one.
    facts = confirmed.order_by("-pk").values_list("receipt", "target").first() or ()
    branches = [branch for branch in map(_branch, facts) if branch]
    return branches[0] if branches and site.branch not in branches else ""


def remember(site: Site, job_ids: Iterable[str]) -> None:
    """Write down that the site's branch holds what was published on another one, as after a renaming.

    Else nobody could tell later whether such a commit was lost here or never was here.
    """
    for part in batches(list(job_ids)):
        confirmed = Effect.objects.filter(job__in=part, status=EffectStatus.CONFIRMED.value)
        for effect in spoiled.readable(confirmed):
            receipt = effect.receipt
            is_known = site.branch in (_branch(effect.target), _branch(receipt))
            if isinstance(receipt, dict) and not is_known:
                receipt = {**receipt, "branch": site.branch}
                Effect.objects.filter(pk=effect.pk).update(receipt=receipt)


def since(site: Site, repository: Repository, watched: str, arrived: list[Job]) -> dict[str, Job]:
    """For each path that something happened to since ``watched``: the job that published it last.

    Articles are found by their rows, other files by the commit that brought them, and both by the
    publications that ``arrived`` meanwhile. A path that no job published is left out.
    """
    changes = [
        change
        for change in repository.changes(watched, site.head)
        if change.old_blob is not None and change.path != site.fonts
    ]
    found: dict[str, Job] = {}
    for part in batches(changes):
        found |= _of_files(site, repository, watched, part)
    for job in arrived:
        found |= dict.fromkeys((entry.path for entry in manifest(job).payload), job)
    for part in batches(changes):
        rows = published(site).filter(target_path__in=[change.path for change in part])
        rows = rows.order_by("finished_at")
        found |= {job.target_path: job for job in spoiled.readable(rows)}
    return found


def arrived(site: Site, repository: Repository, watched: str) -> list[Job]:
    """Jobs whose commit came since ``watched``, in the order of their commits."""
    news = repository.commits(watched, site.head)
    jobs = _jobs(site, news)
    return [jobs[facts.commit] for facts in reversed(news) if facts.commit in jobs]


def manifest(job: Job) -> Manifest:
    """What it published; nothing when the manifest is damaged, which verify tells of."""
    try:
        return envelopes.manifest_of(job)
    except ArtifactDamaged:
        return Manifest(())


def is_ours(site: Site, facts: CommitFacts) -> bool:
    """Whether a job made this very commit, confirmed or on its way; a trailer alone proves nothing."""
    named = value(facts.trailers, f"{site.trailer_prefix}-Job-Id")
    if not named:
        return False
    on_its_way = Effect.objects.filter(job_id=named, job__site=site, commit=facts.commit)
    return bool(_jobs(site, [facts])) or on_its_way.exists()


def _branch(facts: Any) -> str:
    return str(facts.get("branch") or "") if isinstance(facts, dict) else ""


def _of_files(
    site: Site, repository: Repository, watched: str, changes: list[Change]
) -> dict[str, Job]:
    """Files beside the articles. Only those are asked for whose former bytes are stored here."""
    before = {
        change.path: name
        for change in changes
        if match_glob(site.assets, change.path) and (name := _name(repository, change.old_blob))
    }
    known = set(Artifact.objects.filter(pk__in=before.values()).values_list("pk", flat=True))
    paths = [path for path, name in before.items() if name in known]
    brought = repository.last_changes(None, watched, paths)
    jobs = _jobs(site, brought.values())
    return {path: jobs[facts.commit] for path, facts in brought.items() if facts.commit in jobs}


def _name(repository: Repository, blob: str | None) -> str:
    try:
        return sha256_of(repository.read(blob)) if blob else ""
    except RepositoryError:
        # Too big, or a submodule's commit: no job ever published it.
        return ""


def _jobs(site: Site, commits: Iterable[CommitFacts]) -> dict[str, Job]:
    """The published jobs that made these commits, by commit."""
    key = f"{site.trailer_prefix}-Job-Id"
    named = {
        facts.commit: name for facts in commits if (name := value(facts.trailers, key)) is not None
    }
    rows: dict[str, Job] = {}
    for part in batches(sorted(set(named.values()))):
        found = spoiled.readable(published(site).filter(pk__in=part))
        rows |= {job.pk: job for job in found}
    return {
        commit: rows[name]
        for commit, name in named.items()
        if name in rows and rows[name].remote_commit == commit
    }


def batches(rows: list[Row]) -> Iterator[list[Row]]:
    """Parts that one statement can name."""
    for start in range(0, len(rows), BATCH):
        yield rows[start : start + BATCH]
