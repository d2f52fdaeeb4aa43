"""Time: silence never means yes, and a yes does not last for ever."""

from datetime import timedelta

import pytest

from publisher import envelopes
from publisher.domain.errors import Expired, InvalidInput, NotAuthorised
from publisher.models import Job
from reviews.authority import DatabaseAuthority
from reviews.models import Approval, Policy
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
    assert authority.lapse(request_.wait_until) == {}
    assert authority.lapse(request_.wait_until + SECOND) == {request_.job_id: True}
    assert authority.lapse(request_.wait_until + SECOND) == {}


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


def hold(seconds: int, **rules: int) -> None:
    policies.put(
        caller=people.caller("omar"),
        scope="default",
        rules={"hold_seconds": seconds, **rules},
        now=jobs.NOW,
        why="a test",
    )


def test_a_hold_keeps_workers_away_for_its_time(everybody: people.People) -> None:
    hold(30)
    approval = jobs.request_of(jobs.waiting())
    approve(approval, after=-SECOND)
    ready: Job = jobs.reloaded(approval.job)
    assert ready.available_at == approval.wait_until - SECOND + timedelta(seconds=30)


@pytest.mark.parametrize("begins", [None, timedelta(days=1), timedelta(days=30)])
def test_a_yes_still_holds_when_the_job_may_leave(
    everybody: people.People, begins: timedelta | None
) -> None:
    """Else it would be asked about anew, without an end."""
    hold(2 * 24 * 3600)
    not_before = jobs.NOW + begins if begins else None
    approval = jobs.request_of(jobs.waiting(not_before=not_before))
    approve(approval, after=-SECOND)
    approval.refresh_from_db()
    job = jobs.reloaded(approval.job)
    leaves = max(job.available_at, job.not_before or job.available_at)
    assert approval.valid_until == leaves + timedelta(hours=24)
    assert DatabaseAuthority().authorise(job, job.binding_hash, leaves).approvers == ("rui",)


def test_what_nobody_is_asked_about_cannot_be_held(everybody: people.People) -> None:
    with pytest.raises(InvalidInput, match="Set hold_seconds to 0") as refused:
        hold(3600, approvals=0)
    assert refused.value.field == "hold_seconds"
    hold(3600)
    with pytest.raises(InvalidInput, match="Set hold_seconds to 0"):
        policies.put(
            caller=people.caller("omar"),
            scope="default",
            rules={"approvals": 0},
            now=jobs.NOW,
            why="x",
        )


def test_rules_of_before_that_hold_what_nobody_is_asked_about_are_read(
    everybody: people.People,
) -> None:
    """They never held anything, and a yes of theirs counts from the moment that it fell."""
    Policy.objects.create(
        scope="default", version=9, who="omar", created_at=jobs.NOW,
        rules={"approvals": 0, "hold_seconds": 3600},
    )  # fmt: skip
    job = jobs.preparing(jobs.received())
    DatabaseAuthority().open(job, {"schema": "x"}, "sha256:" + "2" * 64, jobs.NOW)
    assert jobs.request_of(job).valid_until == jobs.NOW + timedelta(hours=24)
