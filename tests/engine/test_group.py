"""Jobs that are ready for one site go in one fetch and one push; each has its own commit and fate."""

from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from publisher import leases, wakeup
from publisher.adapters.git.repository import GitRepository
from publisher.domain.errors import OutcomeUnknown, RemoteRefused
from publisher.domain.retries import DEFAULT_LIMITS
from publisher.domain.states import State
from publisher.engine import group, look, relay, waiting
from publisher.engine.look import Look
from publisher.engine.run import Run
from publisher.models import Effect, Job, Site
from publisher.services import sites
from reviews.models import Approval, Principal
from tests.support.git import add_hook, blob, git, second_person
from tests.support.groups import (
    WORDS,
    Losing,
    advance,
    all_published,
    article,
    break_the_plan,
    events,
    path_of,
    ready,
    states,
    watch,
)
from tests.support.journey import HELLO, OMAR, TARGET, Journey, effect, event, fresh, told

UNRELATED = {"notes.txt": b"Nothing to do with it.\n"}


def test_a_group_is_one_fetch_one_push_and_one_commit_for_each_job(journey: Journey) -> None:
    before = journey.head()
    jobs = ready(journey, *WORDS[:5])
    calls = watch(journey)
    journey.work()
    assert calls == ["fetch", "build_commits", "push", "fetch"]
    all_published(journey, jobs)
    mine = [fresh(job).remote_commit for job in jobs]
    assert sorted(mine) == sorted(facts.commit for facts in journey.history()[:5])
    assert journey.history()[5].commit == before
    for job, word in zip(jobs, WORDS, strict=False):
        (facts,) = journey.commits_of(job)
        changed = git(journey.remote, "diff-tree", "-r", "--name-only", f"{facts.commit}^!")
        assert changed.decode().split()[-1:] == [path_of(word)]
        assert (effect(job).status, effect(job).fresh_write) == ("confirmed", True)
        assert Approval.objects.get(job=job).status == "done"


def test_each_job_of_a_group_has_the_moves_that_it_has_alone(journey: Journey) -> None:
    (alone,) = ready(journey, "anchor")
    journey.work()
    jobs = ready(journey, "basalt", "cedar")
    journey.work()
    all_published(journey, [alone, *jobs])
    for job in jobs:
        assert [name for name in events(job) if name not in ("recheck", "keep")] == events(alone)


def test_a_job_by_itself_goes_the_way_that_it_always_went(journey: Journey) -> None:
    (job,) = ready(journey, "anchor")
    calls = watch(journey)
    journey.work()
    assert calls == ["fetch", "build_commit", "push", "fetch"]
    all_published(journey, [job])


def test_more_jobs_than_one_push_takes_go_in_several(journey: Journey) -> None:
    jobs = ready(journey, *WORDS[: group.SIZE + 3])
    calls = watch(journey)
    journey.work()
    all_published(journey, jobs)
    assert calls.count("push") == 2


def test_new_articles_are_judged_for_each_job_without_leaving_the_group(journey: Journey) -> None:
    jobs = ready(journey, *WORDS[:3])
    second_person(journey.remote, {path_of("zebra"): article("zebra")}, "meanwhile")
    calls = watch(journey)
    journey.work()
    all_published(journey, jobs)
    assert calls.count("push") == 1
    assert [events(job).count("keep") for job in jobs] == [1, 1, 1]


def test_one_conflict_leaves_the_others_untouched(journey: Journey) -> None:
    jobs = ready(journey, "anchor", "cedar")
    clashing = journey.approved(HELLO + b"\nOurs.\n", TARGET, action="update")
    theirs = HELLO + b"\nTheirs.\n"
    second_person(journey.remote, {TARGET: theirs}, "theirs")
    journey.work()
    assert fresh(clashing).state == State.CONFLICT, told(clashing)
    assert blob(journey.remote, TARGET) == theirs
    all_published(journey, jobs)


