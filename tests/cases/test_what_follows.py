"""What people and jobs do after a conflict, a refusal, or a remote that keeps moving."""

from collections.abc import Callable
from dataclasses import replace

from publisher import artifacts, selectors
from publisher.adapters.git.repository import GitRepository
from publisher.domain.states import State
from publisher.models import Job, JobEvent
from publisher.ports import Repository, SiteSpec
from publisher.services import acts
from publisher.services.resolve import Choice, resolve
from publisher.services.submit import Asset
from tests.support.git import add_hook, blob, second_person
from tests.support.journey import (
    FRESH,
    FRESH_TEXT,
    HELLO,
    OMAR,
    TARGET,
    Journey,
    effect,
    fresh,
    told,
)

COVER = "public/covers/c.png"
BOT_COVER, HUMAN_COVER = b"\x89PNG\r\n\x1a\n\x00\x02bot\xff", b"\x89PNG\r\n\x1a\n\x00\x03human\xfe"
BOT = HELLO.replace(b"Second line.", b"Second line by the bot.")


def _settle(journey: Journey, job: Job, *choices: Choice) -> None:
    conflict = selectors.open_conflict(fresh(job))
    assert conflict is not None, told(job)
    resolve(
        conflict,
        files=choices,
        ours_sha256=conflict.ours_sha256,
        theirs_sha256=conflict.theirs_sha256,
        who=OMAR,
        now=journey.now(),
    )
    journey.work()
    assert fresh(job).state == State.WAITING_APPROVAL, told(job)
    journey.approve(job)
    journey.work()
    assert fresh(job).state == State.PUBLISHED, told(job)


def test_a_settled_cover_is_published_with_its_article(journey: Journey) -> None:
    second_person(journey.remote, {COVER: b"\x89PNG\r\n\x1a\n\x00\x01"}, "cover")
    job = journey.approved(BOT, TARGET, action="update", assets=(Asset(COVER, BOT_COVER),))
    second_person(journey.remote, {COVER: HUMAN_COVER}, "new cover")
    journey.work()
    _settle(journey, job, Choice(COVER, "ours"))
    assert blob(journey.remote, COVER) == BOT_COVER
    assert blob(journey.remote, TARGET) == BOT
    journey.is_sound(job)


def test_an_article_moves_aside_for_the_one_that_was_there_first(journey: Journey) -> None:
    theirs = FRESH_TEXT.replace(b"Body.", b"Human text.")
    job = journey.approved(FRESH_TEXT, FRESH, action="create")
    second_person(journey.remote, {FRESH: theirs}, "human wrote it first")
    journey.work()
    aside = "content/posts/fresh-two.mdx"
    _settle(journey, job, Choice(FRESH, "new_path", new_path=aside))
    assert blob(journey.remote, FRESH) == theirs
    assert blob(journey.remote, aside) == FRESH_TEXT
    journey.is_sound(job)


def test_the_later_of_two_jobs_on_one_path_is_a_conflict(journey: Journey) -> None:
    other = HELLO.replace(b"Second line.", b"Second line by another.")
    jobs = [journey.submit(text, TARGET, action="update") for text in (BOT, other)]
    journey.work()
    for job in jobs:
        journey.approve(job)
    journey.work()
    assert sorted(fresh(job).state for job in jobs) == [State.CONFLICT, State.PUBLISHED]
    journey.is_sound(*jobs)


def test_a_refused_push_goes_out_once_its_cause_is_gone(journey: Journey) -> None:
    add_hook(journey.remote, "pre-receive", 'echo "freeze until Monday" >&2; exit 1')
    job = journey.approved(FRESH_TEXT, FRESH, action="create")
    journey.work()
    assert fresh(job).state == State.REVIEW, told(job)
    assert "freeze until Monday" in fresh(job).failure_message
    assert effect(job).status == "absent"
    (journey.remote / "hooks" / "pre-receive").unlink()
    acts.ask_again(fresh(job), who=OMAR, now=journey.now())
    if fresh(job).state == State.WAITING_APPROVAL:
        journey.approve(job)
    journey.work()
    assert fresh(job).state == State.PUBLISHED, told(job)
    assert effect(job).status == "confirmed"
    journey.is_sound(job)


def _restless(journey: Journey, times: int) -> None:
    """Somebody pushes to the README just before each of our next pushes."""
    left = list(range(times))

    class Restless(GitRepository):
        def push(self, commit: str, *, lease: str) -> None:
            if left:
                number = left.pop()
                second_person(journey.remote, {"README.md": b"%d\n" % number}, f"human {number}")
            super().push(commit, lease=lease)

    def repository(spec: SiteSpec, cancelled: Callable[[], bool]) -> Repository:
        root = journey.folder / "git"
        return Restless(spec, root=root, protocols=("file",), cancelled=cancelled)

    journey.ports = replace(journey.ports, repository=repository)


def test_a_remote_that_moves_twice_is_followed_in_one_claim(journey: Journey) -> None:
    job = journey.approved(FRESH_TEXT, FRESH, action="create")
    _restless(journey, 2)
    journey.work()
    assert fresh(job).state == State.PUBLISHED, told(job)
    assert JobEvent.objects.filter(job=job, event="push_unclear").count() == 2
    assert len(journey.history()) == 4
    journey.is_sound(job)


def test_a_remote_that_keeps_moving_is_tried_again_later(journey: Journey) -> None:
    job = journey.approved(FRESH_TEXT, FRESH, action="create")
    _restless(journey, 7)
    journey.work()
    assert fresh(job).state == State.RETRY_WAIT, told(job)
    assert journey.commits_of(job) == []
    journey.hurry(job)
    assert fresh(job).state == State.PUBLISHED, told(job)
    journey.is_sound(job)


def test_a_clash_that_arrives_under_the_push_is_a_conflict(journey: Journey) -> None:
    job = journey.approved(BOT, TARGET, action="update")
    human = HELLO.replace(b"Second", b"A person's second")

    class Clashing(GitRepository):
        def push(self, commit: str, *, lease: str) -> None:
            second_person(journey.remote, {TARGET: human}, "human edit")
            super().push(commit, lease=lease)

    def repository(spec: SiteSpec, cancelled: Callable[[], bool]) -> Repository:
        root = journey.folder / "git"
        return Clashing(spec, root=root, protocols=("file",), cancelled=cancelled)

    journey.ports = replace(journey.ports, repository=repository)
    journey.work()
    assert fresh(job).state == State.CONFLICT, told(job)
    assert effect(job).status == "absent"
    conflict = selectors.open_conflict(fresh(job))
    assert conflict is not None
    assert artifacts.load(conflict.files[0]["theirs"]) == human
    assert blob(journey.remote, TARGET) == human
    journey.is_sound(job)
