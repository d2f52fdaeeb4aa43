"""Somebody rewrites the branch so that our commit is gone, and takes that back after people were asked."""

from datetime import timedelta

import pytest

from publisher import selectors
from publisher.domain.states import State
from publisher.engine import sites
from publisher.engine.reconcile import probes
from publisher.engine.run import Run
from publisher.models import Effect, Job, Site
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


def an_hour_later(journey: Journey) -> None:
    Effect.objects.update(updated_at=journey.now() - probes.INTERVAL)


PEOPLES = pytest.mark.parametrize("state", [State.CONFLICT, State.REVIEW, State.WAITING_APPROVAL])


@PEOPLES
def test_what_is_back_is_found_while_people_have_the_job_in_hand(
    journey: Journey, state: State
) -> None:
    job, landed = taken_away(journey, state=state)
    git(journey.remote, "update-ref", "refs/heads/main", landed)
    an_hour_later(journey)
    counts = probes.run(journey.ports)
    assert (counts.looked_at, counts.changed) == (1, 1)
    assert (fresh(job).state, fresh(job).remote_commit) == (State.PUBLISHED, landed), told(job)
    assert effect(job).status == "confirmed"
    assert selectors.open_conflict(fresh(job)) is None
    journey.is_sound(job)


@PEOPLES
def test_what_stays_away_is_looked_for_once_an_hour_and_fills_no_history(
    journey: Journey, state: State
) -> None:
    job, _ = taken_away(journey, state=state)
    calls = watch(journey)
    probes.run(journey.ports)
    assert calls == []
    an_hour_later(journey)
    assert probes.run(journey.ports).left == 1
    assert probes.run(journey.ports).looked_at == 0
    assert calls == ["fetch"]
    after = fresh(job)
    assert (after.state, after.event_seq, after.available_at) == (
        state, job.event_seq, job.available_at,
    )  # fmt: skip
    assert effect(job).status == "absent"
    journey.is_sound(job)


def test_a_remote_that_is_away_says_nothing_of_what_people_have_in_hand(journey: Journey) -> None:
    job, _ = taken_away(journey, state=State.CONFLICT)
    journey.remote.rename(journey.remote.with_name("away.git"))
    an_hour_later(journey)
    assert probes.run(journey.ports).left == 1
    assert fresh(job).event_seq == job.event_seq


def test_a_silent_remote_hides_no_job_of_another_site(
    journey: Journey, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many of its jobs people have in hand, and for however long."""
    job, landed = taken_away(journey, state=State.REVIEW)
    git(journey.remote, "update-ref", "refs/heads/main", landed)
    waits = beside(journey, job)
    an_hour_later(journey)
    monkeypatch.setattr(probes, "AT_ONCE", 1)
    monkeypatch.setattr(sites, "is_silent", lambda site, *_, **__: site == waits.site)
    probes.run(journey.ports)
    assert fresh(job).state == State.PUBLISHED, told(job)
    assert fresh(waits).state == State.REVIEW


def beside(journey: Journey, job: Job) -> Job:
    """An older job of another site that is in the same place."""
    site = Site.objects.create(
        name="beside", scope="default", remote="/nowhere", branch="main", created_at=journey.now()
    )
    waits, write = fresh(job), effect(job)
    waits.pk, waits.site, waits.key_digest = "waits", site, ""
    waits.updated_at -= timedelta(days=1)
    waits.save(force_insert=True)
    write.pk, write.job, write.operation_key = None, waits, "waits"
    write.save(force_insert=True)
    return waits


def test_another_text_is_not_taken_for_the_one_that_was_sent(journey: Journey) -> None:
    """The conflict was settled by a third text, which waits for its own yes."""
    job, landed = taken_away(journey, state=State.CONFLICT)
    settle(journey, job, Choice(TARGET, "content", content=HELLO + b"\nBoth.\n"))
    git(journey.remote, "update-ref", "refs/heads/main", landed)
    an_hour_later(journey)
    probes.run(journey.ports)
    assert fresh(job).state == State.WAITING_APPROVAL, told(job)


@pytest.mark.parametrize("is_named", [True, False])
def test_what_is_back_after_the_same_text_was_approved_again_is_sound(
    journey: Journey, monkeypatch: pytest.MonkeyPatch, *, is_named: bool
) -> None:
    """The commit names the first yes, under which it was sent, and the job has a second.

    Where an older release sent it, the history names the commit, and not the yes.
    """
    record = Run.record
    if not is_named:
        monkeypatch.setattr(Run, "record", lambda self, *given, binding_hash="", **facts:
                            record(self, *given, **facts))  # fmt: skip
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
