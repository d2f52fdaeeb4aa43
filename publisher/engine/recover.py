"""RECOVERING: find the commit by its trailer, or build it again from intact artifacts, or ask a person."""

from publisher import artifacts, envelopes
from publisher.domain.errors import ArtifactDamaged, RepositoryError
from publisher.domain.states import Event, State
from publisher.domain.trailers import value
from publisher.engine import confirm
from publisher.engine.run import Run


def lose_sight(run: Run) -> None:
    """A claim found the job inside LOCAL_COMMITTING: whether a commit exists is not known."""
    run.record(Event.LOSE_SIGHT, reason="The worker before stopped while committing.")


def recover(run: Run) -> None:
    """Runs no model and writes no second article (row R18)."""
    job = run.job
    found = _local_commit(run)
    if found:
        run.record(
            Event.RECOVER, to=State.LOCAL_COMMITTED, changes={"local_commit": found}, commit=found
        )
        return
    try:
        for entry in envelopes.manifest_of(job).entries:
            if entry.sha256:
                artifacts.load(entry.sha256)
    except ArtifactDamaged as damage:
        run.record(
            Event.RECOVER,
            to=State.REVIEW,
            reason=damage.message,
            changes={
                "failure_class": "NEEDS_HUMAN",
                "failure_code": damage.code,
                "failure_message": damage.message,
            },
        )
        return
    run.record(Event.RECOVER, to=State.LOCAL_COMMITTING, reason="The stored files are intact.")


def _local_commit(run: Run) -> str:
    """The job branch's commit when it is ours by trailers and bytes; "" otherwise."""
    job, repository = run.job, run.repository
    tip = repository.job_branch(job.pk)
    if tip is None:
        return ""
    try:
        facts = repository.facts(tip)
        if value(facts.trailers, f"{job.site.trailer_prefix}-Job-Id") != job.pk:
            return ""
        return "" if confirm.mismatch(repository, job, facts) else tip
    except RepositoryError:
        # A damaged object is as good as none: the commit is built again from the artifacts.
        return ""
