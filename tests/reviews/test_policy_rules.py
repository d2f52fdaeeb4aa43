"""Policies: what they can ask for, that they keep why, and what each rule does to a decision."""

from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from publisher import clock
from publisher.domain.errors import Clash, InvalidInput
from publisher.domain.workflows import Risk
from publisher.models import Job
from reviews.models import Membership, Policy
from reviews.rules import DEFAULT, Rules, check, from_json, shares
from reviews.services import policies
from tests.support import doors, jobs, people
from tests.support.doors import Door

GROUPS = st.lists(st.sampled_from(["Legal", "Editors", "Desk"]), max_size=6)


@pytest.fixture(params=doors.ALL, ids=lambda door: door.name)
def door(request: pytest.FixtureRequest) -> Door:
    """Each door in turn."""
    found: Door = request.param
    return found


def put(**rules: Any) -> Policy:
    return policies.put(
        caller=people.caller("omar"), scope="default", rules=rules, now=clock.now(), why="a test"
    )


def in_group(name: str, *groups: str) -> None:
    people.add(name, "reviewer")
    Membership.objects.filter(principal__name=name).update(groups=list(groups))


@given(asked=GROUPS, present=GROUPS)
def test_what_is_missing_is_what_was_asked_without_who_is_there(
    asked: list[str], present: list[str]
) -> None:
    missing = Rules(groups=tuple(asked)).missing(present)
    for name in {*asked, *present}:
        assert missing.count(name) == max(0, asked.count(name) - present.count(name))


@given(asked=GROUPS)
def test_rules_that_are_stored_come_back_as_they_were(asked: list[str]) -> None:
    rules = Rules(approvals=2, groups=tuple(asked), risk="risky", password_seconds=60)
    assert from_json(rules.as_json()) == rules


def test_a_group_of_which_several_are_asked_is_told_with_their_number() -> None:
    assert shares(("Legal", "Legal", "Editors")) == "Legal (2), Editors"


def test_rules_of_an_older_release_get_what_they_lack() -> None:
    old = {
        name: value for name, value in DEFAULT.as_json().items() if name in ("approvals", "groups")
    }
    assert from_json(old) == DEFAULT


@pytest.mark.parametrize(
    ("rule", "value"),
    [
        ("risk", "huge"), ("risk", 3), ("risk", None), ("password_seconds", -1),
        ("password_seconds", 86_401), ("password_seconds", True), ("groups", ["Legal"] * 21),
        ("groups", "Legal"), ("bulk", True),
    ],
)  # fmt: skip
def test_a_value_that_no_rule_can_have_is_refused_by_name(rule: str, value: Any) -> None:
    with pytest.raises(InvalidInput) as refused:
        from_json({rule: value})
    assert refused.value.field == rule


def test_what_is_risky_is_approved_by_somebody() -> None:
    with pytest.raises(InvalidInput) as refused:
        check(Rules(approvals=0, risk="risky"))
    assert refused.value.field == "risk"


@pytest.mark.parametrize(
    ("rules", "action", "seconds"),
    [
        (Rules(), Risk.ROUTINE, 0),
        (Rules(), Risk.RISKY, 30),
        (Rules(risk="risky"), Risk.ROUTINE, 30),
        (Rules(risk="routine"), Risk.RISKY, 0),
        (Rules(hold_seconds=5), Risk.RISKY, 30),
        (Rules(hold_seconds=90), Risk.RISKY, 90),
        (Rules(hold_seconds=90), Risk.ROUTINE, 90),
        (Rules(approvals=0, hold_seconds=90), Risk.RISKY, 0),
    ],
)
def test_what_is_risky_is_held_for_half_a_minute_at_least(
    rules: Rules, action: Risk, seconds: int
) -> None:
    assert rules.hold(rules.risk_of(action)) == seconds


@pytest.mark.django_db
class TestWithPeople:
    """On rows."""

    @pytest.mark.parametrize("why", ["", "  \n"])
    def test_no_rules_change_without_a_reason(self, everybody: people.People, why: str) -> None:
        with pytest.raises(InvalidInput) as refused:
            policies.put(
                caller=people.caller("omar"), scope="default", rules={"approvals": 2}, why=why,
                now=clock.now(),
            )  # fmt: skip
        assert refused.value.field == "why"

    def test_an_action_that_nobody_declared_has_no_policy(self, everybody: people.People) -> None:
        with pytest.raises(InvalidInput) as refused:
            policies.put(
                caller=people.caller("omar"), scope="default", rules={}, why="x", now=clock.now(),
                action="blog.publsh/v1",
            )  # fmt: skip
        assert refused.value.field == "action"

    def test_rules_that_changed_after_they_were_looked_at_are_not_overwritten(
        self, everybody: people.People
    ) -> None:
        seen = put(approvals=2).version
        put(approvals=3)
        with pytest.raises(Clash):
            policies.put(
                caller=people.caller("omar"), scope="default", rules={"hold_seconds": 5}, why="x",
                now=clock.now(), after=seen,
            )  # fmt: skip
        rules, version = policies.effective("default", None, "blog.publish/v1")
        assert (rules.approvals, rules.hold_seconds, version) == (3, 0, seen + 1)

    def test_a_policy_for_one_action_leaves_the_others_as_they_are(
        self, everybody: people.People
    ) -> None:
        policies.put(
            caller=people.caller("omar"), scope="default", rules={"risk": "risky"}, why="x",
            now=clock.now(), action="git.revert/v1",
        )  # fmt: skip
        found = {
            action: policies.effective("default", None, action)[0].risk
            for action in ("git.revert/v1", "blog.publish/v1")
        }
        assert found == {"git.revert/v1": "risky", "blog.publish/v1": ""}

    def test_the_risk_is_that_of_the_time_of_asking(self, everybody: people.People) -> None:
        routine = jobs.request_of(jobs.waiting(now=clock.now()))
        put(risk="risky")
        risky = jobs.request_of(jobs.waiting(now=clock.now()))
        assert (routine.risk, risky.risk) == ("routine", "risky")

    def test_two_of_legal_and_one_editor_are_two_of_legal_and_one_editor(
        self, door: Door, job: Job
    ) -> None:
        in_group("rui", "Legal")
        in_group("mei", "Legal")
        in_group("lea", "Editors")
        in_group("tom", "Legal")
        put(approvals=3, groups=["Legal", "Legal", "Editors"])
        approval = jobs.request_of(job)
        for number, name in enumerate(("rui", "mei", "tom")):
            answer = door.decide(name, approval, "approve", request_id=f"r{number}")
            assert answer.body["approval_status"] == "pending", name
        assert door.decide("lea", approval, "approve", request_id="r9").body["job_state"] == (
            "READY_TO_COMMIT"
        )

    def test_the_answer_says_from_whom_more_is_needed(self, job: Job) -> None:
        in_group("rui", "Legal")
        put(approvals=2, groups=["Legal", "Legal", "Editors"])
        answer = doors.Service().decide("rui", jobs.request_of(job), "approve")
        assert (
            "1 of 2 approvals; still missing from groups: Legal, Editors"
            in (answer.body["message"])
        )

    def test_what_is_risky_can_be_taken_back_before_it_leaves(self, door: Door, job: Job) -> None:
        put(risk="risky", password_seconds=0)
        approval, before = jobs.request_of(job), clock.now()
        assert door.decide("rui", approval, "approve").code == ""
        held = jobs.reloaded(job).available_at
        assert held >= before + timedelta(seconds=30)
        assert door.decide("mei", approval, "withdraw", request_id="r2").code == ""
        assert jobs.reloaded(job).state == "WAITING_APPROVAL"
