"""The inbox: what waits for whom, soonest to expire first."""

from datetime import timedelta

import pytest
from pytest_django import DjangoAssertNumQueries

from publisher.domain.states import Event
from publisher.models import Conflict
from reviews import selectors
from reviews.models import Approval
from reviews.services import decisions, policies
from tests.support import jobs, people

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _people(everybody: people.People) -> None: ...


def inbox(name: str) -> list[selectors.InboxItem]:
    return selectors.inbox(people.caller(name), now=jobs.NOW)


def test_a_reviewer_is_asked_and_the_author_is_not() -> None:
    job = jobs.waiting()
    people.add("ada", "reviewer")
    assert [(item.kind, item.job.pk) for item in inbox("rui")] == [("approval", job.pk)]
    assert inbox("ada") == []
    assert inbox("zoe") == []


def test_who_answered_is_asked_no_more() -> None:
    policies.put(
        caller=people.caller("omar"), scope="default", rules={"approvals": 2}, now=jobs.NOW
    )
    approval = jobs.request_of(jobs.waiting())
    decisions.decide(
        approval,
        caller=people.caller("rui"),
        decision="approve",
        reviewed_hash=approval.binding_hash,
        request_id="r",
        now=jobs.NOW,
    )
    assert inbox("rui") == []
    assert len(inbox("mei")) == 1


def test_a_job_in_review_waits_for_those_who_can_mend_it() -> None:
    jobs.in_review()
    assert [item.kind for item in inbox("ada")] == ["review"]
    assert [item.kind for item in inbox("omar")] == ["review"]
    people.add("max", "submitter")
    assert inbox("max") == []


def test_what_expires_soon_comes_before_what_is_older() -> None:
    older = jobs.waiting()
    soon = jobs.waiting(now=jobs.NOW + timedelta(minutes=1))
    end = jobs.NOW + timedelta(hours=2)
    Approval.objects.filter(job=soon).update(wait_until=end)
    assert [item.job.pk for item in inbox("rui")] == [soon.pk, older.pk]


def test_a_conflict_waits_for_reviewers() -> None:
    job = jobs.waiting()
    approval = jobs.request_of(job)
    decisions.decide(
        approval,
        caller=people.caller("rui"),
        decision="approve",
        reviewed_hash=approval.binding_hash,
        request_id="r",
        now=jobs.NOW,
    )
    clash = jobs.moved(jobs.reloaded(job), Event.CLASH)
    Conflict.objects.create(job=clash, revision=1, kind="content", created_at=jobs.NOW)
    assert [item.kind for item in inbox("mei")] == ["conflict"]


def test_another_scopes_work_is_nobodys_here() -> None:
    jobs.waiting(at=jobs.site("theirs", scope="elsewhere"))
    assert inbox("rui") == []


def test_a_long_inbox_costs_no_query_a_row(
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    for _ in range(12):
        jobs.waiting()
    with django_assert_max_num_queries(9):
        assert len(inbox("rui")) == 12
