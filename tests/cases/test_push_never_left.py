"""A push that never left: the remote went away under it, or the worker died before it."""

from datetime import timedelta

import pytest

from publisher import selectors
from publisher.adapters.git.repository import GitRepository
from publisher.domain.retries import DEFAULT_LIMITS
from publisher.domain.states import State
from publisher.engine.reconcile import probes
from publisher.models import Job
from tests.support.journey import FRESH, FRESH_TEXT, Journey, effect, fresh, told
from tests.support.trouble import Killed


def approved(journey: Journey) -> Job:
    return journey.approved(FRESH_TEXT, FRESH, action="create")


def test_a_remote_that_goes_away_under_the_push_is_waited_for(
    journey: Journey, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = approved(journey)
    away = journey.remote.with_name("away.git")
    real = GitRepository.push

    def push(self: GitRepository, commit: str, *, lease: str) -> None:
        journey.remote.rename(away)
        real(self, commit, lease=lease)

    with monkeypatch.context() as patch:
        patch.setattr(GitRepository, "push", push)
        journey.work()
    moves = [(entry.source, entry.target) for entry in selectors.events(fresh(job))]
    assert (State.PUSHING, State.RETRY_WAIT) in moves, told(job)
    away.rename(journey.remote)
    journey.hurry(job)
    assert fresh(job).state == State.PUBLISHED, told(job)
    assert len(journey.commits_of(job)) == 1
    journey.is_sound(job)


def test_a_commit_on_the_jobs_own_branch_is_no_proof_of_its_publication(
    journey: Journey, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, job = journey.head(), approved(journey)

    def push(self: GitRepository, commit: str, *, lease: str) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(GitRepository, "push", push)
        with pytest.raises(Killed):
            journey.work()
    over = journey.now() - timedelta(seconds=1)
    Job.objects.filter(pk=job.pk).update(lease_until=over, attempt=DEFAULT_LIMITS.push_attempts)
    repository = journey.repository()
    assert repository.job_branch(job.pk) is not None
    repository.close()
    away = journey.remote.with_name("away.git")
    journey.remote.rename(away)
    journey.hurry(job)
    away.rename(journey.remote)
    Job.objects.filter(pk=job.pk).update(available_at=over)
    probes.run(journey.ports)
    assert (fresh(job).state, effect(job).status) == (State.FAILED, "intent"), told(job)
    assert (journey.head(), journey.commits_of(job)) == (before, [])
    journey.is_sound(job)
