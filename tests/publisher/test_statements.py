"""Statements: a composed one says what Django's own says, and converts as fields do."""

from datetime import UTC, datetime

import pytest
from django.db import connection, transaction
from django.forms.models import model_to_dict
from django.test.utils import CaptureQueriesContext

from publisher import statements
from publisher.models import Job, JobEvent, Site
from tests.support import jobs

pytestmark = pytest.mark.django_db
LATER = datetime(2026, 3, 1, 8, 30, 0, 123456, tzinfo=UTC)


def columns(row: Job | JobEvent) -> dict[str, object]:
    return {name: value for name, value in vars(row).items() if not name.startswith("_")}


def test_a_row_reads_as_django_reads_it() -> None:
    job = jobs.received()
    with transaction.atomic():
        found = statements.locked(Job, job.pk)
    assert columns(found) == columns(Job.objects.get(pk=job.pk))
    site = statements.read(Site, job.site_id)
    assert model_to_dict(site) == model_to_dict(Site.objects.get(pk=job.site_id))


def test_reading_locks_only_where_it_is_asked_to() -> None:
    job = jobs.received()
    with transaction.atomic(), CaptureQueriesContext(connection) as said:
        statements.read(Job, job.pk)
        statements.locked(Job, job.pk)
    locks = ["FOR UPDATE" in one["sql"] for one in said]
    assert locks == [False, connection.vendor == "postgresql"]


def test_a_row_that_is_not_there_is_told() -> None:
    with pytest.raises(Job.DoesNotExist):
        statements.read(Job, "none")


def test_rows_are_those_that_are_equal_in_the_order_of_their_keys() -> None:
    job, other = jobs.received(), jobs.received()
    found = statements.rows(JobEvent, job_id=job.pk)
    assert [columns(row) for row in found] == [
        columns(row) for row in JobEvent.objects.filter(job=job).order_by("pk")
    ]
    both = statements.rows(Job, site_id=job.site_id, state=job.state)
    assert {row.pk for row in both} >= {job.pk, other.pk}
    assert [row.pk for row in both] == sorted(row.pk for row in both)
    assert statements.rows(Job, site_id=job.site_id, state="no such state") == []


def test_a_change_is_made_where_the_row_is_still_as_it_was_seen() -> None:
    job = jobs.received()
    seen = {"id": job.pk, "generation": job.generation}
    written = {"generation": 7, "lease_until": LATER, "owner": "one's"}
    assert statements.change(Job, seen, written) == 1
    fresh = Job.objects.get(pk=job.pk)
    assert (fresh.generation, fresh.lease_until, fresh.owner) == (7, LATER, "one's")
    assert statements.change(Job, seen, {"owner": "another"}) == 0
    assert Job.objects.get(pk=job.pk).owner == "one's"


def test_a_new_row_knows_its_key_and_reads_back_the_same() -> None:
    job = jobs.received()
    entry = JobEvent(
        job_id=job.pk, seq=99, event="checked", actor="worker", at=LATER,
        facts={"zahl": 1.5, "worte": ["ä", None]},
    )  # fmt: skip
    with transaction.atomic():
        statements.add(entry)
        fresh = JobEvent.objects.get(pk=entry.pk)
        assert (fresh.at, fresh.facts, fresh.seq) == (LATER, entry.facts, 99)
        transaction.set_rollback(True)