def test_a_conflict_that_arrives_under_the_push_concerns_one(journey: Journey) -> None:
    first, second, third = ready(journey, "anchor", "basalt", "cedar")
    theirs = {path_of("basalt"): b"Theirs.\n"}
    watch(journey, lambda _: second_person(journey.remote, theirs, "theirs"))
    journey.work()
    assert fresh(second).state == State.CONFLICT, told(second)
    assert (effect(second).status, journey.commits_of(second)) == ("absent", [])
    assert blob(journey.remote, path_of("basalt")) == b"Theirs.\n"
    all_published(journey, [first, third])
    journey.is_sound(second)


def test_a_remote_that_moves_under_the_push_is_followed_by_all(journey: Journey) -> None:
    jobs = ready(journey, *WORDS[:3])
    calls = watch(journey, lambda _: second_person(journey.remote, UNRELATED, "meanwhile"))
    journey.work()
    all_published(journey, jobs)
    assert calls.count("push") == 2
    for job in jobs:
        assert event(job, "push_unclear").facts["code"] == "remote_moved"
        assert event(job, "effect_intent").facts["commit"] == fresh(job).remote_commit
    assert blob(journey.remote, "notes.txt") == UNRELATED["notes.txt"]


def test_a_remote_that_never_rests_is_tried_again_later_by_each(journey: Journey) -> None:
    jobs = ready(journey, "anchor", "basalt")
    numbers = iter(range(100))

    def move(_: str) -> None:
        second_person(journey.remote, {f"{next(numbers)}.txt": b"x"}, "again")

    watch(journey, move, times=5)
    journey.engine().once()
    assert states(jobs) == [State.RETRY_WAIT, State.RETRY_WAIT]
    for job in jobs:
        journey.hurry(job)
    all_published(journey, jobs)


def test_a_hook_that_refuses_one_commit_sends_only_that_job_to_people(journey: Journey) -> None:
    jobs = ready(journey, *WORDS[:3])
    add_hook(
        journey.remote,
        "pre-receive",
        "while read old new ref; do if git diff --name-only $old $new | grep -q basalt; then "
        "echo 'No basalt here.' >&2; exit 1; fi; done",
    )
    journey.work()
    assert states(jobs) == [State.PUBLISHED, State.REVIEW, State.PUBLISHED], told(jobs[1])
    assert "No basalt here." in fresh(jobs[1]).failure_message
    assert (effect(jobs[1]).status, journey.commits_of(jobs[1])) == ("absent", [])
    journey.is_sound(*jobs)


def test_a_yes_that_ended_keeps_one_job_out_of_the_push(journey: Journey) -> None:
    first, second, third = ready(journey, *WORDS[:3])
    over = journey.now() - timedelta(seconds=1)
    Approval.objects.filter(job=second).update(valid_until=over)
    calls = watch(journey)
    journey.engine().once()
    assert states([first, second, third]) == [
        State.PUBLISHED, State.WAITING_APPROVAL, State.PUBLISHED,
    ], told(second)  # fmt: skip
    assert calls == ["fetch", "build_commits", "build_commits", "push", "fetch"]
    assert journey.commits_of(second) == []
    # The commit that stood behind the one that was left out is another one, and was announced anew.
    assert "effect_intent" not in events(first)
    assert event(third, "effect_intent").facts["commit"] == fresh(third).remote_commit
    journey.approve(second)
    journey.work()
    all_published(journey, [first, second, third])


def test_a_job_whose_time_has_not_come_is_not_taken_along(journey: Journey) -> None:
    *jobs, later = ready(journey, "anchor", "basalt", "cedar")
    moment = journey.now() + timedelta(hours=1)
    Job.objects.filter(pk=later.pk).update(not_before=moment)
    advance(journey, jobs[0])
    assert events(later)[-1] == "approve"
    # Nobody was asked about the time: verify would tell of it.
    Job.objects.filter(pk=later.pk).update(not_before=None)
    all_published(journey, jobs)


def test_a_paused_site_holds_all_of_them(journey: Journey) -> None:
    jobs = ready(journey, "anchor", "basalt")
    sites.pause(journey.site)
    before = journey.head()
    journey.work()
    assert journey.head() == before
    assert [fresh(job).attempt for job in jobs] == [0, 0]
    sites.resume(Site.objects.get(pk=journey.site.pk), who=OMAR, now=journey.now())
    for job in jobs:
        journey.hurry(job)
    all_published(journey, jobs)


