"""verify finds rows that no longer say what was asked, answered and done: planted one by one."""

import json
from typing import Any

import pytest
from django.db import connection

from publisher.domain.states import State
from publisher.models import Job, Revision, Transition, guards, triggers
from publisher.ports import Source
from reviews import audit_exact
from reviews.models import Approval, Principal
from reviews.models import triggers as reviews_triggers
from tests.support.journey import FRESH, FRESH_TEXT, Journey
from tests.support.planted import found, write

OTHER = "sha256:" + "1" * 64


@pytest.fixture
def published(journey: Journey) -> Job:
    """A published job of a healthy installation."""
    job = journey.published(FRESH_TEXT, FRESH, action="create")
    assert found(journey, deep=True) == set()
    return job


def _envelope(**changes: Any) -> str:
    envelope = Approval.objects.get().envelope
    return json.dumps({**envelope, **changes})


def test_an_envelope_with_another_branch(journey: Journey, published: Job) -> None:
    target = {**Approval.objects.get().envelope["target"], "branch": "elsewhere"}
    write("UPDATE reviews_approval SET envelope = %s", _envelope(target=target))
    assert found(journey) == {("envelope_changed", published.pk)}


@pytest.mark.parametrize("junk", ["[1]", "{}", '{"payload_hash": 7}'])
def test_an_envelope_that_is_none(journey: Journey, published: Job, junk: str) -> None:
    write("UPDATE reviews_approval SET envelope = %s", junk)
    rules = {rule for rule, _ in found(journey)}
    assert rules & {"envelope_changed", "row_unreadable"}


def test_an_envelope_that_only_the_exact_spelling_can_hash_is_no_breach(journey: Journey) -> None:
    text = FRESH_TEXT.replace(b"Fresh", "Größe \U0001f600 \u2028".encode())
    journey.published(text, "content/posts/größe-\U0001f600.mdx", action="create")
    assert found(journey) == set()


def test_a_rejection_that_nobody_made(journey: Journey, published: Job) -> None:
    write("UPDATE reviews_approval SET status = 'rejected'")
    assert found(journey) == {("approval_changed", published.pk)}


