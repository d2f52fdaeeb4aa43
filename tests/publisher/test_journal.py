"""The journal writes whole events of whoever still has the right, and nobody changes them."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction

from publisher import journal, selectors
from publisher.domain.errors import IllegalMove, InvalidInput, StaleWorker
from publisher.domain.states import (
    Actor,
    Event,
    Lane,
)
from publisher.journal import Lease, Message, Who
from publisher.models import Job, JobEvent, Outbox
from tests.support import jobs
from tests.support.jobs import NOW
from tests.support.moves import row, told

pytestmark = pytest.mark.django_db

ADA = Who(Actor.SUBMITTER, "ada")


@pytest.mark.parametrize("actor", Actor)
def test_only_submitters_and_operators_begin_a_job(actor: Actor) -> None:
    job = Job(
        id=f"job-{actor}", site=jobs.site(), kind="blog.publish/v1", lane=Lane.PUBLISH.value,
        scope="default", requester="ada", available_at=NOW, created_at=NOW, updated_at=NOW,
    )  # fmt: skip
    if actor in (Actor.SUBMITTER, Actor.OPERATOR):
        journal.begin(job, who=Who(actor, "ada"), now=NOW)
        assert (job.state, told(job)) == ("RECEIVED", 1)
    else:
        with pytest.raises(IllegalMove):
            journal.begin(job, who=Who(actor, "ada"), now=NOW)
        assert not Job.objects.filter(pk=job.pk).exists()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE publisher_jobevent SET reason = 'another'",
        "DELETE FROM publisher_jobevent",
        "DELETE FROM publisher_revision",
        "DELETE FROM publisher_job",
        "UPDATE publisher_job SET state = 'PUBLISHED'",
    ],
)
def test_history_cannot_be_changed_by_plain_sql(statement: str) -> None:
    jobs.received()
    before = list(JobEvent.objects.values())
    with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)
    assert list(JobEvent.objects.values()) == before
    assert Job.objects.get().state == "RECEIVED"


def test_an_effect_cannot_be_deleted() -> None:
    jobs.with_intent(jobs.waiting())
    with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("DELETE FROM publisher_effect")


def test_each_event_carries_the_hash_of_the_one_before() -> None:
    job = jobs.waiting()
    events = selectors.events(job)
    assert len(events) == 3
    before = ""
    for entry in events:
        assert entry.previous_hash == before
        assert entry.hash == journal.event_hash(entry)
        before = entry.hash
    assert job.event_hash == before


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("reason", "another"),
        ("actor_name", "eve"),
        ("target", "PUBLISHED"),
        ("facts", {"commit": "0" * 40}),
        ("at", NOW + timedelta(microseconds=1)),
        ("previous_hash", "sha256:" + "0" * 64),
        ("seq", 7),
    ],
)
def test_the_hash_of_an_event_covers_each_of_its_columns(column: str, value: Any) -> None:
    entry = selectors.events(jobs.received())[0]
    setattr(entry, column, value)
    assert journal.event_hash(entry) != entry.hash


@pytest.mark.parametrize("column", ["state_version", "generation"])
def test_a_row_that_was_seen_before_a_change_writes_nothing(column: str) -> None:
    job = jobs.received()
    Job.objects.filter(pk=job.pk).update(**{column: getattr(job, column) + 1})
    before, events = row(job), told(job)
    with pytest.raises(StaleWorker):
        journal.record(job, Event.PREPARE, who=jobs.WORKER, now=NOW)
    with pytest.raises(StaleWorker):
        journal.note(job, "seen", who=jobs.WORKER, now=NOW)
    assert (row(job), told(job)) == (before, events)


@pytest.mark.parametrize(
    "columns",
    [
        {"owner": "another"},
        {"lease_until": None},
        {"lease_until": NOW},
        {"lease_until": NOW - timedelta(seconds=1)},
    ],
    ids=["owner", "no lease", "ends now", "over"],
)
def test_a_worker_that_lost_its_lease_writes_nothing(columns: dict[str, Any]) -> None:
    job = jobs.received()
    held = {"owner": "me", "lease_until": NOW + timedelta(seconds=9), **columns}
    Job.objects.filter(pk=job.pk).update(**held)
    before, events = row(job), told(job)
    lease = Lease(job.pk, "me", job.generation)
    with pytest.raises(StaleWorker):
        journal.record(job, Event.PREPARE, who=jobs.WORKER, now=NOW, lease=lease)
    with pytest.raises(StaleWorker):
        journal.note(job, "seen", who=jobs.WORKER, now=NOW, lease=lease)
    assert (row(job), told(job)) == (before, events)


def test_a_lease_of_an_older_generation_writes_nothing() -> None:
    job = jobs.received()
    Job.objects.filter(pk=job.pk).update(
        owner="me", lease_until=NOW + timedelta(seconds=9), generation=2
    )
    job.refresh_from_db()
    with pytest.raises(StaleWorker):
        journal.record(job, Event.PREPARE, who=jobs.WORKER, now=NOW, lease=Lease(job.pk, "me", 1))
    assert row(job)["state"] == "RECEIVED"


def test_a_guard_that_refuses_leaves_nothing() -> None:
    job = jobs.received()
    before, events = row(job), told(job)

    def guard(fresh: Job) -> None:
        jobs.with_intent(fresh)
        raise InvalidInput("x", "No.")

    with pytest.raises(InvalidInput):
        journal.record(
            job, Event.PREPARE, who=jobs.WORKER, now=NOW, guard=guard,
            messages=[Message("m1", "site_fetch")],
        )  # fmt: skip
    assert (row(job), told(job)) == (before, events)
    assert not job.effects.exists()
    assert not Outbox.objects.filter(pk="m1").exists()


def test_columns_that_a_guard_adds_are_written_with_the_move() -> None:
    job = jobs.received()
    journal.record(
        job, Event.PREPARE, who=jobs.WORKER, now=NOW, guard=lambda _: {"attempt": 3},
        changes={"attempt": 1},
    )  # fmt: skip
    assert (job.state, job.attempt) == ("PREPARING", 3)


def test_a_note_never_moves_a_job() -> None:
    job = jobs.received()
    entry = journal.note(job, "seen", who=ADA, now=NOW)
    assert (entry.target, job.state, job.state_version) == ("", "RECEIVED", 0)
    with pytest.raises(IllegalMove):
        journal.note(job, "seen", who=ADA, now=NOW, changes={"state": "PUBLISHED"})
    assert (job.state, told(job)) == ("RECEIVED", 2)


def test_a_reason_is_kept_without_its_secrets() -> None:
    job = jobs.received()
    secret = "ghp_" + "a1B2" * 9
    journal.note(job, "seen", who=ADA, now=NOW, reason=f"the token {secret} leaked")
    assert secret not in selectors.events(job)[-1].reason


def test_the_same_message_is_sent_once() -> None:
    job = jobs.received()
    for _ in range(2):
        journal.note(job, "seen", who=ADA, now=NOW, messages=[Message("m1", "site_fetch")])
    assert Outbox.objects.filter(pk="m1").count() == 1


@pytest.mark.django_db
def test_no_credential_reaches_a_fact_or_a_failures_message() -> None:
    job = jobs.received()
    needle = "ghp_" + "a1B2" * 9
    journal.note(
        job, "probed", who=jobs.WORKER, now=NOW, reason=needle, changes={"failure_message": needle},
        found={"text": [needle]},
    )  # fmt: skip
    event = JobEvent.objects.filter(job=job).latest("seq")
    assert needle not in str(event.facts) + event.reason + job.failure_message
    assert "REDACTED" in event.facts["found"]["text"][0]


def test_the_callers_copy_equals_the_row_after_a_move_and_after_a_note() -> None:
    job = jobs.received()
    assert row(job) == {name: getattr(job, name) for name in row(job)}
    worker = Who(Actor.WORKER, "w1")
    journal.record(
        job, Event.PREPARE, who=worker, now=NOW, changes={"deadline_at": NOW + timedelta(hours=1)}
    )
    assert row(job) == {name: getattr(job, name) for name in row(job)}
    token = "token=ghp_" + "a1B2" * 9
    journal.note(job, "said", who=worker, now=NOW, changes={"failure_message": token, "attempt": 3})
    assert job.attempt == 3
    assert row(job) == {name: getattr(job, name) for name in row(job)}


def test_a_note_that_raises_the_generation_is_told_under_the_new_one() -> None:
    job = jobs.received()
    entry = journal.note(
        job, "claimed", who=Who(Actor.WORKER, "w1"), now=NOW, changes={"generation": 4}
    )
    assert (entry.generation, job.generation) == (4, 4)
