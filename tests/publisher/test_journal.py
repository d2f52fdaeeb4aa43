"""The journal moves a job along the table and no other way; the database says the same."""

import hashlib
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction

from publisher import journal, selectors
from publisher.domain.errors import IllegalMove, InvalidInput, StaleWorker
from publisher.domain.states import (
    CLAIMABLE,
    TERMINAL,
    TRANSITIONS,
    Actor,
    Event,
    Lane,
    Move,
    State,
    find,
)
from publisher.journal import Lease, Message, Who
from publisher.models import Job, JobEvent, Outbox, Transition
from publisher.models.triggers import missing
from tests.support import jobs
from tests.support.jobs import NOW

pytestmark = pytest.mark.django_db

MOVES = [move for move in TRANSITIONS if move.source is not None]
TAKEN = {(move.source, move.event, move.target) for move in MOVES}
PAIRS = {(move.source, move.target) for move in MOVES}
ADA = Who(Actor.SUBMITTER, "ada")


def at(state: State, lane: Lane = Lane.PUBLISH) -> Job:
    """A row that is in this state from its first moment; nothing else of it matters here."""
    number = hashlib.sha256(f"{state}{lane}".encode()).hexdigest()[:20]
    return Job.objects.create(
        id=f"job-{number}",
        site=jobs.site(),
        kind="blog.publish/v1",
        lane=lane.value,
        scope="default",
        requester="ada",
        state=state.value,
        available_at=NOW,
        created_at=NOW,
        updated_at=NOW,
    )


def told(job: Job) -> int:
    return JobEvent.objects.filter(job=job).count()


def row(job: Job) -> dict[str, Any]:
    return dict(Job.objects.filter(pk=job.pk).values().get())


def lane_and_actor(number: int) -> tuple[Lane, Actor]:
    """Each combination in turn."""
    return list(Lane)[number % len(Lane)], list(Actor)[number // len(Lane) % len(Actor)]


def name_of(move: Move) -> str:
    return f"{move.source}-{move.event}-{move.target}"


@pytest.mark.parametrize("source", State)
def test_no_event_leads_where_the_table_does_not(source: State) -> None:
    here = {lane: at(source, lane) for lane in Lane}
    before = {lane: row(job) for lane, job in here.items()}
    tried = 0
    for event in Event:
        for target in State:
            if (source, event, target) in TAKEN:
                continue
            lane, actor = lane_and_actor(tried)
            tried += 1
            with pytest.raises(IllegalMove):
                journal.record(here[lane], event, who=Who(actor), now=NOW, to=target)
    assert tried == len(Event) * len(State) - sum(taken[0] is source for taken in TAKEN)
    for lane, job in here.items():
        assert row(job) == before[lane]
        assert told(job) == 0


def tries(move: Move) -> Iterator[tuple[Lane, Actor, bool]]:
    """Every lane and actor, and whether a row of the table allows it."""
    assert move.source is not None
    for lane in Lane:
        for actor in Actor:
            legal = find(move.source, move.event, move.target, actor=actor, lane=lane) is not None
            yield lane, actor, legal


@pytest.mark.parametrize("move", MOVES, ids=name_of)
def test_each_move_of_the_table_is_for_its_actors_and_lanes_alone(move: Move) -> None:
    assert move.source is not None
    here = {lane: at(move.source, lane) for lane in Lane}
    taken = 0
    for lane, actor, legal in tries(move):
        job = Job.objects.get(pk=here[lane].pk)
        if not legal:
            with pytest.raises(IllegalMove):
                journal.record(job, move.event, who=Who(actor), now=NOW, to=move.target)
            assert told(job) == 0
            continue
        taken += 1
        with transaction.atomic():
            entry = journal.record(job, move.event, who=Who(actor), now=NOW, to=move.target)
            assert (job.state, job.state_version) == (move.target.value, 1)
            assert (entry.source, entry.target) == (move.source.value, move.target.value)
            assert (job.event_seq, job.event_hash) == (1, entry.hash)
            assert (job.finished_at is not None) == (move.target in TERMINAL)
            transaction.set_rollback(True)
    assert taken >= len(move.actors) * len(move.lanes)


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


@pytest.mark.parametrize("source", State)
def test_the_database_itself_refuses_moves_that_the_table_lacks(source: State) -> None:
    job = at(source)
    for target in State:
        if target is source:
            continue
        change = Job.objects.filter(pk=job.pk)
        if (source, target) in PAIRS:
            with transaction.atomic():
                assert change.update(state=target.value) == 1
                transaction.set_rollback(True)
        else:
            with pytest.raises(DatabaseError), transaction.atomic():
                change.update(state=target.value)
    assert row(job)["state"] == source.value


def test_the_table_in_the_database_is_the_one_in_the_program() -> None:
    stored = set(Transition.objects.values_list("source", "target"))
    assert stored == {(source.value, target.value) for source, target in PAIRS if source}
    assert missing() == set()


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


def test_an_event_with_several_targets_needs_one_named() -> None:
    job = at(State.RECOVERING)
    with pytest.raises(IllegalMove):
        journal.record(job, Event.RECOVER, who=jobs.WORKER, now=NOW)


@pytest.mark.parametrize("state", sorted(set(State) - CLAIMABLE))
def test_nobody_holds_a_job_where_no_worker_goes_on(state: State) -> None:
    move = next(move for move in MOVES if move.target is state and move.source)
    assert move.source is not None
    job = at(move.source, min(move.lanes))
    Job.objects.filter(pk=job.pk).update(owner="me", lease_until=NOW + timedelta(seconds=9))
    job.refresh_from_db()
    journal.record(job, move.event, who=Who(min(move.actors)), now=NOW, to=state)
    assert (job.owner, job.lease_until) == ("", None)


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
