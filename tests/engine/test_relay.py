"""From approval to the remote on real git: one look, one fence, one push, and what may come between."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from publisher import leases, selectors
from publisher.domain.retries import DEFAULT_LIMITS
from publisher.domain.states import State
from publisher.engine import relay
from publisher.engine.reconcile import probes
from publisher.models import Article, Delta, Effect, Job
from publisher.ports import Repository, SiteSpec, Source
from publisher.services import sites
from reviews.models import Approval, Membership
from reviews.services import policies
from tests.support import people
from tests.support.counting import watched
from tests.support.git import add_hook, blob, second_person
from tests.support.journey import (
    FRESH,
    FRESH_TEXT,
    HELLO,
    OMAR,
    TARGET,
    Journey,
    effect,
    event,
    fresh,
    told,
)

UNRELATED = {"notes.txt": b"Nothing to do with it.\n"}


class Between:
    """Hands every call on to a repository, and does something before each push."""

    def __init__(self, real: Repository, act: Callable[[], None]) -> None:
        self._real = real
        self._act = act

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    def push(self, commit: str, *, lease: str) -> None:
        """Act, then push."""
        self._act()
        self._real.push(commit, lease=lease)


def before_push(journey: Journey, act: Callable[[], object], *, times: int = 1) -> None:
    """Let something happen between the look and the push, the first few times."""
    left = [times]
    real = journey.ports.repository

    def once() -> None:
        if left[0] > 0:
            left[0] -= 1
            act()

    def repository(spec: SiteSpec, cancelled: Callable[[], bool]) -> Any:
        return Between(real(spec, cancelled), once)

    journey.ports = replace(journey.ports, repository=repository)


def events(job: Job) -> list[str]:
    return [entry.event for entry in selectors.events(fresh(job))]


def approved(journey: Journey, **more: Any) -> Job:
    return journey.approved(FRESH_TEXT, FRESH, action="create", **more)


def away(journey: Journey) -> None:
    journey.remote.rename(journey.remote.with_name("away.git"))


def back(journey: Journey) -> None:
    journey.remote.with_name("away.git").rename(journey.remote)


def test_what_was_approved_is_one_commit_on_the_remote(journey: Journey) -> None:
    before = journey.head()
    job = journey.published(FRESH_TEXT, FRESH, action="create")
    assert blob(journey.remote, FRESH) == FRESH_TEXT
    (facts,) = journey.commits_of(job)
    assert (facts.commit, facts.parents) == (journey.head(), (before,))
    assert (effect(job).status, effect(job).fresh_write) == ("confirmed", True)
    assert Approval.objects.get(job=job).status == "done"
    journey.is_sound(job)


def test_an_intent_of_an_earlier_revision_gets_no_receipt(journey: Journey) -> None:
    job = approved(journey)
    earlier = Effect.objects.create(
        job=job,
        step="deliver",
        action=job.kind,
        operation_key="the key of an earlier revision",
        policy="reconcile-first",
        status="absent",
        request_hash="sha256:" + "e" * 64,
        created_at=journey.now(),
        updated_at=journey.now(),
    )
    journey.work()
    assert fresh(job).state == State.PUBLISHED
    earlier.refresh_from_db()
    assert earlier.status == "absent"
    assert job.effects.filter(status="confirmed").count() == 1


def test_a_remote_that_moves_under_the_push_is_followed(journey: Journey) -> None:
    job = approved(journey)
    before_push(journey, lambda: second_person(journey.remote, UNRELATED, "meanwhile"))
    journey.work()
    assert fresh(job).state == State.PUBLISHED, told(job)
    assert event(job, "push_unclear").facts["code"] == "remote_moved"
    assert blob(journey.remote, "notes.txt") == UNRELATED["notes.txt"]
    journey.is_sound(job)


def test_a_remote_that_never_rests_is_tried_again_later(journey: Journey) -> None:
    job = approved(journey)
    numbers = iter(range(100))

    def move() -> None:
        second_person(journey.remote, {f"{next(numbers)}.txt": b"x"}, "again")

    before_push(journey, move, times=relay.MOVEMENTS)
    journey.work()
    assert fresh(job).state == State.RETRY_WAIT, told(job)
    journey.hurry(job)
    assert fresh(job).state == State.PUBLISHED, told(job)
    journey.is_sound(job)


def test_the_same_path_changed_under_the_push_is_a_conflict(journey: Journey) -> None:
    job = journey.approved(HELLO + b"\nOurs.\n", TARGET, action="update")
    theirs = HELLO + b"\nTheirs.\n"
    before_push(journey, lambda: second_person(journey.remote, {TARGET: theirs}, "theirs"))
    journey.work()
    assert fresh(job).state == State.CONFLICT, told(job)
    assert blob(journey.remote, TARGET) == theirs
    assert effect(job).status == "absent"
    assert journey.commits_of(job) == []
    journey.is_sound(job)


def test_the_words_of_a_hook_that_refuses_are_kept(journey: Journey) -> None:
    add_hook(journey.remote, "pre-receive", "echo 'No posts on Sundays.' >&2; exit 1")
    before = journey.head()
    job = approved(journey)
    journey.work()
    row = fresh(job)
    assert (row.state, row.failure_code) == (State.REVIEW, "remote_refused"), told(job)
    assert "No posts on Sundays." in row.failure_message
    assert (journey.head(), effect(job).status) == (before, "absent")
    journey.is_sound(job)


def test_an_unreachable_remote_is_waited_for(journey: Journey) -> None:
    job = approved(journey)
    away(journey)
    journey.work()
    assert fresh(job).state == State.RETRY_WAIT, told(job)
    assert not job.effects.exists()
    back(journey)
    journey.hurry(job)
    assert fresh(job).state == State.PUBLISHED, told(job)
    journey.is_sound(job)


def test_bytes_that_are_there_already_are_not_published_again(journey: Journey) -> None:
    job = approved(journey)
    human = second_person(journey.remote, {FRESH: FRESH_TEXT}, "by hand")
    journey.work()
    assert (fresh(job).state, fresh(job).failure_code) == (State.SKIPPED, "already_upstream")
    assert journey.head() == human
    journey.is_sound(job)


def test_nothing_leaves_before_its_time_and_no_try_is_used(journey: Journey) -> None:
    moment = journey.now() + timedelta(hours=1)
    before = journey.head()
    job = approved(journey, not_before=moment)
    journey.work()
    row = fresh(job)
    assert (row.state, row.attempt, row.available_at) == ("LOCAL_COMMITTED", 0, moment), told(job)
    assert "held" in events(job)
    assert journey.head() == before
    assert not job.effects.exists()
    assert Approval.objects.get(job=job).status == "approved"


def test_an_approval_whose_time_is_over_is_asked_for_again(journey: Journey) -> None:
    job = approved(journey)
    before = journey.head()
    Approval.objects.filter(job=job).update(valid_until=journey.now() - timedelta(seconds=1))
    journey.work()
    assert fresh(job).state == State.WAITING_APPROVAL, told(job)
    assert event(job, "void").facts["why"] == "expired"
    assert journey.head() == before
    journey.approve(job)
    journey.work()
    assert fresh(job).state == State.PUBLISHED, told(job)
    journey.is_sound(job)


def test_a_yes_of_somebody_who_lost_the_right_is_none(journey: Journey) -> None:
    job = approved(journey)
    before = journey.head()
    Membership.objects.filter(principal__name="rui").delete()
    journey.work()
    assert fresh(job).state == State.WAITING_APPROVAL, told(job)
    assert journey.head() == before
    journey.approve(job, name="mei")
    journey.work()
    assert fresh(job).state == State.PUBLISHED, told(job)


def test_where_nobody_needs_to_say_yes_an_ended_yes_stops_nothing(journey: Journey) -> None:
    policies.put(
        caller=people.caller("omar"), scope="default", rules={"approvals": 0}, why="a test",
        now=journey.now(),
    )  # fmt: skip
    job = journey.submit(FRESH_TEXT, FRESH, action="create")
    sites.pause(journey.site)
    journey.work()
    assert fresh(job).state == State.LOCAL_COMMITTED, told(job)
    Approval.objects.filter(job=job).update(valid_until=journey.now() - timedelta(seconds=1))
    sites.resume(journey.site, who=OMAR, now=journey.now())
    journey.hurry(job)
    assert fresh(job).state == State.PUBLISHED, told(job)
    assert events(job).count("void") == 1
    journey.is_sound(job)


def busy(journey: Journey) -> Path:
    """The remote refuses every push for the time being; the hook that says so."""
    add_hook(journey.remote, "pre-receive", "echo 'busy, try again later' >&2; exit 1")
    return journey.remote / "hooks" / "pre-receive"


@pytest.mark.parametrize("state", [State.RETRY_WAIT, State.PUSHING])
def test_a_paused_site_holds_what_was_on_its_way_until_it_is_resumed(
    journey: Journey, monkeypatch: pytest.MonkeyPatch, state: State
) -> None:
    job = approved(journey)
    if state is State.PUSHING:
        die(journey, monkeypatch, job, "push", after=False)
    else:
        hook = busy(journey)
        journey.work()
        hook.unlink()
    assert (fresh(job).state, fresh(job).owner != "") == (state, state is State.PUSHING), told(job)
    sites.pause(journey.site)
    for _ in range(3):
        journey.hurry(job)
    assert (fresh(job).state, events(job)[-1]) == (state, "held"), told(job)
    assert events(job).count("held") == 3  # it may be there already, so each time it is looked for
    assert "clock_set_right" not in events(job)
    sites.resume(journey.site, who=OMAR, now=journey.now())
    journey.work()
    assert fresh(job).state == State.PUBLISHED, told(job)
    journey.is_sound(job)


class Stopped(BaseException):
    """The process is gone: nothing answers it."""


def dying(real: Callable[..., Any], *, after: bool) -> Callable[..., Any]:
    def call(*arguments: Any, **options: Any) -> Any:
        if after:
            real(*arguments, **options)
        raise Stopped

    return call


def die(
    journey: Journey, monkeypatch: pytest.MonkeyPatch, job: Job, name: str, *, after: bool
) -> None:
    """A worker of this site is killed around a step; its lease runs out."""
    with monkeypatch.context() as patched:
        patched.setattr(relay, name, dying(getattr(relay, name), after=after))
        with pytest.raises(Stopped):
            journey.work()
    Job.objects.filter(pk=job.pk).update(lease_until=journey.now() - timedelta(seconds=1))


def test_a_commit_that_nobody_recorded_is_found_again(
    journey: Journey, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = approved(journey)
    die(journey, monkeypatch, job, "build", after=True)
    assert fresh(job).state == State.LOCAL_COMMITTING, told(job)
    repository = journey.repository()
    built = repository.job_branch(job.pk)
    repository.close()
    journey.hurry(job)
    assert fresh(job).state == State.PUBLISHED, told(job)
    assert event(job, "recover").target == State.LOCAL_COMMITTED
    assert fresh(job).remote_commit == built
    assert len(journey.commits_of(job)) == 1
    journey.is_sound(job)


def test_a_commit_that_was_not_made_is_made_once(
    journey: Journey, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = approved(journey)
    die(journey, monkeypatch, job, "build", after=False)
    journey.hurry(job)
    assert fresh(job).state == State.PUBLISHED, told(job)
    assert "recover" in events(job)
    assert len(journey.commits_of(job)) == 1
    journey.is_sound(job)


def test_a_push_after_which_the_worker_died_is_not_repeated(
    journey: Journey, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = approved(journey)
    die(journey, monkeypatch, job, "publish", after=False)
    pushed = journey.head()
    assert (fresh(job).state, effect(job).status) == (State.PUSHING, "intent"), told(job)
    journey.hurry(job)
    assert (fresh(job).state, fresh(job).remote_commit) == (State.PUBLISHED, pushed), told(job)
    assert journey.head() == pushed
    journey.is_sound(job)


def test_when_the_tries_are_used_up_a_last_look_decides(
    journey: Journey, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = approved(journey)
    die(journey, monkeypatch, job, "publish", after=False)
    Job.objects.filter(pk=job.pk).update(attempt=DEFAULT_LIMITS.push_attempts)
    journey.hurry(job)
    assert fresh(job).state == State.PUBLISHED, told(job)


def test_when_the_tries_are_used_up_and_nothing_is_there_it_failed(journey: Journey) -> None:
    job = approved(journey)
    away(journey)
    Job.objects.filter(pk=job.pk).update(attempt=DEFAULT_LIMITS.push_attempts)
    journey.work()
    assert (fresh(job).state, fresh(job).failure_code) == (State.FAILED, "delivery_exhausted")
    assert fresh(job).failure_message.endswith("Nothing of it was published.")
    back(journey)
    journey.is_sound(job)


def test_what_may_have_been_sent_is_said_to_be_looked_for(
    journey: Journey, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = approved(journey)
    die(journey, monkeypatch, job, "publish", after=False)
    away(journey)
    Job.objects.filter(pk=job.pk).update(attempt=DEFAULT_LIMITS.push_attempts)
    journey.hurry(job)
    assert (fresh(job).state, fresh(job).failure_code) == (State.FAILED, "delivery_exhausted")
    assert fresh(job).failure_message.endswith("It is still looked for every hour.")
    back(journey)
    journey.is_sound(job)


def test_a_failed_job_that_was_pushed_is_found_by_the_probe(
    journey: Journey, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = approved(journey)
    die(journey, monkeypatch, job, "publish", after=False)
    pushed = journey.head()
    away(journey)
    Job.objects.filter(pk=job.pk).update(attempt=DEFAULT_LIMITS.push_attempts)
    journey.work()
    assert (fresh(job).state, effect(job).status) == (State.FAILED, "intent"), told(job)
    back(journey)
    Job.objects.filter(pk=job.pk).update(available_at=journey.now() - timedelta(seconds=1))
    probes.run(journey.ports)
    assert (fresh(job).state, fresh(job).remote_commit) == (State.PUBLISHED, pushed), told(job)
    assert effect(job).status == "confirmed"
    journey.is_sound(job)


def test_a_worker_whose_lease_was_taken_over_writes_nothing(journey: Journey) -> None:
    job = approved(journey)
    taken: list[int] = []

    def take_over() -> None:
        Job.objects.filter(pk=job.pk).update(lease_until=journey.now())
        claimed = leases.claim(job.pk, owner="another", now=journey.now(), seconds=90)
        assert claimed is not None
        taken.append(len(events(job)))

    before_push(journey, take_over)
    journey.engine().once()
    row = fresh(job)
    assert (row.state, row.owner, len(events(job))) == (State.PUSHING, "another", taken[0])
    Job.objects.filter(pk=job.pk).update(lease_until=journey.now() - timedelta(seconds=1))
    journey.hurry(job)
    assert fresh(job).state == State.PUBLISHED, told(job)
    assert len(journey.commits_of(job)) == 1
    journey.is_sound(job)


def test_a_heartbeat_that_is_lost_stops_the_worker_before_it_pushes(journey: Journey) -> None:
    job = approved(journey)
    before = journey.head()

    class Lost:
        lost = True

        def __enter__(self) -> "Lost":
            return self

        def __exit__(self, *_: object) -> None: ...

    def lost(_: Any) -> AbstractContextManager[Any]:
        return Lost()

    engine = replace(journey.engine(), heartbeat=lost)
    engine.once()
    assert (fresh(job).state, journey.head()) == (State.READY_TO_COMMIT, before)


def test_articles_that_arrived_are_judged_once(journey: Journey) -> None:
    job = approved(journey)
    second_person(journey.remote, {"content/posts/new.mdx": b"# Something else\n\nText.\n"}, "new")
    journey.work()
    assert fresh(job).state == State.PUBLISHED, told(job)
    assert Delta.objects.get(job=job).verdict == "KEEP"
    assert events(job).count("recheck") == 1
    journey.is_sound(job)


def test_a_link_below_the_articles_is_no_article(journey: Journey) -> None:
    job = approved(journey)
    second_person(journey.remote, {}, "link", links={"content/posts/link.mdx": "target.mdx"})
    sites.request(journey.site, "site_fetch", now=journey.now())
    journey.work()
    assert fresh(job).state == State.PUBLISHED, told(job)
    assert not Delta.objects.filter(job=job).exists()
    assert not Article.objects.filter(path="content/posts/link.mdx").exists()
    assert Article.objects.filter(path=TARGET).exists()


def test_prepare_goes_on_from_its_checkpoints(
    journey: Journey, monkeypatch: pytest.MonkeyPatch
) -> None:
    journey.ports, counting = watched(journey.ports)
    text = "The tide turns twice a day. The moon pulls at the sea, and the sea follows the moon."
    job = journey.submit(None, None, sources=(Source("s", text),), topic="Tides")
    with monkeypatch.context() as patched:
        patched.setattr("publisher.prepare.pipeline._conclude", dying(print, after=False))
        with pytest.raises(Stopped):
            journey.work()
    assert (fresh(job).state, counting.asked) == (State.PREPARING, 1), told(job)
    Job.objects.filter(pk=job.pk).update(lease_until=journey.now() - timedelta(seconds=1))
    journey.hurry(job)
    assert fresh(job).state == State.WAITING_APPROVAL, told(job)
    assert counting.asked == 1
    assert events(job).count("claimed") == 2


def test_prepare_goes_on_without_the_remote_and_says_so_on_the_site(journey: Journey) -> None:
    away(journey)
    job = journey.submit(FRESH_TEXT, FRESH)
    journey.work()
    assert fresh(job).state == State.WAITING_APPROVAL, told(job)
    assert fresh(job).site.last_error
