"""Reauthentication: at every door, who approves what is risky gave the password lately."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from publisher import clock
from publisher.domain.workflows import Risk
from publisher.models import Job, JobEvent
from reviews.models import Decision
from reviews.rules import Rules
from reviews.services import policies, reauthentication
from tests.support import doors, jobs, people
from tests.support.doors import Door

NOW = jobs.NOW
WITHIN = 600


@pytest.fixture(params=doors.ALL, ids=lambda door: door.name)
def door(request: pytest.FixtureRequest) -> Door:
    """Each door in turn."""
    found: Door = request.param
    return found


@pytest.fixture
def risky(job: Job) -> Job:
    """A job whose approval asks for the password."""
    policies.put(
        caller=people.caller("omar"), scope="default", rules={"risk": "risky"}, now=clock.now(),
        why="all of it is read by many",
    )  # fmt: skip
    return job


@given(age=st.integers(-1000, 5000), seconds=st.integers(0, 2000), risk=st.sampled_from(Risk))
def test_a_proof_counts_for_its_time_and_for_what_is_risky_alone(
    age: int, seconds: int, risk: Risk
) -> None:
    rules = Rules(password_seconds=seconds)
    proved = NOW - timedelta(seconds=age)
    asked = reauthentication.is_asked(rules, risk, proved, now=NOW)
    assert asked == (risk is Risk.RISKY and seconds > 0 and not 0 <= age <= seconds)


def test_without_the_password_nothing_risky_is_approved(door: Door, risky: Job) -> None:
    answer = door.decide("rui", jobs.request_of(risky), "approve", proved=None)
    assert answer.code == "password_needed"
    assert answer.status in (0, 403)
    assert not Decision.objects.exists()
    assert jobs.reloaded(risky).state == "WAITING_APPROVAL"


def test_a_wrong_password_approves_nothing(door: Door, risky: Job) -> None:
    answer = door.decide("rui", jobs.request_of(risky), "approve", password="not mine")
    assert answer.code == "invalid"
    assert not Decision.objects.exists()


def test_with_the_password_it_is_approved_and_the_proof_is_kept(door: Door, risky: Job) -> None:
    before = clock.now()
    approval = jobs.request_of(risky)
    answer = door.decide("rui", approval, "approve", password=people.PASSWORD)
    assert answer.code == ""
    row = approval.decisions.get()
    assert row.reauthenticated_at is not None
    assert row.reauthenticated_at >= before - timedelta(seconds=1)
    told = JobEvent.objects.get(job=risky, event="approve").facts["reauthenticated_at"]
    assert datetime.fromisoformat(told) == row.reauthenticated_at


@pytest.mark.parametrize("decision", ["reject", "request_changes"])
def test_a_no_needs_no_password(door: Door, risky: Job, decision: str) -> None:
    approval = jobs.request_of(risky)
    assert door.decide("rui", approval, decision, proved=None).code == ""
    assert approval.decisions.get().reauthenticated_at is None


def test_what_is_routine_needs_none_and_keeps_none(door: Door, job: Job) -> None:
    approval = jobs.request_of(job)
    assert door.decide("rui", approval, "approve").code == ""
    assert approval.decisions.get().reauthenticated_at is None


def test_an_account_without_a_password_says_so(risky: Job, everybody: people.People) -> None:
    user = everybody.rui.user
    assert user is not None
    user.set_unusable_password()
    user.save()
    answer = doors.Http().decide("rui", jobs.request_of(risky), "approve", password="x")
    assert "has no password" in answer.body["detail"]


class TestPage:
    """What the page asks, and remembers."""

    def page(self, client: Client, job: Job) -> str:
        return client.get(f"/approvals/{jobs.request_of(job).pk}/").content.decode()

    def test_a_fresh_login_is_proof_enough(self, risky: Job) -> None:
        client = Client()
        client.post("/login/", {"username": "rui", "password": people.PASSWORD})
        assert 'name="password"' not in self.page(client, risky)

    def test_later_the_form_asks_and_a_right_answer_is_remembered(self, risky: Job) -> None:
        client = doors.seated("rui", proved=False)
        assert 'name="password"' in self.page(client, risky)
        approval = jobs.request_of(risky)
        form = {
            "decision": "approve", "reviewed_hash": approval.binding_hash, "request_id": "r1",
            "comment": "well said", "password": "wrong",
        }  # fmt: skip
        refused = client.post(f"/approvals/{approval.pk}/decide/", form)
        assert refused.status_code == 400
        page = refused.content.decode()
        assert "well said" in page
        assert 'value="wrong"' not in page
        right = {**form, "password": people.PASSWORD}
        assert client.post(f"/approvals/{approval.pk}/decide/", right).status_code == 302
        assert 'name="password"' not in self.page(client, jobs.waiting(now=clock.now()))

    def test_wrong_ones_count_as_wrong_logins_do(self, risky: Job, settings: Any) -> None:
        settings.AXES_ENABLED = True
        client, approval = doors.seated("rui", proved=False), jobs.request_of(risky)
        form = {"decision": "approve", "reviewed_hash": approval.binding_hash, "password": "no"}
        client.get(f"/approvals/{approval.pk}/")
        answers = [
            client.post(f"/approvals/{approval.pk}/decide/", {**form, "request_id": f"r{n}"})
            for n in range(6)
        ]
        assert answers[-1].status_code == 429
        right = {**form, "request_id": "r9", "password": people.PASSWORD}
        assert client.post(f"/approvals/{approval.pk}/decide/", right).status_code == 429
        assert not Decision.objects.exists()
