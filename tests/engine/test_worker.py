"""The worker: what goes wrong with one job is that job's trouble, and what no try can mend goes to people."""

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest
from django.db.models import F

from publisher import leases
from publisher.adapters.git.repository import GitRepository
from publisher.domain.errors import InvalidInput, ProviderError, RemoteRefused
from publisher.domain.states import State
from publisher.models import Effect, Job, Site, Step
from publisher.ports import DraftResult, Source
from publisher.prepare.context import Context, StepResult
from publisher.prepare.steps import STEPS
from tests.support.groups import advance, all_published, ready
from tests.support.journey import (
    FRESH,
    FRESH_TEXT,
    HELLO,
    TARGET,
    Calm,
    Journey,
    effect,
    fresh,
    told,
)
from tests.support.waiting import until


def test_a_job_that_cannot_be_claimed_stops_no_other(
    journey: Journey, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = journey.approved(FRESH_TEXT, FRESH, action="create")
    claims = leases.claim

    def claim(job_id: str, *, owner: str, now: datetime, seconds: float) -> Any:
        if job_id == broken.pk:
            raise RuntimeError("Its row makes no sense.")
        return claims(job_id, owner=owner, now=now, seconds=seconds)

    def state(job: Job) -> str:
        return fresh(job).state

    monkeypatch.setattr(leases, "claim", claim)
    monkeypatch.setattr("publisher.engine.group.companions", lambda _run: [])
    other = journey.published(HELLO.replace(b"Second", b"Another"), TARGET)
    assert (state(broken), state(other)) == (State.READY_TO_COMMIT, State.PUBLISHED), told(other)
    monkeypatch.undo()
    journey.hurry(broken)
    assert state(broken) == State.PUBLISHED, told(broken)


def test_what_no_later_try_can_prepare_goes_to_people_at_once(
    journey: Journey, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_context: Context) -> StepResult:
        raise InvalidInput("path", "public/a cannot be a file and the folder of public/a/b.")

    monkeypatch.setitem(STEPS, "manifest", refuse)
    job = journey.submit(FRESH_TEXT, FRESH)
    journey.work()
    row = fresh(job)
    assert (row.state, row.failure_code) == (State.REVIEW, "invalid"), told(job)
    assert "public/a/b" in row.failure_message
    assert row.attempt <= 1


def test_a_lost_lease_stops_the_providers_call_and_the_job_stays_with_its_new_owner(
    journey: Journey,
) -> None:
    class Beat(Calm):
        lost = False

    beat, stopped = Beat(), list[bool]()

    class Waiting:
        """Never answers; it waits until it is told to stop, as a call over the network would."""

        def __init__(self, cancelled: Callable[[], bool]) -> None:
            self.cancelled = cancelled

        def draft(self, *_sources: Any, **_told: Any) -> DraftResult:
            assert not self.cancelled()
            Job.objects.filter(pk=job.pk).update(owner="another:1", generation=F("generation") + 1)
            beat.lost = True
            until(self.cancelled, seconds=20, what="the word to stop")
            stopped.append(True)
            raise ProviderError("Stopped.")

    job = journey.submit(sources=(Source("note", "The tide turns twice a day."),), topic="Tides")
    journey.ports = replace(journey.ports, provider=lambda _name, cancelled: Waiting(cancelled))
    replace(journey.engine(), heartbeat=lambda _lease: nullcontext(beat)).once()
    row = fresh(job)
    assert stopped
    assert (row.state, row.owner, row.attempt) == (State.PREPARING, "another:1", 0), told(job)
    assert not Step.objects.filter(job=job, name="draft").exists()


def refusing(act: Callable[[], object]) -> Callable[..., None]:
    """A push that something comes between, and that the remote does not take then."""

    def push(_repository: GitRepository, _commit: str, *, lease: str) -> None:
        assert lease
        act()
        raise RemoteRefused("It is busy.", text="try again", permanent=False)

    return push


def test_a_refusal_is_proof_whatever_branch_the_site_is_set_to_meanwhile(
    journey: Journey, monkeypatch: pytest.MonkeyPatch
) -> None:
    group = ready(journey, "anchor", "basalt")
    with monkeypatch.context() as busy:
        elsewhere = refusing(lambda: Site.objects.update(branch="trunk"))
        busy.setattr(GitRepository, "push", elsewhere)
        advance(journey, group[0])
    for job in group:
        row = fresh(job)
        assert (row.state, row.owner, effect(job).status) == ("RETRY_WAIT", "", "absent"), told(job)
    Site.objects.update(branch="main")
    for job in group:
        journey.hurry(job)
    all_published(journey, group)


def test_what_cannot_be_told_of_one_job_leaves_the_others_their_moves(
    journey: Journey, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A write that names another branch is closed by no answer of this one."""
    first, second = ready(journey, "anchor", "basalt")
    rewritten = Effect.objects.filter(job=first)
    elsewhere = refusing(lambda: rewritten.update(target={"site": "magazine", "branch": "trunk"}))
    monkeypatch.setattr(GitRepository, "push", elsewhere)
    advance(journey, first)
    assert (fresh(first).state, fresh(first).owner, effect(first).status) == (
        State.PUSHING, "", "intent",
    ), told(first)  # fmt: skip
    assert (fresh(second).state, effect(second).status) == (State.RETRY_WAIT, "absent")
