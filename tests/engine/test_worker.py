"""The worker: what goes wrong with one job is that job's trouble, and what no try can mend goes to people."""

from datetime import datetime
from typing import Any

import pytest

from publisher import leases
from publisher.domain.errors import InvalidInput
from publisher.domain.states import State
from publisher.models import Job
from publisher.prepare.context import Context, StepResult
from publisher.prepare.steps import STEPS
from tests.support.journey import FRESH, FRESH_TEXT, HELLO, TARGET, Journey, fresh, told


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
