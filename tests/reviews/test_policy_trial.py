"""Policy trial: what a change of rules would do to open requests, and that trying does nothing."""

import json
from io import StringIO
from typing import Any

import pytest
from django.apps import apps
from django.core.management import call_command
from django.test import Client

from publisher import clock
from publisher.domain.errors import InvalidInput, NotFound
from publisher.models import Job
from reviews.models import Approval, Membership
from reviews.services import policies, policy_trial, quorum
from reviews.services.policy_trial import Touched, Trial
from tests.support import doors, jobs, people

pytestmark = pytest.mark.django_db


def put(**rules: Any) -> None:
    policies.put(
        caller=people.caller("omar"), scope="default", rules=rules, now=clock.now(), why="a test"
    )


def attempt(who: str = "omar", **rules: Any) -> Trial:
    return policy_trial.run(
        caller=people.caller(who), scope="default", rules=rules, site=None, action="*"
    )


def ids(found: tuple[Touched, ...]) -> set[str]:
    return {one.job_id for one in found}


@pytest.fixture
def approved(everybody: people.People) -> Job:
    """A job that Rui approved and that is held."""
    put(hold_seconds=3600)
    job = jobs.waiting(now=clock.now())
    assert doors.Service().decide("rui", jobs.request_of(job), "approve").code == ""
    return job


def test_two_instead_of_one_touch_what_waits_and_what_was_approved(approved: Job) -> None:
    waiting = jobs.waiting(now=clock.now())
    trial = attempt(approvals=2)
    assert (ids(trial.void), ids(trial.harder)) == ({approved.pk}, {waiting.pk})
    assert (trial.looked_at, trial.stay, trial.easier) == (2, 0, ())
    assert [one.more for one in (*trial.void, *trial.harder)] == [1, 2]


def test_it_tells_who_could_give_what_is_lacking(approved: Job) -> None:
    (one,) = attempt(approvals=2).void
    assert one.who == ("mei",)


def test_of_a_group_only_its_people_could_and_of_an_empty_one_nobody(job: Job) -> None:
    Membership.objects.filter(principal__name="mei").update(groups=["Legal"])
    (legal,) = attempt(groups=["Legal"]).harder
    (desk,) = attempt(groups=["Desk"]).harder
    assert (legal.who, desk.who) == (("mei",), ())
    assert (legal.too_few, desk.too_few) == (False, True)
    assert [attempt(groups=["Legal"] * n).harder[0].too_few for n in (1, 2)] == [False, True]
    assert [attempt(approvals=n).harder[0].too_few for n in (2, 3)] == [False, True]
    assert legal.after.missing_groups == ("Legal",)


def test_what_needs_less_is_told_and_what_stays_is_counted(job: Job) -> None:
    put(approvals=3)
    trial = attempt(approvals=1)
    assert (ids(trial.easier), trial.harder) == ({job.pk}, ())
    assert attempt(validity_seconds=60).stay == 1


def test_the_trial_foretells_what_the_change_does(approved: Job) -> None:
    rules: dict[str, Any] = {"groups": ["Legal"]}
    (one,) = attempt(**rules).void
    put(**rules)
    fresh = policies.of(jobs.reloaded(approved))[0]
    found = quorum.of(jobs.request_of(approved), jobs.reloaded(approved), fresh)
    assert found == one.after
    assert not found.is_met


def test_what_a_narrower_policy_rules_is_left_out(job: Job) -> None:
    policies.put(
        caller=people.caller("omar"), scope="default", site=job.site, rules={"approvals": 1},
        now=clock.now(), why="x",
    )  # fmt: skip
    other = jobs.waiting(at=jobs.site("second"), now=clock.now())
    trial = attempt(approvals=2)
    assert (trial.looked_at, ids(trial.harder)) == (1, {other.pk})


def test_an_action_of_its_own_touches_that_action_alone(job: Job) -> None:
    trial = policy_trial.run(
        caller=people.caller("omar"), scope="default", rules={"approvals": 2}, site=None,
        action="git.revert/v1",
    )  # fmt: skip
    assert trial.looked_at == 0


def test_no_request_out_of_sight_is_told(job: Job) -> None:
    jobs.waiting(at=jobs.site("theirs", scope="elsewhere"), now=clock.now())
    people.add("ines")
    Membership.objects.create(
        principal=people.add("ines"), scope="default", site=jobs.site("third"), role="reviewer"
    )
    assert attempt(approvals=2).looked_at == 1
    with pytest.raises(NotFound):
        policy_trial.run(
            caller=people.caller("omar"), scope="elsewhere", rules={}, site=None, action="*"
        )


def test_rules_that_could_not_be_set_cannot_be_tried(job: Job) -> None:
    with pytest.raises(InvalidInput):
        attempt(approvals=0, hold_seconds=5)


def test_many_are_looked_at_up_to_a_number(job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    jobs.waiting(now=clock.now())
    monkeypatch.setattr(policy_trial, "LOOKED_AT", 1)
    trial = attempt(approvals=2)
    assert (trial.looked_at, trial.is_more) == (1, True)


def rows() -> dict[str, list[Any]]:
    return {
        model._meta.db_table: list(model._default_manager.order_by("pk").values())
        for model in apps.get_models()
        if model._meta.app_label in ("publisher", "reviews")
    }


def test_at_the_console_it_is_told_and_nothing_is_written(approved: Job) -> None:
    before, out = rows(), StringIO()
    call_command("policy", "dry-run", "approvals=2", "--json", stdout=out)
    found = json.loads(out.getvalue())
    assert [one["job_id"] for one in found["void"]] == [approved.pk]
    assert found["void"][0]["who"] == ["mei"]
    assert found["after"]["approvals"] == 2
    call_command("policy", "dry-run", "approvals=2", stdout=out)
    assert "1 approved, and would need more again" in out.getvalue()
    assert rows() == before


def test_over_http_it_is_told_to_who_may_read_and_nothing_is_written(approved: Job) -> None:
    secret = people.token("rui", "read")
    before = rows()
    headers = {"Authorization": f"Bearer {secret}"}
    body = {"rules": {"approvals": 2}, "site": "blog"}
    response = Client().post(
        "/api/v1/policies/dry-run", body, content_type="application/json", headers=headers
    )
    assert response.status_code == 200
    assert [one["approval_id"] for one in response.json()["void"]] == [
        Approval.objects.get(job=approved).pk
    ]
    after = rows()
    for name in ("reviews_policy", "reviews_approval", "publisher_job", "publisher_jobevent"):
        assert after[name] == before[name]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"rules": {"approvals": 99}}, 422), ({"rules": {"bulk": 1}}, 422), ({}, 422),
        ({"rules": {}, "scope": "elsewhere"}, 404), ({"rules": {}, "site": "nowhere"}, 404),
        ({"rules": {}, "why": "x"}, 422),
    ],
)  # fmt: skip
def test_over_http_what_cannot_be_tried_is_refused(
    job: Job, body: dict[str, Any], status: int
) -> None:
    headers = {"Authorization": f"Bearer {people.token('rui', 'read')}"}
    response = Client().post(
        "/api/v1/policies/dry-run", body, content_type="application/json", headers=headers
    )
    assert response.status_code == status