def test_jobs_of_one_path_go_one_after_the_other(journey: Journey) -> None:
    texts = (HELLO + b"\nOne.\n", HELLO + b"\nTwo.\n")
    first, second = (journey.submit(text, TARGET, action="update") for text in texts)
    (third,) = ready(journey, "anchor")
    journey.approve(first)
    journey.approve(second)
    advance(journey, first)
    assert states([first, second, third]) == ["PUBLISHED", "READY_TO_COMMIT", "PUBLISHED"]
    assert events(second)[-1] == "approve"
    journey.work()
    assert fresh(second).state == State.CONFLICT, told(second)
    journey.is_sound(first, second, third)


def test_a_text_that_another_job_says_too_waits_for_its_judgement(journey: Journey) -> None:
    first = journey.submit(article("anchor"), path_of("anchor"), action="create")
    second = journey.submit(article("anchor"), path_of("again"), action="create")
    (third,) = ready(journey, "basalt")
    journey.approve(first)
    journey.approve(second)
    advance(journey, first)
    assert states([first, second, third]) == ["PUBLISHED", "READY_TO_COMMIT", "PUBLISHED"]
    journey.work()
    assert "recheck" in events(second)
    all_published(journey, [first, second, third])


@pytest.mark.parametrize("which", [0, 1, 2])
def test_a_lease_that_is_lost_before_the_push_takes_one_job_out(
    journey: Journey, monkeypatch: pytest.MonkeyPatch, which: int
) -> None:
    jobs = ready(journey, *WORDS[:3])
    lost, last = jobs[which].pk, jobs[2].pk
    beats: dict[str, Losing] = {}
    passing = relay.pass_fence

    def lose(run: Any, *arguments: Any) -> bool:
        done: bool = passing(run, *arguments)
        beats[lost].lost |= run.job.pk == last
        return done

    monkeypatch.setattr(relay, "pass_fence", lose)
    calls = watch(journey)
    engine = replace(journey.engine(), heartbeat=lambda lease: Losing(lease, beats))
    engine.once()
    monkeypatch.undo()
    assert calls.count("build_commits") == 2
    others = [job for job in jobs if job.pk != lost]
    assert states(others) == [State.PUBLISHED, State.PUBLISHED], told(others[0])
    assert calls[:5] == ["fetch", "build_commits", "build_commits", "push", "fetch"]
    journey.work()
    all_published(journey, jobs)


def test_a_job_that_somebody_else_took_over_is_left_to_them(journey: Journey) -> None:
    first, second, third = ready(journey, *WORDS[:3])

    def take_over(_: str) -> None:
        past = journey.now() - timedelta(seconds=1)
        Job.objects.filter(pk=second.pk).update(lease_until=past)
        assert leases.claim(second.pk, owner="another", now=journey.now(), seconds=90)

    watch(journey, take_over)
    journey.engine().once()
    assert states([first, third]) == [State.PUBLISHED, State.PUBLISHED]
    row = fresh(second)
    assert (row.state, row.owner) == (State.PUSHING, "another"), told(second)
    past = journey.now() - timedelta(seconds=1)
    Job.objects.filter(pk=second.pk).update(lease_until=past)
    journey.hurry(second)
    all_published(journey, [first, second, third])


def test_a_push_whose_answer_is_lost_is_published_by_reading(journey: Journey) -> None:
    jobs = ready(journey, *WORDS[:3])

    def lose_the_answer(commit: str) -> None:
        clone = journey.folder / "git" / str(journey.site.pk) / "clone.git"
        git(clone, "push", "-q", str(journey.remote), f"{commit}:refs/heads/main")
        raise OutcomeUnknown("The line went dead.")

    calls = watch(journey, lose_the_answer)
    journey.work()
    all_published(journey, jobs)
    assert calls.count("push") == 1
    assert ["push_unclear" in events(job) for job in jobs] == [True, True, True]


