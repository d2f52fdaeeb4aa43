"""Delegation: for a time, in another's weight, once, and never for own work."""

from datetime import timedelta
from typing import Any

import pytest

from publisher import clock
from publisher.domain.errors import ImprimaturError, InvalidInput, NotAllowed, NotFound
from publisher.domain.states import Actor
from publisher.journal import Who
from publisher.models import Job
from publisher.services import revise
from reviews.models import Claim, Delegation, Membership, Principal
from reviews.services import delegations, people, policies
from reviews.services import tokens as token_service
from tests.support import doors, jobs
from tests.support import people as staff
from tests.support.doors import Door
from tests.support.reviewing_rows import delegation

pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)


@pytest.fixture(params=doors.ALL, ids=lambda door: door.name)
def door(request: pytest.FixtureRequest) -> Door:
    """Each door in turn."""
    found: Door = request.param
    return found


@pytest.fixture
def legal(job: Job) -> Job:
    """A job for whose approval one of Legal is asked, which Mei alone is."""
    Membership.objects.filter(principal__name="mei").update(groups=["Legal"])
    staff.add("lea", "reviewer")
    policies.put(
        caller=staff.caller("omar"), scope="default", rules={"groups": ["Legal"]}, why="a test",
        now=clock.now(),
    )  # fmt: skip
    return job


def give(giver: str, delegate: str, *, by: str = "", **given: Any) -> Delegation:
    now = clock.now()
    return delegations.give(
        Principal.objects.get(name=giver), delegate=Principal.objects.get(name=delegate),
        caller=staff.caller(by or giver), now=now,
        **{"scope": "default", "starts_at": now, "ends_at": now + DAY, **given},
    )  # fmt: skip


def test_an_answer_in_anothers_place_has_that_weight(door: Door, legal: Job) -> None:
    give("mei", "rui")
    approval = jobs.request_of(legal)
    answer = door.decide("rui", approval, "approve", on_behalf_of="mei")
    assert (answer.code, answer.body.get("job_state")) == ("", "READY_TO_COMMIT")
    row = approval.decisions.get()
    assert (row.actor.name, str(row.on_behalf_of)) == ("rui", "mei")


def test_for_oneself_the_weight_is_ones_own(door: Door, legal: Job) -> None:
    give("mei", "rui")
    answer = door.decide("rui", jobs.request_of(legal), "approve")
    assert answer.body["approval_status"] == "pending"


def test_without_a_delegation_nobody_stands_in(door: Door, legal: Job) -> None:
    answer = door.decide("rui", jobs.request_of(legal), "approve", on_behalf_of="mei")
    assert answer.code == "not_allowed"
    assert answer.status in (0, 403)


@pytest.mark.parametrize("name", ["nobody", "omar"])
def test_who_is_not_here_is_refused_in_the_same_words(legal: Job, name: str) -> None:
    answer = doors.Http().decide("rui", jobs.request_of(legal), "approve", on_behalf_of=name)
    assert answer.body["detail"] == f"You do not stand in for {name} here now."


@pytest.mark.parametrize(
    ("begins", "ends"), [(-2 * DAY, -DAY), (DAY, 2 * DAY)], ids=["over", "to come"]
)
def test_outside_of_its_time_it_counts_for_nothing(
    legal: Job, begins: timedelta, ends: timedelta
) -> None:
    row, now = delegation("mei", "rui", now=clock.now()), clock.now()
    Delegation.objects.filter(pk=row.pk).update(starts_at=now + begins, ends_at=now + ends)
    answer = doors.Service().decide("rui", jobs.request_of(legal), "approve", on_behalf_of="mei")
    assert answer.code == "not_allowed"


def test_one_that_was_ended_counts_from_then_on_for_nothing(legal: Job) -> None:
    row = give("mei", "rui")
    delegations.end(row.pk, caller=staff.caller("mei"), now=clock.now())
    answer = doors.Service().decide("rui", jobs.request_of(legal), "approve", on_behalf_of="mei")
    assert answer.code == "not_allowed"


def test_an_answer_given_in_time_keeps_its_weight_after_the_end(legal: Job) -> None:
    policies.put(
        caller=staff.caller("omar"), scope="default", rules={"approvals": 2}, why="x",
        now=clock.now(),
    )  # fmt: skip
    row, approval = give("mei", "rui"), jobs.request_of(legal)
    doors.Service().decide("rui", approval, "approve", on_behalf_of="mei")
    delegations.end(row.pk, caller=staff.caller("mei"), now=clock.now())
    answer = doors.Service().decide("lea", approval, "approve", request_id="r2")
    assert answer.body["job_state"] == "READY_TO_COMMIT"


def test_the_author_decides_in_nobodys_place(door: Door, legal: Job) -> None:
    staff.add("ada", "reviewer")
    give("mei", "ada")
    answer = door.decide("ada", jobs.request_of(legal), "approve", on_behalf_of="mei")
    assert answer.code == "own_work"


