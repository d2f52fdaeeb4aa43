"""verify names a row that holds what no row can, and goes on with all the others."""

import json
from pathlib import Path

import pytest
from django.db import connection

from publisher.engine.reconcile import seals
from publisher.models import Job, Outbox
from tests.support.journey import FRESH, FRESH_TEXT, Journey
from tests.support.planted import found, write

JUNK = ["[1]", "{}", '"text"', "null", "7", '{"approval": "x"}', '{"approval": 1e30}']


@pytest.fixture
def published(journey: Journey) -> Job:
    """A published job of a healthy installation."""
    job = journey.published(FRESH_TEXT, FRESH, action="create")
    assert found(journey) == set()
    return job


@pytest.fixture
def other(journey: Journey, published: Job) -> tuple[str, str]:
    """A breach in the last check of all, which has to be found besides."""
    job = journey.submit(FRESH_TEXT, "content/posts/other-one.mdx", action="create")
    journey.work()
    write("UPDATE reviews_approval SET status = 'void' WHERE job_id = %s", job.pk)
    return ("stuck", job.pk)


@pytest.mark.parametrize("junk", JUNK)
def test_a_target_that_names_no_approval(
    journey: Journey, published: Job, other: tuple[str, str], junk: str
) -> None:
    write("UPDATE publisher_effect SET target = %s", junk)
    assert {("unapproved_write", published.pk), other} <= found(journey)


@pytest.mark.parametrize("junk", JUNK)
def test_a_message_that_names_no_site(
    journey: Journey, published: Job, other: tuple[str, str], junk: str
) -> None:
    write("UPDATE publisher_outbox SET payload = %s WHERE kind = 'site_fetch'", junk)
    rows = Outbox.objects.filter(kind="site_fetch").values_list("pk", flat=True)
    told = {("row_unreadable", f"publisher_outbox {key}") for key in rows}
    is_object = junk.startswith("{")
    assert found(journey) >= {other} | (set() if is_object else told)


@pytest.mark.parametrize("column", ["manifest_hash", "external_id", "request_hash"])
def test_a_write_with_a_hash_that_is_none(
    journey: Journey, published: Job, other: tuple[str, str], column: str
) -> None:
    write(f"UPDATE publisher_effect SET {column} = 'junk'")
    assert other in found(journey)


def test_a_job_with_a_binding_hash_that_is_none(
    journey: Journey, published: Job, other: tuple[str, str]
) -> None:
    write("UPDATE publisher_job SET binding_hash = 'junk' WHERE id = %s", published.pk)
    assert {("job_changed", published.pk), other} <= found(journey)


@pytest.mark.parametrize("junk", ["no date", "2026-13-45 00:00:00", ""])
def test_an_event_at_no_time(
    journey: Journey, published: Job, other: tuple[str, str], junk: str
) -> None:
    if connection.vendor == "postgresql":  # its columns hold times alone
        junk = "infinity"
    write("UPDATE publisher_jobevent SET at = %s WHERE seq = 4 AND job_id = %s", junk, published.pk)
    assert {("event_changed", published.pk), other} <= found(journey)


@pytest.mark.parametrize("junk", JUNK)
def test_facts_that_are_none(
    journey: Journey, published: Job, other: tuple[str, str], junk: str
) -> None:
    write("UPDATE publisher_jobevent SET facts = %s WHERE job_id = %s", junk, published.pk)
    assert {("event_changed", published.pk), other} <= found(journey)


@pytest.mark.parametrize("junk", ["[1]", "7", '{"a": 1}', '{"a": [1]}', '{"a": ["x", "y"]}'])
def test_heads_that_are_none(
    journey: Journey,
    published: Job,
    other: tuple[str, str],
    junk: str,
    tmp_path: Path,
    settings: object,
) -> None:
    settings.IMPRIMATUR_DATA_DIR = tmp_path  # type: ignore[attr-defined]
    seals.run(journey.ports)
    write("UPDATE publisher_seal SET heads = %s", junk)
    assert {("seal_changed", "seal 1"), other} <= found(journey)


def test_rules_that_are_none(journey: Journey, published: Job, other: tuple[str, str]) -> None:
    write("UPDATE reviews_policy SET rules = %s", json.dumps(["no rules"]))
    write("DELETE FROM reviews_decision")
    rules = {rule for rule, _ in found(journey)}
    assert "row_unreadable" in rules
    assert other in found(journey)


def test_json_that_is_none_ends_its_own_check_alone(
    journey: Journey, published: Job, other: tuple[str, str]
) -> None:
    if connection.vendor == "postgresql":
        assert connection.features.has_native_json_field  # it holds no other text
        return
    write("UPDATE publisher_effect SET target = 'nothing of JSON'")
    rules = found(journey)
    assert other in rules
    assert ("check_failed", "covered writes") in rules
