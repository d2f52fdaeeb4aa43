"""Waiting for a site's lock: it uses no try, and time to deliver alone, where it ends."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta

from publisher.adapters.git import refs
from publisher.domain.errors import LockBusy
from publisher.domain.retries import DEFAULT_LIMITS
from publisher.domain.states import State
from publisher.models import Job
from publisher.ports import Locks
from tests.support.journey import FRESH, FRESH_TEXT, Journey, fresh, told


@dataclass
class Queue:
    """Locks that somebody else holds while ``is_long``."""

    locks: Locks
    is_long: bool = True

    @contextmanager
    def hold(self, name: str, site: str, *, timeout_seconds: float = 15) -> Iterator[None]:
        """Hold one lock, or have waited in vain."""
        if self.is_long:
            raise LockBusy(f"The {name} lock of {site} is held by somebody else.")
        with self.locks.hold(name, site, timeout_seconds=timeout_seconds):
            yield


def approved(journey: Journey) -> Job:
    return journey.approved(FRESH_TEXT, FRESH, action="create")


def behind_somebody(journey: Journey) -> Queue:
    queue = Queue(journey.ports.locks)
    journey.ports = replace(journey.ports, locks=queue)
    return queue


def test_waiting_for_a_lock_uses_no_try(journey: Journey) -> None:
    job = approved(journey)
    queue = behind_somebody(journey)
    for _ in range(DEFAULT_LIMITS.push_attempts + 2):
        journey.hurry(job)
    row = fresh(job)
    assert (row.state, row.failure_code) == (State.RETRY_WAIT, "lock_busy"), told(job)
    assert row.attempt == 0
    queue.is_long = False
    journey.hurry(job)
    assert fresh(job).state == State.PUBLISHED, told(job)
    journey.is_sound(job)


def test_waiting_for_a_lock_ends_with_the_time_for_delivery(journey: Journey) -> None:
    job = approved(journey)
    behind_somebody(journey)
    journey.work()
    deadline = fresh(job).deadline_at
    assert deadline is not None
    assert deadline - journey.now() <= timedelta(seconds=DEFAULT_LIMITS.deliver_deadline_seconds)
    Job.objects.filter(pk=job.pk).update(deadline_at=journey.now() - timedelta(seconds=9))
    journey.hurry(job)
    assert (fresh(job).state, fresh(job).failure_code) == (State.FAILED, "delivery_exhausted")
    journey.is_sound(job)


def test_a_worker_that_died_while_it_moved_a_branch_fails_no_job(journey: Journey) -> None:
    job = journey.submit(FRESH_TEXT, FRESH, action="create")
    branch = journey.folder / "git" / str(journey.site.pk) / "clone.git" / refs.job_ref(job.pk)
    lock = branch.with_name(f"{branch.name}.lock")
    lock.parent.mkdir(parents=True, exist_ok=True)
    lock.touch()
    for _ in range(DEFAULT_LIMITS.prepare_attempts + 1):
        journey.hurry(job)
    assert (fresh(job).state, fresh(job).attempt) == (State.RETRY_WAIT, 0), told(job)
    died = time.time() - refs.BRANCH_STALE_SECONDS - 1
    os.utime(lock, (died, died))
    journey.hurry(job)
    assert fresh(job).state == State.WAITING_APPROVAL, told(job)
