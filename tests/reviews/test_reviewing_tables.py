"""The reviewers' tables: what the database itself keeps of deputies, assignments and risk."""

from pathlib import Path
from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction

from publisher import clock
from publisher.models import Job
from reviews.models import Assignment, Decision, Delegation, triggers
from tests.support import doors, jobs, people
from tests.support.crash import install, warmed
from tests.support.databases import rows, write
from tests.support.reviewing_rows import assignment, delegation

pytestmark = pytest.mark.django_db


def refused(act: Any, *values: Any, **named: Any) -> bool:
    try:
        with transaction.atomic():
            act(*values, **named)
    except DatabaseError:
        return True
    return False


def test_a_delegation_is_never_taken_out_of_the_history(everybody: people.People) -> None:
    row = delegation("rui", "mei", now=clock.now())
    assert refused(row.delete)
    assert Delegation.objects.filter(pk=row.pk).update(ended_at=clock.now()) == 1
    assert triggers.missing() == set()


def test_nobody_stands_in_for_themselves_or_until_before_the_beginning(
    everybody: people.People,
) -> None:
    assert refused(delegation, "rui", "rui", now=clock.now())
    assert refused(delegation, "rui", "mei", now=clock.now(), days=0)


def test_a_job_is_given_to_a_person_or_a_group_and_once_to_each(job: Job) -> None:
    given: dict[str, Any] = {"by": "omar", "now": clock.now()}
    assignment(job, person="rui", **given)
    assignment(job, group="Legal", **given)
    assignment(job, person="mei", **given)
    assert refused(assignment, job, person="rui", **given)
    assert refused(assignment, job, group="Legal", **given)
    assert refused(assignment, job, person="rui", group="Legal", **given)
    assert refused(assignment, job, **given)
    assert Assignment.objects.count() == 3


def test_a_risk_is_one_that_is_known(job: Job) -> None:
    found = jobs.request_of(job)
    found.risk = "huge"
    assert refused(found.save)


def test_requests_that_wait_are_found_by_risk_and_age(job: Job) -> None:
    with connection.cursor() as cursor:
        found = connection.introspection.get_constraints(cursor, "reviews_approval")
    assert found["approval_by_risk"]["columns"] == ["risk", "opened_at"]


@pytest.mark.parametrize("column", ["on_behalf_of", "reauthenticated_at"])
def test_whose_weight_a_decision_had_is_never_changed(job: Job, column: str) -> None:
    assert doors.Service().decide("rui", jobs.request_of(job), "approve").code == ""
    row = Decision.objects.get()
    setattr(row, column, people.add("mei") if column == "on_behalf_of" else clock.now())
    assert refused(row.save)


def test_a_database_of_before_keeps_its_requests_decisions_and_what_was_shown(
    tmp_path: Path, database: str
) -> None:
    data = tmp_path / "live" / "var"
    with warmed(tmp_path, database) as here:
        install(tmp_path, database, here)
        here.command("migrate", "reviews", "0002", "--verbosity", "0")
        write(database, data, SHOWN)
        here.command("migrate", "--verbosity", "0")
        here.work()
        here.command("verify")
    assert rows(database, data, "SELECT status, risk FROM reviews_approval") == [
        ("done", "routine")
    ]
    kept = "SELECT decision, on_behalf_of_id, reauthenticated_at FROM reviews_decision"
    assert rows(database, data, kept) == [("approve", None, None)]
    shown = "SELECT part, view, base_sha256, content_sha256 FROM reviews_shown"
    assert rows(database, data, shown) == [("a.md", "", "", "")]


SHOWN = (
    "INSERT INTO reviews_shown (approval_id, actor_id, binding_hash, part, at) "
    "SELECT approval_id, actor_id, reviewed_hash, 'a.md', at FROM reviews_decision"
)
"""As the older release did."""
