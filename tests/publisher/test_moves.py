"""Jobs move along the table and no other way, each with what its move needs; the database agrees."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.db import DatabaseError, transaction

from publisher import journal
from publisher.domain.errors import IllegalMove
from publisher.domain.states import (
    CLAIMABLE,
    MAY_HOLD_INTENT,
    TERMINAL,
    TRANSITIONS,
    WORKING,
    Actor,
    Event,
    Lane,
    Move,
    State,
    find,
)
from publisher.journal import FENCED, Who
from publisher.models import Job, JobEvent, Transition
from publisher.models.triggers import missing
from tests.support import jobs, moves
from tests.support.jobs import NOW
from tests.support.moves import at, row, told

pytestmark = pytest.mark.django_db

MOVES = [move for move in TRANSITIONS if move.source is not None]
TAKEN = {(move.source, move.event, move.target) for move in MOVES}
PAIRS = {(move.source, move.target) for move in MOVES}


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
                journal.record(
                    here[lane], event, who=Who(actor), now=NOW, to=target, guard=lambda _: None
                )
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
        with transaction.atomic():
            moves.before(job, move)
            if legal:
                taken += 1
                is_taken_whole(job, move, actor)
            else:
                with pytest.raises(IllegalMove):
                    take(job, move, actor)
                assert told(job) == 0
            transaction.set_rollback(True)
    assert taken >= len(move.actors) * len(move.lanes)


def take(job: Job, move: Move, actor: Actor) -> JobEvent:
    """The move with all that its maker writes."""
    told = moves.written(move)
    return journal.record(
        job, move.event, who=Who(actor), now=NOW, to=move.target, guard=moves.guard(move),
        reason=told.reason, **told.facts,
    )  # fmt: skip


def is_taken_whole(job: Job, move: Move, actor: Actor) -> None:
    """State, columns, facts and rows came together, and no open write is left where none may be."""
    wanted = moves.written(move)
    seq = take(job, move, actor).seq
    entry = JobEvent.objects.get(job=job, seq=seq)
    assert move.source is not None
    assert (job.state, job.state_version) == (move.target.value, 1)
    assert (entry.source, entry.event, entry.target) == (move.source, move.event, move.target)
    assert (entry.facts, entry.reason) == (wanted.facts, wanted.reason)
    assert (job.event_seq, job.event_hash) == (1, entry.hash)
    assert (job.finished_at is not None) == (move.target in TERMINAL)
    assert wanted.columns.items() <= row(job).items()
    statuses = set(job.effects.values_list("status", flat=True))
    assert not wanted.ends or statuses <= {wanted.ends}
    assert wanted.ends not in ("intent", "confirmed") or statuses
    assert move.target in MAY_HOLD_INTENT or not statuses & {"intent", "unknown"}
    assert wanted.row_of is None or wanted.row_of.objects.filter(job=job).count() == 1


def test_the_table_of_what_is_written_has_each_event() -> None:
    assert set(moves.BY_EVENT) == set(Event) - {Event.SUBMIT}


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


@pytest.mark.parametrize("left", ["", *sorted(WORKING | {State.DISPATCHING})])
def test_a_wait_ends_nowhere_but_where_it_began(left: str) -> None:
    others = [move for move in MOVES if move.event is Event.RESUME and move.target != left]
    assert len(others) >= len(WORKING)
    waiting = {lane: at(State.RETRY_WAIT, lane) for lane in Lane}
    Job.objects.update(resume_state=left)
    for move in others:
        job = waiting[min(move.lanes)]
        with pytest.raises(IllegalMove):
            take(job, move, Actor.WORKER)
        assert (row(job)["state"], told(job)) == ("RETRY_WAIT", 0)


@pytest.mark.parametrize("move", [one for one in MOVES if one.target in FENCED], ids=name_of)
def test_nothing_gets_behind_the_fence_without_a_guard(move: Move) -> None:
    assert move.source is not None
    job = at(move.source, min(move.lanes))
    moves.before(job, move)
    with pytest.raises(IllegalMove):
        journal.record(job, move.event, who=jobs.WORKER, now=NOW, to=move.target)
    assert (row(job)["state"], told(job)) == (move.source.value, 0)


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
