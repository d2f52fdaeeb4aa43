"""Envelopes: the exact action of a job, recomputed from its rows each time somebody asks."""

from functools import lru_cache
from typing import Any

from publisher import artifacts, statements
from publisher.domain import envelope as rules
from publisher.domain.errors import ArtifactDamaged, WrongState
from publisher.domain.manifest import Manifest
from publisher.domain.trailers import one_line
from publisher.models import Job, Revision, Step

AUTHOR = "Imprimatur <imprimatur@localhost>"
_VERBS = {"create": "Publish", "update": "Update", "delete": "Delete"}


def manifest_of(job: Job) -> Manifest:
    """The manifest that the job's row names; raises WrongState when there is none yet."""
    if not job.manifest_artifact:
        raise WrongState("This job has no finished draft yet.", job_id=job.pk)
    return _parsed(artifacts.load(job.manifest_artifact))


def is_whole(job: Job) -> bool:
    """Whether all that the job's draft stands on is stored as it was: the list and every file of it.

    A job without a draft lacks nothing.
    """
    try:
        for entry in manifest_of(job).entries if job.manifest_artifact else ():
            if entry.sha256:
                artifacts.load(entry.sha256)
    except ArtifactDamaged:
        return False
    return True


@lru_cache(maxsize=64)
def _parsed(text: bytes) -> Manifest:
    """The stored bytes are verified each time that they are read; what they say stays the same."""
    return Manifest.from_json(text)


def subject(job: Job) -> str:
    """The commit's first line: a function of bound fields alone."""
    what = one_line(job.title or job.target_path, limit=150)
    verb = "Revert" if job.compensates_id else _VERBS.get(job.operation, "Publish")
    return f"{verb} {what}"


def of(job: Job, manifest: Manifest | None = None) -> dict[str, Any]:
    """The envelope of the job's present rows; ``manifest`` spares reading it again."""
    manifest = manifest or manifest_of(job)
    bases = bases_of(job)
    (revision,) = statements.rows(Revision, job_id=job.pk, number=job.revision)
    envelope = rules.build(
        job_id=job.pk,
        action=job.kind,
        site=job.site.name,
        remote=job.site.remote,
        branch=job.site.branch,
        operation=job.operation,
        paths=[
            {"path": entry.path, "base_sha256": bases.get(entry.path)}
            for entry in manifest.entries
            if entry.kind != "derived"
        ],
        scope=job.scope,
        requester=job.requester,
        input_hash=revision.input_hash,
        payload_hash=manifest.payload_hash,
        derived=derived_of(job, manifest),
        commit={"subject": subject(job), "author": AUTHOR},
        memory=_memory_of(job),
        not_before=job.not_before.isoformat() if job.not_before else None,
    )
    published = job.compensates
    if published is None:
        return envelope
    return rules.taking_back(envelope, job_id=published.pk, commit=published.remote_commit)


def derived_of(job: Job, manifest: Manifest) -> list[dict[str, Any]]:
    """Which paths are rebuilt by which generator; their bytes are evidence, not bound."""
    paths = sorted(entry.path for entry in manifest.entries if entry.kind == "derived")
    if not paths:
        return []
    made = _outputs_of(job, "fonts")
    return [{"paths": paths, "generator": made["generator"], "config_hash": made["config_hash"]}]


def bases_of(job: Job) -> dict[str, str | None]:
    """What each path held at the base commit: its SHA-256, or None where it was absent."""
    bases: dict[str, str | None] = _outputs_of(job, "draft")["bases"]
    return bases


def _outputs_of(job: Job, step: str) -> dict[str, Any]:
    (made,) = statements.rows(Step, job_id=job.pk, revision=job.revision, name=step)
    outputs: dict[str, Any] = made.outputs
    return outputs


def _memory_of(job: Job) -> dict[str, Any] | None:
    if job.memory_revision is None:
        return None
    expires = job.memory_expires_at
    return {
        "scope": job.memory_scope,
        "revision": job.memory_revision,
        "expires_at": expires.isoformat() if expires else None,
    }
