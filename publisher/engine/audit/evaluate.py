"""evaluate: mechanical acceptance of one job, read anew; never from Job.state alone."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from publisher import artifacts, envelopes, nodes
from publisher.domain.errors import ImprimaturError
from publisher.domain.states import State
from publisher.domain.trailers import value
from publisher.engine import confirm, holders
from publisher.engine.audit import chains, published
from publisher.models import Effect, Job, Step
from publisher.ports import Ports, SiteSpec

NOT_SCORED = ("semantic_support", "model_quality")
DONE = frozenset({State.PUBLISHED, State.EFFECT_CONFIRMED, State.SKIPPED})
"""Ends that can be accepted: what was asked is there, or rightly nothing had to be done."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Each check with "passed", "failed: why", "not_applicable" or "not_scored"."""

    job_id: str
    state: str
    checks: Mapping[str, str]

    @property
    def passed(self) -> bool:
        """Whether no check failed."""
        return not any(result.startswith("failed") for result in self.checks.values())


def evaluate(job: Job, ports: Ports) -> Evaluation:
    """What can be checked without judgement: history, artifacts, steps, receipts, the remote."""
    checks: dict[str, Callable[[], str]] = {
        "outcome": lambda: _outcome(job),
        "history": lambda: _first(chains.check_job(job)),
        "artifacts": lambda: _artifacts(job),
        "steps": lambda: _steps(job),
        "receipts": lambda: _receipts(job),
        "remote": lambda: _remote(job, ports),
    }
    results = {name: _tried(check) for name, check in checks.items()}
    results |= dict.fromkeys(NOT_SCORED, "not_scored")
    return Evaluation(job.pk, job.state, results)


def _tried(check: Callable[[], str]) -> str:
    try:
        return check()
    except ImprimaturError as error:
        return f"failed: {error.message}"
    except OSError as error:
        return f"failed: What is stored cannot be read: {error.strerror or error}."


def _first(breaches: Any) -> str:
    found = next(iter(breaches), None)
    return f"failed: {found.message}" if found else "passed"


def _outcome(job: Job) -> str:
    """Whether there is anything to accept; that it is true is for the other checks to say."""
    return "passed" if job.state in DONE else f"failed: not published, it is {job.state}"


def _artifacts(job: Job) -> str:
    if not job.manifest_artifact:
        return "not_applicable"
    for entry in envelopes.manifest_of(job).entries:
        if entry.sha256:
            artifacts.load(entry.sha256)
    return "passed"


def _steps(job: Job) -> str:
    if not job.manifest_artifact:
        return "not_applicable"
    rows = Step.objects.filter(job=job, revision=job.revision).order_by("position")
    bad = [step.name for step in rows if step.state != "succeeded"]
    return f"failed: {', '.join(bad)} did not succeed" if bad else "passed"


def _receipts(job: Job) -> str:
    confirmed = Effect.objects.filter(job=job, status="confirmed").count()
    if job.state != State.PUBLISHED.value:
        return "failed: a receipt, but not published" if confirmed else "not_applicable"
    return "passed" if confirmed == 1 else f"failed: {confirmed} receipts"


def _remote(job: Job, ports: Ports) -> str:
    """On the site's branch; where that does not hold it, on the one that it was published on."""
    told = _on_branch(job, job.site.spec, ports)
    before = holders.branch_before(job.site, job.pk)
    if not told and before:
        told = _on_branch(job, replace(job.site.spec, branch=before), ports)
    return told or "failed: The remote's history does not hold its commit."


def _on_branch(job: Job, spec: SiteSpec, ports: Ports) -> str:
    """What one branch says of it; "" where it does not hold what was published."""
    repository = ports.repository(spec, lambda: False)
    try:
        tip = repository.fetch()
        key = f"{job.site.trailer_prefix}-Job-Id"
        # A job that came out of a backup may have been published before its present base.
        is_known = job.base_commit and not nodes.is_from_backup(job)
        since = confirm.known_base(repository, job, tip) if is_known else None
        found = [
            facts
            for facts in repository.commits(since, tip)
            if value(facts.trailers, key) == job.pk
        ]
        if job.state != State.PUBLISHED.value:
            return (
                f"failed: {len(found)} commits of a job that is {job.state}" if found else "passed"
            )
        if job.remote_commit not in {facts.commit for facts in found}:
            return ""  # nor by a copy, as a cherry-pick leaves one
        if len(found) > 1:
            return f"failed: {len(found)} commits carry this job's id"
        return _first(published.check_job(repository, job, found))
    finally:
        repository.close()