def test_a_job_on_its_way_that_was_recorded_by_hand_and_never_asked_about(
    journey: Journey, published: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(audit_exact, "was_recorded", lambda *_asked: True)
    state = State.PUSHING.value
    write(f"UPDATE publisher_job SET state = '{state}', binding_hash = %s", OTHER)
    assert "row_unreadable" not in {rule for rule, _ in found(journey)}


def test_a_decision_of_somebody_else(journey: Journey, published: Job) -> None:
    nobody = Principal.objects.exclude(decisions__isnull=False).exclude(name="ada").first()
    assert nobody is not None
    write("UPDATE reviews_decision SET actor_id = %s", nobody.pk)
    assert ("decision_changed", published.pk) in found(journey)


@pytest.mark.parametrize("column", ["external_id", "manifest_hash"])
def test_a_receipt_of_something_else(journey: Journey, published: Job, column: str) -> None:
    other = "1" * 40 if column == "external_id" else OTHER
    write(f"UPDATE publisher_effect SET {column} = %s", other)
    assert found(journey) == {("receipt_differs", published.pk)}


@pytest.mark.parametrize(
    ("column", "rule"),
    [
        ("manifest_hash", "receipt_differs"),
        ("payload_hash", "receipt_differs"),
        ("payload_hash", "job_changed"),
        ("target_path", "job_changed"),
        ("requester", "requester_differs"),
        ("scope", "job_changed"),
    ],
)
def test_a_job_that_is_no_longer_what_was_bound(
    journey: Journey, published: Job, column: str, rule: str
) -> None:
    write(f"UPDATE publisher_job SET {column} = %s", OTHER)
    assert (rule, published.pk) in found(journey)


@pytest.mark.parametrize("column", ["manifest_hash", "payload_hash", "target_path", "requester"])
def test_a_waiting_job_that_is_no_longer_what_was_asked(journey: Journey, column: str) -> None:
    job = journey.submit(FRESH_TEXT, FRESH, action="create")
    journey.work()
    write(f"UPDATE publisher_job SET {column} = %s", OTHER)
    assert job.pk in {subject for _, subject in found(journey)}


def test_a_revision_that_is_gone(journey: Journey, published: Job) -> None:
    write("DELETE FROM publisher_revision")
    assert ("revision_missing", published.pk) in found(journey)


def test_an_earlier_revision_that_is_gone(journey: Journey, published: Job) -> None:
    write("UPDATE publisher_revision SET number = 2")
    write("UPDATE publisher_job SET revision = 2")
    assert ("revision_missing", published.pk) in found(journey)


def test_a_text_that_was_exchanged(journey: Journey, published: Job) -> None:
    write("UPDATE publisher_revision SET content = %s", published.manifest_artifact)
    assert found(journey) == {("revision_changed", published.pk)}
    write("UPDATE publisher_revision SET content = ''")
    assert found(journey) == {("revision_changed", published.pk)}


def test_sources_have_no_text_of_their_own(journey: Journey) -> None:
    job = journey.submit(sources=(Source("notes", "Some notes about the garden."),), title="Garden")
    journey.work()
    assert Revision.objects.get(job=job).content == ""
    assert found(journey) == set()


def test_moves_that_were_added_or_taken_away(journey: Journey, published: Job) -> None:
    moves = ("moves_differ", "publisher_transition")
    Transition.objects.create(source="RECEIVED", target="PUBLISHED")
    assert found(journey) == {moves}
    triggers.sync_moves()
    assert found(journey) == set()
    Transition.objects.filter(source="REVIEW").delete()
    assert found(journey) == {moves}
    triggers.sync_moves()


ON_SQLITE = {
    "guard_job_move": "BEFORE UPDATE OF state ON publisher_job BEGIN SELECT 1; END",
    "guard_jobevent_update": "BEFORE UPDATE ON publisher_jobevent BEGIN SELECT 1; END",
    "guard_reviews_decision_delete": "BEFORE DELETE ON reviews_decision BEGIN SELECT 1; END",
}
NO_FUNCTION = "() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$"
ON_POSTGRESQL = {
    "guard_job_move": f"CREATE OR REPLACE FUNCTION imprimatur_job_move{NO_FUNCTION}",
    "guard_jobevent_update": f"""
        CREATE FUNCTION does_nothing{NO_FUNCTION};
        CREATE OR REPLACE TRIGGER guard_jobevent_update BEFORE UPDATE ON publisher_jobevent
        FOR EACH ROW EXECUTE FUNCTION does_nothing()""",
    "guard_reviews_decision_delete": """
        SET CONSTRAINTS ALL IMMEDIATE;
        ALTER TABLE reviews_decision DISABLE TRIGGER guard_reviews_decision_delete""",
}


@pytest.mark.parametrize("name", list(ON_SQLITE))
def test_a_guard_of_the_same_name_that_does_nothing(
    journey: Journey, published: Job, name: str
) -> None:
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute(f"DROP TRIGGER {name}")
            cursor.execute(f"CREATE TRIGGER {name} {ON_SQLITE[name]}")
        else:
            cursor.execute(ON_POSTGRESQL[name])
    assert found(journey) == {("guard_changed", name)}
    triggers.install()
    reviews_triggers.install()
    assert found(journey) == set()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("WHEN NOT (a OR b)", "WHEN NOT a OR b"),
        ("WHEN state = 'DONE'", "WHEN state = 'done'"),
        ("WHEN state = 'a  b'", "WHEN state = 'a b'"),
        ("WHEN a AND (b OR c)", "WHEN (a AND b) OR c"),
    ],
)
def test_a_guard_with_another_condition_is_another_guard(one: str, other: str) -> None:
    text = "CREATE TRIGGER IF NOT EXISTS g BEFORE UPDATE ON t {} BEGIN SELECT 1; END"
    plain = guards._plain
    assert plain(text.format(one)) != plain(text.format(other))
    kept = text.format(one.replace(" ", "\n ", 1)).replace("IF NOT EXISTS ", "")
    assert plain(text.format(one)) == plain(kept)
