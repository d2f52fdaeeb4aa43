"""What the table of moves says is written with an event is what the engine does write."""

from publisher.domain.states import Event, State
from publisher.models import Job, JobEvent
from tests.support import moves
from tests.support.git import second_person
from tests.support.journey import FRESH, FRESH_TEXT, TARGET, Journey, effect, fresh, told


def _told_of(job: Job) -> list[Event]:
    """The job's moves; each event holds the facts that the table names."""
    rows = JobEvent.objects.filter(job=job).exclude(target="").exclude(event=Event.SUBMIT.value)
    seen = []
    for entry in rows.order_by("seq"):
        event = Event(entry.event)
        missing = set(moves.BY_EVENT[event].facts) - set(entry.facts)
        assert not missing, f"{event} lacks {missing}"
        seen.append(event)
    return seen


def test_a_published_jobs_events_hold_their_facts(journey: Journey) -> None:
    job = journey.published(FRESH_TEXT, FRESH, action="create")
    assert _told_of(job) == [
        Event.PREPARE, Event.ASK, Event.APPROVE, Event.COMMIT, Event.COMMITTED, Event.DELIVER,
        Event.CONFIRM,
    ]  # fmt: skip
    assert effect(job).status == moves.BY_EVENT[Event.CONFIRM].ends


def test_a_clash_holds_its_facts_and_its_row(journey: Journey) -> None:
    job = journey.approved(FRESH_TEXT, TARGET, action="update")
    second_person(journey.remote, {TARGET: b"Quite another text.\n"}, "another text")
    journey.work()
    assert fresh(job).state == State.CONFLICT, told(job)
    assert Event.CLASH in _told_of(job)
    assert job.conflicts.count() == 1