def test_nobody_decides_in_the_authors_place(door: Door, legal: Job) -> None:
    who = Who(Actor.REVIEWER, "mei")
    edited = revise.revise(
        legal, files={legal.target_path: b"# Mine\n"}, base_revision=1, who=who, now=clock.now()
    )
    jobs.waiting(edited, now=clock.now())
    give("mei", "rui")
    answer = door.decide("rui", jobs.request_of(legal), "approve", on_behalf_of="mei")
    assert answer.code == "own_work"


@pytest.mark.parametrize(
    ("first", "second"),
    [(("rui", "mei"), ("mei", "")), (("mei", ""), ("rui", "mei")),
     (("rui", "mei"), ("lea", "mei")), (("rui", ""), ("rui", "mei"))],
)  # fmt: skip
def test_a_weight_counts_once_whoever_uses_it(
    door: Door, legal: Job, first: tuple[str, str], second: tuple[str, str]
) -> None:
    policies.put(
        caller=staff.caller("omar"), scope="default", rules={"approvals": 2}, why="x",
        now=clock.now(),
    )  # fmt: skip
    give("mei", "rui")
    give("mei", "lea")
    approval = jobs.request_of(legal)
    for number, (who, holder) in enumerate((first, second)):
        sent = {"on_behalf_of": holder} if holder else {}
        answer = door.decide(who, approval, "approve", request_id=f"r{number}", **sent)
        assert answer.code == ("already_decided" if number else "")


def test_the_same_request_for_another_place_is_no_repeat(legal: Job) -> None:
    policies.put(
        caller=staff.caller("omar"), scope="default", rules={"approvals": 2}, why="x",
        now=clock.now(),
    )  # fmt: skip
    give("mei", "rui")
    approval = jobs.request_of(legal)
    assert doors.Service().decide("rui", approval, "approve", on_behalf_of="mei").code == ""
    assert doors.Service().decide("rui", approval, "approve", on_behalf_of="mei").code == ""
    assert doors.Service().decide("rui", approval, "approve").code == "already_decided"


@pytest.mark.parametrize("gone", ["mei", "rui"])
def test_who_leaves_takes_the_weight_along(legal: Job, gone: str) -> None:
    policies.put(
        caller=staff.caller("omar"), scope="default", rules={"approvals": 2}, why="x",
        now=clock.now(),
    )  # fmt: skip
    give("mei", "rui")
    approval = jobs.request_of(legal)
    doors.Service().decide("rui", approval, "approve", on_behalf_of="mei")
    people.disable(Principal.objects.get(name=gone), caller=staff.caller("omar"), now=clock.now())
    answer = doors.Service().decide("lea", approval, "approve", request_id="r2")
    assert answer.body["approval_status"] == "pending"


def test_who_leaves_loses_tokens_claims_and_delegations(legal: Job) -> None:
    given, got = give("mei", "rui"), give("lea", "mei")
    token_service.create(
        Principal.objects.get(name="mei"), allow=["read"], caller=staff.caller("mei"),
        now=clock.now(), expires_at=None, label="x",
    )  # fmt: skip
    mei = Principal.objects.get(name="mei")
    Claim.objects.create(subject="a", holder=mei, since=clock.now(), until=clock.now() + DAY)
    people.disable(mei, caller=staff.caller("omar"), now=clock.now())
    for row in (given, got):
        row.refresh_from_db()
        assert (row.ended_at is not None, row.ended_by) == (True, "omar")
    assert not mei.tokens.filter(revoked_at__isnull=True).exists()
    assert not Claim.objects.exists()


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"delegate": "ada"}, "delegate"),
        ({"delegate": "mei"}, "delegate"),
        ({"ends_at": -DAY}, "ends_at"),
        ({"ends_at": 367 * DAY}, "ends_at"),
        ({"starts_at": 2 * DAY}, "ends_at"),
    ],
)
def test_what_cannot_be_lent_is_refused_by_name(
    legal: Job, given: dict[str, Any], field: str
) -> None:
    now = clock.now()
    times = {key: now + value for key, value in given.items() if key != "delegate"}
    with pytest.raises(InvalidInput) as refused:
        give("mei", given.get("delegate", "rui"), **times)
    assert refused.value.field == field


@pytest.mark.parametrize(("giver", "by"), [("mei", "rui"), ("ada", "ada"), ("mei", "ada")])
def test_nobody_lends_what_is_not_theirs(legal: Job, giver: str, by: str) -> None:
    with pytest.raises(NotAllowed):
        give(giver, "lea", by=by)


def test_an_admin_sets_it_up_for_others_and_ends_it(legal: Job) -> None:
    row = give("mei", "rui", by="omar")
    assert row.by == "omar"
    with pytest.raises(NotAllowed):
        delegations.end(row.pk, caller=staff.caller("lea"), now=clock.now())
    assert delegations.end(row.pk, caller=staff.caller("omar"), now=clock.now()).ended_by == "omar"


def test_those_of_another_space_are_not_found(legal: Job) -> None:
    staff.add("eve", "reviewer", scope="elsewhere")
    row = give("mei", "rui")
    refused: type[ImprimaturError] = NotFound
    with pytest.raises(refused):
        delegations.end(row.pk, caller=staff.caller("eve"), now=clock.now())
