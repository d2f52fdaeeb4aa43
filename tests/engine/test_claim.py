"""A claim that goes wrong is that job's trouble: the worker goes on with the others."""

from datetime import datetime
from typing import Any

import pytest

from publisher import leases
from publisher.domain.states import State
from publisher.models import Job
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
