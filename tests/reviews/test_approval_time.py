"""Time: silence never means yes, and a yes does not last for ever."""

from datetime import timedelta

import pytest

from publisher import envelopes
from publisher.domain.errors import Expired, NotAuthorised
from publisher.models import Job
from reviews.authority import DatabaseAuthority
from reviews.models import Approval
from reviews.services import decisions, policies
from tests.support import jobs, people

pytestmark = pytest.mark.django_db
SECOND = timedelta(seconds=1)


@pytest.fixture
def request_(everybody: people.People) -> Approval:
    """A request that was opened at the tests' fixed time."""
    return jobs.request_of(jobs.waiting())


def approve(approval: Approval, *, after: timedelta) -> decisions.Outcome:
    return decisions.decide(
        approval,
        caller=people.caller("rui"),
        decision="approve",
        reviewed_hash=approval.binding_hash,
        request_id="r1",
        now=approval.wait_until + after,
    )


@pytest.mark.parametrize("after", [-SECOND, timedelta(0)])
def test_until_the_last_moment_a_yes_counts(request_: Approval, after: timedelta) -> None:
    assert approve(request_, after=after).job_state == "READY_TO_COMMIT"


def test_a_second_later_it_is_expired_and_the_job_waits_in_review(request_: Approval) -> None:
    with pytest.raises(Expired):
        approve(request_, after=SECOND)
    job = jobs.reloaded(request_.job)
    assert (job.state, jobs.request_of(job).status) == ("REVIEW", "expired")


def test_the_sweep_lapses_what_nobody_answered(request_: Approval) -> None:
    authority = DatabaseAuthority()
    assert authority.lapse(request_.wait_until) == []
    assert authority.lapse(request_.wait_until + SECOND) == [request_.job_id]
    assert authority.lapse(request_.wait_until + SECOND) == []


def test_a_yes_is_counted_from_not_before_when_that_is_later(everybody: people.People) -> None:
    begin = jobs.NOW + timedelta(days=30)
    approval = jobs.request_of(jobs.waiting(not_before=begin))
    approve(approval, after=-SECOND)
    approval.refresh_from_db()
    assert approval.valid_until == begin + timedelta(hours=24)


def test_the_fence_refuses_a_yes_whose_time_is_over(request_: Approval) -> None:
    approve(request_, after=-SECOND)
    request_.refresh_from_db()
    job = jobs.reloaded(request_.job)
    until = request_.valid_until
    assert until is not None
    authority = DatabaseAuthority()
    assert authority.authorise(job, job.binding_hash, until).approvers == ("rui",)
    with pytest.raises(NotAuthorised) as refused:
        authority.authorise(job, job.binding_hash, until + SECOND)
    assert refused.value.why == "expired"


def test_asking_again_for_the_same_envelope_keeps_a_yes_that_holds(request_: Approval) -> None:
    approve(request_, after=-SECOND)
    job = jobs.reloaded(request_.job)
    envelope = envelopes.of(job)
    held = DatabaseAuthority().open(job, envelope, job.binding_hash, request_.wait_until)
    assert held
    assert jobs.request_of(job).pk == request_.pk


def test_a_hold_keeps_workers_away_for_its_time(everybody: people.People) -> None:
    policies.put(
        caller=people.caller("omar"),
        scope="default",
        rules={"hold_seconds": 30},
        now=jobs.NOW,
    )
    approval = jobs.request_of(jobs.waiting())
    approve(approval, after=-SECOND)
    ready: Job = jobs.reloaded(approval.job)
    assert ready.available_at == approval.wait_until - SECOND + timedelta(seconds=30)
