"""Tries and time: what uses them up, what does not, and how a job ends that has none left."""

from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from django.db.models import F

from publisher import leases, selectors
from publisher.domain.errors import StaleWorker
from publisher.domain.retries import DEFAULT_LIMITS
from publisher.domain.states import State
from publisher.engine import look, relay, waiting, worker
from publisher.models import Job
from publisher.prepare import pipeline
from publisher.services import acts
from tests.support.git import add_hook
from tests.support.journey import FRESH, FRESH_TEXT, OMAR, Journey, fresh, lost, told

HOUR = timedelta(hours=1)


def approved(journey: Journey) -> Job:
    return journey.approved(FRESH_TEXT, FRESH, action="create")


def lie_for(job: Job, time: timedelta) -> None:
    """All that is known of a job is this much older than now; nobody worked on it meanwhile."""
    row = fresh(job)
    assert row.lease_until is not None
    assert row.deadline_at is not None
    Job.objects.filter(pk=job.pk).update(
        available_at=row.available_at - time,
        lease_until=row.lease_until - time - timedelta(seconds=91),
        deadline_at=row.deadline_at - time,
    )


class Killed(BaseException):
    """The process is gone: nothing answers it."""


def die_in(journey: Journey, monkeypatch: pytest.MonkeyPatch, module: object, name: str) -> None:
    """Work until the worker is killed in a step; it gives nothing back."""

    def death(*_arguments: object) -> None:
        raise Killed

    with monkeypatch.context() as dying:
        dying.setattr(module, name, death)
        with pytest.raises(Killed):
            journey.work()


def test_each_lost_lease_uses_a_try_and_the_job_ends_in_a_known_state(journey: Journey) -> None:
    job = approved(journey)
    engine = replace(journey.engine(), heartbeat=lost)
    for _ in range(DEFAULT_LIMITS.push_attempts):
        engine.once()
    assert (fresh(job).state, fresh(job).owner) == (State.READY_TO_COMMIT, ""), told(job)
    journey.work()
    assert (fresh(job).state, fresh(job).failure_code) == (State.FAILED, "delivery_exhausted")
    acts.retry(fresh(job), who=OMAR, now=journey.now())
    journey.work()
    assert journey.engine().once() == 0
    journey.is_sound(job)


def test_workers_that_die_before_they_begin_use_the_tries_up_and_a_retry_goes_on(
    journey: Journey, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = journey.submit(FRESH_TEXT, FRESH, action="create")
    for _ in range(DEFAULT_LIMITS.prepare_attempts):
        die_in(journey, monkeypatch, worker, "_work")
        Job.objects.filter(pk=job.pk).update(lease_until=journey.now())
    assert fresh(job).state == State.RECEIVED, told(job)
    journey.work()
    assert (fresh(job).state, fresh(job).failure_code) == (State.FAILED, "crash_loop"), told(job)
    acts.retry(fresh(job), who=OMAR, now=journey.now())
    journey.work()
    assert fresh(job).state == State.WAITING_APPROVAL, told(job)
    journey.is_sound(job)


def test_a_look_that_ends_its_worker_each_time_comes_to_an_end(
    journey: Journey, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = approved(journey)
    for _ in range(DEFAULT_LIMITS.push_attempts + waiting.LAST_LOOKS):
        die_in(journey, monkeypatch, look, "at")
        Job.objects.filter(pk=job.pk).update(lease_until=journey.now())
    assert fresh(job).state == State.READY_TO_COMMIT, told(job)
    with monkeypatch.context() as dying:
        dying.setattr(look, "at", None)
        journey.work()
    assert (fresh(job).state, fresh(job).failure_code) == (State.FAILED, "delivery_exhausted")


def test_a_worker_that_wakes_up_after_another_took_over_uses_no_try(journey: Journey) -> None:
    job = approved(journey)
    claimed = leases.claim(job.pk, owner="asleep", now=journey.now(), seconds=0.0)
    assert claimed is not None
    journey.work()
    assert (fresh(job).state, fresh(job).attempt) == (State.PUBLISHED, 2), told(job)
    leases.release(claimed[1])
    with pytest.raises(StaleWorker):
        leases.renew(claimed[1], now=journey.now(), seconds=90)
    assert fresh(job).attempt == 2


def test_time_in_which_nobody_works_does_not_end_a_preparation(
    journey: Journey, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = journey.submit(FRESH_TEXT, FRESH, action="create")
    die_in(journey, monkeypatch, pipeline, "_input_hash")
    assert fresh(job).state == State.PREPARING, told(job)
    lie_for(job, 8 * HOUR)
    journey.work()
    assert fresh(job).state == State.WAITING_APPROVAL, told(job)


def test_time_in_which_nobody_works_does_not_end_a_delivery(
    journey: Journey, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = approved(journey)
    die_in(journey, monkeypatch, relay, "build")
    assert fresh(job).state == State.LOCAL_COMMITTING, told(job)
    lie_for(job, 8 * HOUR)
    journey.work()
    assert fresh(job).state == State.PUBLISHED, told(job)
    journey.is_sound(job)


def test_time_in_which_nobody_works_does_not_end_what_is_tried_again_now(journey: Journey) -> None:
    job = approved(journey)
    add_hook(journey.remote, "pre-receive", "echo 'busy, try again later' >&2; exit 1")
    journey.work()
    (journey.remote / "hooks" / "pre-receive").unlink()
    assert fresh(job).state == State.RETRY_WAIT, told(job)
    ago = 8 * HOUR
    Job.objects.update(available_at=F("available_at") - ago, deadline_at=F("deadline_at") - ago)
    acts.retry(fresh(job), who=OMAR, now=journey.now())
    journey.work()
    assert fresh(job).state == State.PUBLISHED, told(job)


def test_time_in_which_it_is_worked_on_does_count(journey: Journey) -> None:
    job = approved(journey)
    now: datetime = journey.now()
    Job.objects.filter(pk=job.pk).update(
        deadline_at=now - timedelta(seconds=1), available_at=now, lease_until=None
    )
    journey.work()
    assert (fresh(job).state, fresh(job).failure_code) == (State.FAILED, "delivery_exhausted")
    assert [entry.event for entry in selectors.events(fresh(job))][-1] == "fail"
