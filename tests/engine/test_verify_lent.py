"""verify knows who stood in for whom and who proved it: sound answers pass, planted ones are found."""

from datetime import timedelta

import pytest

from publisher import clock
from publisher.models import Job
from reviews import audit, audit_bound
from reviews.models import Delegation
from tests.support import doors, jobs, people
from tests.support.planted import write
from tests.support.reviewing_rows import delegation

pytestmark = pytest.mark.django_db
LENT = ("on_behalf_of_id", "reauthenticated_at")


@pytest.fixture
def stood_in() -> Job:
    """Rui approved it for Mei, with the password."""
    people.everybody()
    delegation("mei", "rui", now=clock.now())
    doors.set_rules(risk="risky")
    job = jobs.waiting(now=clock.now())
    answer = doors.Service().decide(
        "rui", jobs.request_of(job), "approve", on_behalf_of="mei", password=people.PASSWORD
    )
    assert answer.code == ""
    assert found() == set()
    return job


def found() -> set[tuple[str, str]]:
    told = [*audit.breaches(), *audit_bound.breaches_of("", "")]
    return {(rule, subject) for rule, subject, _why in told}


def test_an_answer_for_somebody_who_had_lent_nothing(stood_in: Job) -> None:
    Delegation.objects.update(ended_at=clock.now() - timedelta(days=1))
    assert found() == {("decision_changed", stood_in.pk)}


def test_an_answer_in_another_place_than_was_told(stood_in: Job) -> None:
    lea = people.add("lea", "reviewer")
    delegation("lea", "rui", now=clock.now() - timedelta(days=1))
    write("UPDATE reviews_decision SET on_behalf_of_id = %s", lea.pk)
    assert ("decision_changed", stood_in.pk) in found()


def test_a_proof_of_another_time_than_was_told(stood_in: Job) -> None:
    write("UPDATE reviews_decision SET reauthenticated_at = %s", clock.now())
    assert ("decision_changed", stood_in.pk) in found()


@pytest.mark.parametrize("columns", [("on_behalf_of_id",), ("reauthenticated_at",), LENT])
def test_a_weight_or_a_proof_that_was_told_and_is_gone(
    stood_in: Job, columns: tuple[str, ...]
) -> None:
    write(f"UPDATE reviews_decision SET {', '.join(f'{each} = NULL' for each in columns)}")
    assert found() == {("decision_changed", stood_in.pk)}


def test_a_yes_in_the_place_of_the_author(stood_in: Job) -> None:
    ada = people.add("ada", "reviewer")
    delegation("ada", "rui", now=clock.now() - timedelta(days=1))
    write("UPDATE reviews_decision SET on_behalf_of_id = %s", ada.pk)
    assert ("own_approval", stood_in.pk) in found()
