"""verify names what cannot even be fetched from a database, and checks all other rows."""

from typing import Any

import pytest
from django.db import connection
from django.db.models import QuerySet

from publisher.engine.audit.verify import verify
from publisher.models import Effect, Job, JobEvent
from reviews.models import Approval, Decision
from tests.support.git import git, second_person
from tests.support.journey import FRESH, FRESH_TEXT, Journey
from tests.support.planted import found, write
from tests.support.spoil import spoil

BAD_TEXT = [
    ("publisher_jobevent", "reason"),
    ("publisher_job", "title"),
    ("publisher_job", "requester"),
    ("publisher_effect", "target"),
    ("reviews_decision", "comment"),
    ("reviews_approval", "envelope"),
]
ODD_TIMES = [
    ("publisher_job", "not_before"),
    ("publisher_jobevent", "at"),
    ("reviews_approval", "valid_until"),
    ("reviews_decision", "at"),
]


@pytest.fixture
def published(journey: Journey) -> Job:
    """A published job, and another one of which an event was forged, that has to be found besides."""
    job = journey.published(FRESH_TEXT, FRESH, action="create")
    other = journey.submit(FRESH_TEXT, "content/posts/other-one.mdx", action="create")
    write("UPDATE publisher_jobevent SET reason = 'forged' WHERE job_id = %s AND seq = 1", other.pk)
    write("UPDATE publisher_job SET title = 'Forged' WHERE id = %s", other.pk)
    assert found(journey) == {("event_changed", other.pk)}
    return job


def _key(table: str, job: Job) -> object:
    """One row of the published job."""
    rows: dict[str, QuerySet[Any]] = {
        "publisher_job": Job.objects.filter(pk=job.pk),
        "publisher_jobevent": JobEvent.objects.filter(job=job.pk, event="approve"),
        "publisher_effect": Effect.objects.filter(job=job.pk),
        "reviews_approval": Approval.objects.filter(job=job.pk),
        "reviews_decision": Decision.objects.filter(approval__job=job.pk),
    }
    return rows[table].get().pk


def _is_named(journey: Journey, job: Job, table: str, key: object) -> bool:
    """The row by its table and key, or by its job; and the other job's breach."""
    breaches = verify(journey.ports)
    others = {breach.subject for breach in breaches if breach.rule == "event_changed"} - {job.pk}
    told = {(breach.rule, breach.subject) for breach in breaches}
    names = {
        ("row_unreadable", f"{table} {key}"),
        ("row_unreadable", f"{table} of {job.pk}"),
        ("event_changed", job.pk),
    }
    return len(others) == 1 and bool(names & told)


@pytest.mark.parametrize(("table", "column"), ODD_TIMES)
def test_a_time_that_no_program_can_read(
    journey: Journey, published: Job, table: str, column: str
) -> None:
    key = _key(table, published)
    spoil(table, column, key)
    assert _is_named(journey, published, table, key)


@pytest.mark.parametrize(("table", "column"), BAD_TEXT)
def test_text_that_is_none(journey: Journey, published: Job, table: str, column: str) -> None:
    if connection.vendor == "postgresql":  # it keeps no such text
        assert connection.features.has_native_json_field
        return
    key = _key(table, published)
    write(f"UPDATE {table} SET {column} = CAST(x'ff' AS TEXT) WHERE id = %s", key)
    assert _is_named(journey, published, table, key)


def test_a_job_asked_for_at_no_time_hides_no_commit(journey: Journey, published: Job) -> None:
    message = git(journey.remote, "log", "-1", "--format=%B", published.remote_commit).decode()
    second_person(journey.remote, {"b.md": b"x"}, message.strip())
    spoil("publisher_job", "created_at", published.pk)
    told = found(journey)
    assert {("row_unreadable", f"publisher_job {published.pk}")} < told
    assert {("second_commit", published.pk), ("forged_commit", published.pk)} <= told
