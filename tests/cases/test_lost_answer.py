"""A push lands and its answer is lost: only looking outside tells what happened."""

from typing import Any

import pytest

from publisher.adapters.git.repository import GitRepository
from publisher.adapters.git.runner import Deadlines
from publisher.adapters.providers.standin import StandIn
from publisher.domain.states import State
from publisher.domain.trailers import bare_hex
from publisher.engine import effects
from publisher.models import JobEvent
from publisher.ports import DraftResult, Source
from tests.support.died import Grave
from tests.support.git import add_hook, git, second_person
from tests.support.journey import FRESH, FRESH_TEXT, Journey, effect, fresh, ports_in, told
from tests.support.trouble import Killed

STALL = """cat >/dev/null
n=0; while [ -e stall ] && [ $n -lt 300 ]; do sleep 0.1; n=$((n+1)); done
echo done > answered"""


def test_a_push_whose_answer_is_lost_is_published_by_reading(
    journey: Journey, monkeypatch: pytest.MonkeyPatch
) -> None:
    drafted: list[str] = []
    draft = StandIn.draft

    def counted(provider: StandIn, *sources: Any, **wishes: Any) -> DraftResult:
        drafted.append(provider.name)
        return draft(provider, *sources, **wishes)

    monkeypatch.setattr(StandIn, "draft", counted)
    add_hook(journey.remote, "post-receive", STALL)
    stall = journey.remote / "stall"
    job = journey.approved(sources=(Source("notes", "# The pool\n\nThe pool opens on 3 June.\n"),))
    stall.touch()
    journey.ports = ports_in(journey.folder, Deadlines(network=2.0))
    try:
        journey.work()
    finally:
        stall.unlink()
    if fresh(job).state == State.RETRY_WAIT:
        journey.hurry(job)

    assert fresh(job).state == State.PUBLISHED, told(job)
    assert fresh(job).remote_commit == journey.head()
    assert JobEvent.objects.filter(job=job, event="push_unclear").count() == 1
    assert not JobEvent.objects.filter(job=job, target=State.FAILED.value).exists()
    assert effect(job).status == "confirmed"
    assert [probe["result"] for probe in effect(job).probes] == ["EXISTS"]
    assert len(journey.commits_of(job)) == 1
    assert drafted == ["standin"]
    journey.is_sound(job)


def test_a_quotation_is_no_answer_to_a_push_that_never_landed(journey: Journey) -> None:
    add_hook(journey.remote, "pre-receive", STALL + "\nexit 1")
    stall = journey.remote / "stall"
    job = journey.approved(FRESH_TEXT, FRESH, action="create")
    stall.touch()
    journey.ports = ports_in(journey.folder, Deadlines(network=1.0))
    try:
        journey.work()
    finally:
        stall.unlink()
    assert fresh(job).state == State.RETRY_WAIT, told(job)
    assert effect(job).status in effects.OPEN
    assert JobEvent.objects.filter(job=job, event="push_unclear").exists()
    (journey.remote / "hooks" / "pre-receive").unlink()
    quoting = second_person(
        journey.remote,
        {"README.md": b"# a note\n"},
        f"About a lost publication\n\nBlog-Job-Id: {job.pk}\n"
        f"Blog-Manifest-Sha256: {bare_hex(job.manifest_hash)}\n\nWe will try again.\n",
    )
    journey.hurry(job)

    assert fresh(job).state == State.PUBLISHED, told(job)
    assert fresh(job).remote_commit == journey.head() != quoting
    assert JobEvent.objects.filter(job=job, event="resume").exists(), told(job)
    assert len(journey.commits_of(job)) == 1
    journey.is_sound(job)


@pytest.mark.parametrize("others", [False, True])
def test_a_push_that_the_remote_forgot_before_anybody_looked_is_made_again_once(
    journey: Journey, monkeypatch: pytest.MonkeyPatch, others: bool
) -> None:
    job = journey.approved(FRESH_TEXT, FRESH, action="create")
    real = GitRepository.push

    def push(self: GitRepository, commit: str, *, lease: str) -> None:
        real(self, commit, lease=lease)
        raise Killed

    with monkeypatch.context() as dying:
        dying.setattr(GitRepository, "push", push)
        with pytest.raises(Killed):
            journey.work()
    sent = journey.head()
    assert [facts.commit for facts in journey.commits_of(job)] == [sent]
    git(journey.remote, "update-ref", "refs/heads/main", "main^")
    if others:
        second_person(journey.remote, {"b.md": b"b"}, "in its place")
    Grave(journey, monkeypatch).go_on(job)

    assert fresh(job).state == State.PUBLISHED, told(job)
    (facts,) = journey.commits_of(job)
    assert facts.commit == fresh(job).remote_commit == journey.head()
    assert (facts.commit == sent) is not others
    journey.is_sound(job)


def test_a_key_whose_commit_the_remote_forgot_gives_the_same_job_and_no_push(
    journey: Journey,
) -> None:
    asked = {"action": "create", "key": "once"}
    job = journey.published(FRESH_TEXT, FRESH, **asked)
    git(journey.remote, "update-ref", "refs/heads/main", "main^")
    left = journey.head()
    assert journey.submit(FRESH_TEXT, FRESH, **asked).pk == job.pk
    journey.work()
    assert fresh(job).state == State.PUBLISHED
    assert journey.head() == left
