"""What the remote surely did not take: the intent ends with the answer, and a person may act at once."""

from collections.abc import Callable
from contextlib import suppress

import pytest

from publisher.adapters.git.repository import GitRepository
from publisher.domain.errors import (
    CredentialsRefused,
    OutcomeUnknown,
    RemoteRefused,
    RemoteUnreachable,
    TooLate,
)
from publisher.domain.retries import DEFAULT_LIMITS
from publisher.domain.states import State
from publisher.models import Job, JobEvent
from publisher.services import acts
from reviews.models import Approval
from tests.support.git import add_hook
from tests.support.journey import FRESH, FRESH_TEXT, OMAR, Journey, effect, fresh, told
from tests.support.trouble import Killed


def approved(journey: Journey) -> Job:
    return journey.approved(FRESH_TEXT, FRESH, action="create")


def answering(trouble: BaseException) -> Callable[..., None]:
    """A push that ends so, and sends nothing."""

    def push(_repository: GitRepository, _commit: str, *, lease: str) -> None:
        assert lease
        raise trouble

    return push


def is_sound_and_free(journey: Journey, job: Job) -> None:
    assert (fresh(job).state, effect(job).status) == (State.RETRY_WAIT, "absent"), told(job)
    assert effect(job).probes[-1]["proof"] == "the remote took nothing of it"
    assert Approval.objects.get(job=job).status == "approved"
    journey.is_sound(job)


@pytest.mark.parametrize(
    "answer",
    [
        RemoteRefused("It is busy.", text="try again", permanent=False),
        CredentialsRefused("The key may only read."),
        RemoteUnreachable("There is no way to it."),
    ],
    ids=lambda answer: answer.code,
)
def test_what_the_remote_surely_did_not_take_is_known_not_to_be_there(
    journey: Journey, monkeypatch: pytest.MonkeyPatch, answer: Exception
) -> None:
    job = approved(journey)
    with monkeypatch.context() as refusing:
        refusing.setattr(GitRepository, "push", answering(answer))
        journey.work()
        is_sound_and_free(journey, job)
        Job.objects.filter(pk=job.pk).update(attempt=DEFAULT_LIMITS.push_attempts)
        journey.hurry(job)
    assert (fresh(job).state, effect(job).status) == (State.FAILED, "absent"), told(job)
    assert fresh(job).failure_message.endswith("Nothing of it was published.")
    acts.retry(fresh(job), who=OMAR, now=journey.now())
    journey.work()
    assert fresh(job).state == State.PUBLISHED, told(job)
    assert Approval.objects.get(job=job).status == "done"
    journey.is_sound(job)


@pytest.mark.parametrize("doubt", [OutcomeUnknown("No answer came."), Killed()], ids=repr)
def test_a_refusal_says_nothing_of_a_push_that_may_yet_arrive(
    journey: Journey, monkeypatch: pytest.MonkeyPatch, doubt: BaseException
) -> None:
    """An earlier one with the same lease got no answer: git may still be at it on its own."""
    job = approved(journey)
    with monkeypatch.context() as doubtful, suppress(Killed):
        doubtful.setattr(GitRepository, "push", answering(doubt))
        journey.work()
    assert effect(job).status == "intent"
    add_hook(journey.remote, "pre-receive", "echo 'busy, try again later' >&2; exit 1")
    Job.objects.filter(pk=job.pk).update(lease_until=None)
    journey.hurry(job)
    assert (fresh(job).state, effect(job).status) == (State.RETRY_WAIT, "intent"), told(job)
    assert JobEvent.objects.filter(job=job).latest("seq").facts["code"] == "remote_refused"
    with pytest.raises(TooLate):
        acts.cancel(fresh(job), who=OMAR, now=journey.now())