@pytest.mark.parametrize("meanwhile", ["paused", "expired", "disabled"])
@pytest.mark.parametrize("count", [1, 2])
def test_a_push_that_may_have_gone_wrong_is_not_sent_again_past_the_fence(
    journey: Journey, meanwhile: str, count: int
) -> None:
    jobs = ready(journey, *WORDS[:2])
    if count == 1:
        # Another is ready when the work begins, and leaves the push on its way.
        Approval.objects.filter(job=jobs[1]).update(valid_until=journey.now())

    def lose(_: str) -> None:
        if meanwhile == "paused":
            sites.pause(Site.objects.get(pk=journey.site.pk))
        elif meanwhile == "expired":
            Approval.objects.filter(status="dispatching").update(valid_until=journey.now())
        else:
            Principal.objects.filter(name="rui").update(disabled_at=journey.now())
        raise OutcomeUnknown("The line went dead before anything was sent.")

    before = journey.head()
    calls = watch(journey, lose)
    advance(journey, jobs[0])
    assert calls.count("push") == 1
    assert journey.head() == before
    for job in jobs[:count]:
        assert fresh(job).state in (State.PUSHING, State.RETRY_WAIT), told(job)
        assert effect(job).status == "intent"


def test_damaged_bytes_of_one_job_stop_no_other(
    journey: Journey, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second, third = ready(journey, *WORDS[:3])
    break_the_plan(monkeypatch, second)
    journey.engine().once()
    monkeypatch.undo()
    assert states([first, second, third]) == [
        State.PUBLISHED, State.RETRY_WAIT, State.PUBLISHED,
    ], told(second)  # fmt: skip
    journey.hurry(second)
    all_published(journey, [first, second, third])


def test_a_chain_that_cannot_be_built_is_tried_job_by_job(journey: Journey) -> None:
    first, second = ready(journey, "anchor", "basalt")
    second_person(journey.remote, {}, "link", links={"content/posts/basalt.mdx": "other.mdx"})
    journey.work()
    assert fresh(first).state == State.PUBLISHED, told(first)
    assert fresh(second).state == State.CONFLICT, told(second)
    journey.is_sound(first, second)


def test_an_unreachable_remote_is_each_ones_own_wait(journey: Journey) -> None:
    jobs = ready(journey, "anchor", "basalt")
    journey.remote.rename(journey.remote.with_name("away.git"))
    journey.engine().once()
    assert states(jobs) == [State.RETRY_WAIT, State.RETRY_WAIT]
    assert not Effect.objects.exists()
    journey.remote.with_name("away.git").rename(journey.remote)
    for job in jobs:
        journey.hurry(job)
    all_published(journey, jobs)


def test_a_passing_refusal_of_all_is_one_of_each(journey: Journey) -> None:
    jobs = ready(journey, "anchor", "basalt")
    add_hook(journey.remote, "pre-receive", "echo 'busy, try again later' >&2; exit 1")
    calls = watch(journey)
    journey.work()
    assert calls.count("push") == 1
    assert [(effect(job).status, fresh(job).state) for job in jobs] == [
        ("absent", "RETRY_WAIT")
    ] * 2


def test_a_refusal_of_all_closes_what_none_of_them_sent(
    journey: Journey, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each goes alone then; where that finds no remote, nothing is left to be looked for."""
    jobs = ready(journey, "anchor", "basalt")
    add_hook(journey.remote, "pre-receive", "echo 'No.' >&2; exit 1")
    hinted: list[str] = []
    monkeypatch.setattr(wakeup, "hint", lambda job_id, **_when: hinted.append(job_id))
    advance(journey, jobs[0])
    assert sorted(hinted) == sorted(job.pk for job in jobs)
    for job in jobs:
        row = fresh(job)
        assert (row.state, row.owner, effect(job).status) == ("RETRY_WAIT", "", "absent"), told(job)
        assert row.available_at <= journey.now()
        assert Approval.objects.get(job=job).status == "approved"
    journey.is_sound(*jobs)
    journey.remote.rename(journey.remote.with_name("away.git"))
    Job.objects.update(attempt=DEFAULT_LIMITS.push_attempts)
    journey.work()
    assert [(fresh(job).state, effect(job).status) for job in jobs] == [("FAILED", "absent")] * 2
    assert fresh(jobs[0]).failure_message.endswith("Nothing of it was published.")


def test_a_refusal_of_all_says_nothing_of_a_push_that_may_yet_arrive(
    journey: Journey, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs = ready(journey, "anchor", "basalt")
    answers = iter((OutcomeUnknown("No answer came."), RemoteRefused("No.", text="No.")))

    def push(_repository: GitRepository, _commit: str, *, lease: str) -> None:
        assert lease == journey.head()
        raise next(answers)

    monkeypatch.setattr(GitRepository, "push", push)
    advance(journey, jobs[0])
    assert [(fresh(job).state, effect(job).status) for job in jobs] == [
        ("RETRY_WAIT", "intent")
    ] * 2
    monkeypatch.undo()
    journey.work()
    all_published(journey, jobs)


def test_jobs_that_a_pause_held_before_the_push_go_together_once_it_ends(journey: Journey) -> None:
    jobs = ready(journey, *WORDS[:3])
    sites.pause(Site.objects.get(pk=journey.site.pk))
    journey.work()
    assert states(jobs) == [State.LOCAL_COMMITTED] * 3
    sites.resume(Site.objects.get(pk=journey.site.pk), who=OMAR, now=journey.now())
    calls = watch(journey)
    journey.work()
    assert calls == ["fetch", "build_commits", "push", "fetch"]
    all_published(journey, jobs)


def test_jobs_that_waited_for_the_remote_go_together_however_often_they_tried(
    journey: Journey,
) -> None:
    jobs = ready(journey, *WORDS[:3])
    away = journey.remote.rename(journey.remote.with_name("away.git"))
    for _ in range(3):
        Job.objects.update(available_at=journey.now())
        journey.work()
    assert states(jobs) == [State.RETRY_WAIT] * 3
    away.rename(journey.remote)
    Job.objects.update(available_at=journey.now())
    calls = watch(journey)
    journey.work()
    assert calls == ["fetch", "build_commits", "push", "fetch"]
    all_published(journey, jobs)


def test_a_job_that_was_sent_before_goes_alone(journey: Journey) -> None:
    """Only a look tells what came of it, and what is announced is this very push."""
    first, sent = ready(journey, "anchor", "basalt")

    def lose(_: str) -> None:
        raise OutcomeUnknown("The line went dead before anything was sent.")

    watch(journey, lose, times=relay.MOVEMENTS)
    replace(journey.engine(), only=sent.pk).once()
    Job.objects.filter(pk=sent.pk).update(available_at=journey.now())
    advance(journey, first)
    assert states([first, sent]) == [State.PUBLISHED, State.RETRY_WAIT]
    journey.work()
    all_published(journey, [first, sent])


def test_a_job_whose_tries_are_used_up_is_not_taken_along(journey: Journey) -> None:
    first, second = ready(journey, "anchor", "basalt")
    Job.objects.filter(pk=second.pk).update(attempt=DEFAULT_LIMITS.push_attempts)
    journey.engine().once()
    assert fresh(first).state == State.PUBLISHED
    assert fresh(second).failure_code == "delivery_exhausted", told(second)


class Killed(BaseException):
    """The process is gone: nothing answers it."""


def test_a_job_that_ends_its_worker_uses_up_nobody_elses_tries(
    journey: Journey, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, deadly, third = ready(journey, "anchor", "basalt", "cedar")
    at = look.at

    def ending(run: Run, tip: str) -> Look:
        if run.job.pk == deadly.pk:
            raise Killed
        return at(run, tip)

    monkeypatch.setattr(look, "at", ending)
    for _ in range(DEFAULT_LIMITS.push_attempts + waiting.LAST_LOOKS + 1):
        with suppress(Killed):
            journey.work()
        Job.objects.filter(lease_until__isnull=False).update(lease_until=journey.now())
    all_published(journey, [first, third])
    assert (fresh(deadly).state, fresh(deadly).failure_code) == (
        State.FAILED, "delivery_exhausted",
    ), told(deadly)  # fmt: skip


def test_work_on_one_job_takes_no_other_along(journey: Journey) -> None:
    first, second = ready(journey, "anchor", "basalt")
    replace(journey.engine(), only=first.pk).once()
    assert states([first, second]) == [State.PUBLISHED, State.READY_TO_COMMIT]
