"""Another repository in the place of the site's own: nothing is settled by it, and nothing leaves."""

from datetime import timedelta

import pytest

from publisher.adapters.git.repository import GitRepository
from publisher.domain.errors import OutcomeUnknown
from publisher.domain.retries import DEFAULT_LIMITS
from publisher.domain.states import State
from publisher.engine.waiting import LAST_LOOKS
from publisher.models import Job, Outbox, Site
from publisher.services import sites
from tests.support.git import blob, make_remote
from tests.support.journey import FRESH, FRESH_TEXT, OMAR, TARGET, Journey, effect, fresh, told
from tests.support.live import make_live


def _replaced(journey: Journey) -> None:
    """Another repository stands where the site's was."""
    other = make_remote(journey.folder / "other.git", {"x/readme.md": b"alien\n"})
    journey.remote.rename(journey.folder / "real.git")
    other.rename(journey.remote)


def _put_back(journey: Journey) -> None:
    journey.remote.rename(journey.folder / "alien.git")
    (journey.folder / "real.git").rename(journey.remote)


def _stopped(journey: Journey) -> bool:
    return bool(Site.objects.get(pk=journey.site.pk).stop_reason)


def _resumed(journey: Journey) -> None:
    sites.resume(Site.objects.get(pk=journey.site.pk), who=OMAR, now=journey.now())
    journey.work()


@pytest.mark.parametrize("together", [False, True])
def test_another_repository_settles_no_job_of_the_site(journey: Journey, together: bool) -> None:
    deleted = journey.submit(None, TARGET, action="delete")
    jobs = [deleted]
    if together:
        jobs.append(journey.submit(FRESH_TEXT, "content/posts/other.mdx", action="update"))
    journey.work()
    for job in jobs:
        journey.approve(job)
    _replaced(journey)
    alien = journey.head()
    journey.work()
    assert _stopped(journey)
    assert [fresh(job).state for job in jobs] == [State.READY_TO_COMMIT] * len(jobs), told(deleted)
    assert fresh(deleted).attempt == 0
    assert journey.head() == alien
    _put_back(journey)
    _resumed(journey)
    assert [fresh(job).state for job in jobs] == [State.PUBLISHED] * len(jobs), told(deleted)
    journey.is_sound(*jobs)


def test_an_answer_that_was_lost_waits_while_another_repository_is_there(
    journey: Journey, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = journey.approved(FRESH_TEXT, FRESH, action="create")
    real = GitRepository.push

    def push(self: GitRepository, commit: str, *, lease: str) -> None:
        real(self, commit, lease=lease)
        _replaced(journey)
        raise OutcomeUnknown("No answer came.")

    with monkeypatch.context() as patch:
        patch.setattr(GitRepository, "push", push)
        journey.work()
    for _ in range(DEFAULT_LIMITS.push_attempts + LAST_LOOKS + 2):
        journey.hurry(job)
    assert (fresh(job).state, effect(job).status) == (State.PUSHING, "intent"), told(job)
    _put_back(journey)
    _resumed(journey)
    assert fresh(job).state == State.PUBLISHED, told(job)
    assert len(journey.commits_of(job)) == 1
    journey.is_sound(job)


def test_a_draft_that_meets_another_repository_first_stops_the_site(journey: Journey) -> None:
    deleted = journey.approved(None, TARGET, action="delete")
    Job.objects.filter(pk=deleted.pk).update(available_at=journey.now() + timedelta(hours=1))
    _replaced(journey)
    draft = journey.submit(FRESH_TEXT, FRESH, action="create")
    journey.work()
    assert _stopped(journey)
    assert fresh(draft).state == State.WAITING_APPROVAL, told(draft)
    journey.hurry(deleted)
    assert fresh(deleted).state == State.READY_TO_COMMIT, told(deleted)


def test_no_hand_edit_is_sent_to_another_repository(journey: Journey) -> None:
    live = make_live(journey)
    live.write("content/posts/by-hand.md", b"Mine.\n")
    assert live.scan()
    _replaced(journey)
    alien = journey.head()
    journey.deliver()
    assert (journey.head(), _stopped(journey)) == (alien, True)
    _put_back(journey)
    Outbox.objects.update(due_at=journey.now())
    _resumed(journey)
    assert journey.head() != alien
    assert blob(journey.remote, "content/posts/by-hand.md") == b"Mine.\n"
