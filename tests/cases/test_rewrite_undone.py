"""Somebody rewrites the branch so that our commit is gone, and takes that back after people were asked."""

from datetime import timedelta

import pytest

from publisher import selectors
from publisher.domain.states import State
from publisher.models import Job
from publisher.services import resolve
from publisher.services.resolve import Choice
from reviews.models import Approval
from tests.support.git import add_hook, blob, git, second_person
from tests.support.groups import watch
from tests.support.journey import HELLO, OMAR, TARGET, Journey, effect, fresh, told
from tests.support.trouble import Killed

OURS = HELLO + b"\nMore.\n"
UNRELATED = {"notes.txt": b"Nothing to do with it.\n"}


def taken_away(journey: Journey, *, state: State) -> tuple[Job, str]:
    """A job that people have in hand, and its commit that arrived, and was rewritten away unseen."""
    job = journey.approved(OURS, TARGET, action="update")
    before = journey.head()

    def die(commit: str) -> None:
        clone = journey.folder / "git" / str(journey.site.pk) / "clone.git"
        git(clone, "push", "-q", str(journey.remote), f"{commit}:refs/heads/main")
        raise Killed

    watch(journey, die)
    with pytest.raises(Killed):
        journey.work()
    landed = journey.head()
    git(journey.remote, "update-ref", "refs/heads/main", before)
    theirs = {TARGET: b"Theirs.\n"} if state is State.CONFLICT else UNRELATED
    second_person(journey.remote, theirs, "rewritten")
    if state is State.REVIEW:
        add_hook(journey.remote, "pre-receive", "echo 'No.' >&2; exit 1")
    elif state is State.WAITING_APPROVAL:
        Approval.objects.update(valid_until=journey.now() - timedelta(seconds=1))
    Job.objects.filter(pk=job.pk).update(lease_until=journey.now())
    journey.hurry(job)
    assert (fresh(job).state, effect(job).status) == (state, "absent"), told(job)
    return fresh(job), landed


def test_what_is_back_after_the_same_text_was_approved_again_is_sound(journey: Journey) -> None:
    """The commit names the first yes, under which it was sent, and the job has a second."""
    job, landed = taken_away(journey, state=State.CONFLICT)
    settle(journey, job, Choice(TARGET, "ours"))
    journey.approve(job)
    git(journey.remote, "update-ref", "refs/heads/main", landed)
    journey.work()
    assert (fresh(job).state, fresh(job).remote_commit) == (State.PUBLISHED, landed), told(job)
    assert blob(journey.remote, TARGET) == OURS
    journey.is_sound(job)


def settle(journey: Journey, job: Job, choice: Choice) -> None:
    """A person settles the conflict, and the new revision is prepared."""
    conflict = selectors.open_conflict(fresh(job))
    assert conflict is not None
    resolve.resolve(
        conflict, files=[choice], ours_sha256=conflict.ours_sha256,
        theirs_sha256=conflict.theirs_sha256, who=OMAR, now=journey.now(),
    )  # fmt: skip
    journey.work()
    assert fresh(job).state == State.WAITING_APPROVAL, told(job)
