"""Of all claims on a job one holds, until its lease is over."""

from datetime import timedelta

import pytest

from publisher import journal, leases, selectors
from publisher.domain.errors import StaleWorker
from publisher.domain.states import Event, State
from publisher.models import Job
from tests.support import jobs
from tests.support.jobs import NOW

pytestmark = pytest.mark.django_db
LATER = NOW + timedelta(seconds=91)


def claim(job: Job, owner: str = "one", **options: object) -> tuple[Job, journal.Lease] | None:
    return leases.claim(job.pk, owner=owner, seconds=90, **{"now": NOW, **options})  # type: ignore[arg-type]


def held(job: Job, owner: str = "one") -> tuple[Job, journal.Lease]:
    taken = claim(job, owner)
    assert taken is not None
    return taken


def test_a_job_is_claimed_once() -> None:
    job = jobs.received()
    taken, lease = held(job)
    assert (taken.owner, taken.generation, taken.attempt) == ("one", 1, 1)
    assert taken.lease_until == NOW + timedelta(seconds=90)
    assert lease == journal.Lease(job.pk, "one", 1)
    assert claim(job, "two") is None
    assert claim(job, "one") is None


def test_a_claim_is_told() -> None:
    job, _ = held(jobs.received())
    entry = selectors.events(job)[-1]
    assert (entry.event, entry.actor_name, entry.target) == ("claimed", "one", "")
    assert entry.facts == {"attempt": 1, "taken_over_from": ""}


@pytest.mark.parametrize("state", ["WAITING_APPROVAL", "REVIEW"])
def test_what_waits_for_people_is_not_claimed(state: str) -> None:
    job = jobs.waiting() if state == "WAITING_APPROVAL" else jobs.in_review()
    assert job.state == state
    assert claim(job) is None


def test_a_job_is_not_claimed_before_it_is_due() -> None:
    job = jobs.received()
    Job.objects.filter(pk=job.pk).update(available_at=NOW + timedelta(seconds=1))
    assert claim(job) is None
    assert claim(job, now=NOW + timedelta(seconds=1)) is not None


def test_a_lease_that_is_over_is_taken_over_with_a_higher_generation() -> None:
    job = jobs.received()
    held(job)
    assert claim(job, "two", now=NOW + timedelta(seconds=89)) is None
    taken = claim(job, "two", now=NOW + timedelta(seconds=90))
    assert taken is not None
    assert (taken[0].owner, taken[1].generation, taken[0].attempt) == ("two", 2, 2)
    assert selectors.events(taken[0])[-1].facts["taken_over_from"] == "one"


def test_the_worker_before_writes_nothing_after_a_takeover() -> None:
    job, old = held(jobs.received())
    assert claim(job, "two", now=LATER) is not None
    events = len(selectors.events(job))
    for row in (job, Job.objects.get(pk=job.pk)):
        with pytest.raises(StaleWorker):
            journal.record(row, Event.PREPARE, who=jobs.WORKER, now=LATER, lease=old)
    now = Job.objects.get(pk=job.pk)
    assert (now.state, len(selectors.events(now))) == (State.RECEIVED.value, events)


def test_a_lease_is_renewed_while_it_is_held() -> None:
    job, lease = held(jobs.received())
    leases.renew(lease, now=NOW + timedelta(seconds=60), seconds=90)
    job.refresh_from_db()
    assert job.lease_until == NOW + timedelta(seconds=150)


def test_a_lease_that_is_over_cannot_be_renewed() -> None:
    _, lease = held(jobs.received())
    with pytest.raises(StaleWorker):
        leases.renew(lease, now=NOW + timedelta(seconds=90), seconds=90)


def test_a_lost_lease_neither_renews_nor_releases_the_new_one() -> None:
    job, old = held(jobs.received())
    assert claim(job, "two", now=LATER) is not None
    with pytest.raises(StaleWorker):
        leases.renew(old, now=LATER, seconds=90)
    leases.release(old)
    job.refresh_from_db()
    assert (job.owner, job.lease_until) == ("two", LATER + timedelta(seconds=90))


def test_a_released_job_can_be_claimed_at_once() -> None:
    job, lease = held(jobs.received())
    leases.release(lease)
    taken = claim(job, "two")
    assert taken is not None
    assert taken[1].generation == 2
