"""Decisions and edits of one job that meet."""

import pytest

from publisher.domain.errors import AlreadyDecided, Clash, StaleApproval, WrongState
from publisher.domain.states import State
from publisher.models import Job, JobEvent
from publisher.services.revise import revise
from reviews.models import Approval, Decision
from reviews.services.decisions import Outcome, decide
from tests.support import people
from tests.support.git import blob
from tests.support.journey import ADA, FRESH, FRESH_TEXT, Journey, fresh, told

SECOND_TEXT = FRESH_TEXT.replace(b"Body.", b"Another body.")


def _waiting(journey: Journey) -> tuple[Job, Approval]:
    job = journey.submit(FRESH_TEXT, FRESH, action="create")
    journey.work()
    return fresh(job), Approval.objects.select_related("job__site").get(job=job)


def _say_yes(journey: Journey, approval: Approval, request_id: str, name: str = "rui") -> Outcome:
    return decide(
        approval,
        caller=people.caller(name),
        decision="approve",
        reviewed_hash=approval.binding_hash,
        request_id=request_id,
        now=journey.now(),
    )


def _save(journey: Journey, job: Job, text: bytes) -> None:
    revise(job, files={FRESH: text}, base_revision=1, who=ADA, now=journey.now())


def test_a_save_before_the_yes_wins_and_the_yes_is_refused(journey: Journey) -> None:
    job, approval = _waiting(journey)
    _save(journey, job, SECOND_TEXT)
    with pytest.raises(Clash):
        _say_yes(journey, approval, "r")
    journey.work()
    with pytest.raises(Clash):
        _say_yes(journey, approval, "r")
    assert fresh(job).state == State.WAITING_APPROVAL, told(job)
    assert not Decision.objects.exists()
    journey.approve(job)
    journey.work()
    assert blob(journey.remote, FRESH) == SECOND_TEXT
    journey.is_sound(job)


def test_a_yes_before_the_save_wins_and_its_bytes_are_published(journey: Journey) -> None:
    job, approval = _waiting(journey)
    _say_yes(journey, approval, "r")
    with pytest.raises(WrongState):
        _save(journey, job, SECOND_TEXT)
    journey.work()
    assert fresh(job).state == State.PUBLISHED, told(job)
    assert fresh(job).binding_hash == approval.binding_hash
    assert blob(journey.remote, FRESH) == FRESH_TEXT
    journey.is_sound(job)


def test_an_old_hash_approves_no_new_version(journey: Journey) -> None:
    job, approval = _waiting(journey)
    _save(journey, job, SECOND_TEXT)
    journey.work()
    with pytest.raises(StaleApproval):
        journey.approve(job, reviewed_hash=approval.binding_hash)
    journey.work()
    assert fresh(job).state == State.WAITING_APPROVAL
    assert journey.commits_of(job) == []


def test_a_yes_sent_twenty_times_is_one_decision_and_one_commit(journey: Journey) -> None:
    job, approval = _waiting(journey)
    answers = {_say_yes(journey, approval, "click") for _ in range(20)}
    assert len(answers) == 1
    journey.work()
    assert _say_yes(journey, approval, "click") in answers
    assert Decision.objects.filter(approval=approval).count() == 1
    assert len(journey.commits_of(job)) == 1
    journey.is_sound(job)


def test_other_peoples_yes_after_the_first_is_told_who_decided(journey: Journey) -> None:
    names = ["rui", "mei", *(f"reviewer-{number}" for number in range(3))]
    for name in names[2:]:
        people.add(name, "reviewer")
    job, approval = _waiting(journey)
    _say_yes(journey, approval, "first")
    for number in range(20):
        with pytest.raises(AlreadyDecided) as refusal:
            _say_yes(journey, approval, f"later-{number}", names[number % len(names)])
        assert refusal.value.facts["who"] == "rui"
        assert refusal.value.facts["at"]
    journey.work()
    assert Decision.objects.count() == 1
    assert len(journey.commits_of(job)) == 1
    journey.is_sound(job)


def test_saving_the_same_bytes_keeps_the_request_and_its_hash(journey: Journey) -> None:
    job, approval = _waiting(journey)
    _save(journey, job, FRESH_TEXT)
    journey.work()
    assert fresh(job).revision == 1
    assert fresh(job).binding_hash == approval.binding_hash
    assert Approval.objects.get(job=job).status == "pending"
    assert JobEvent.objects.filter(job=job, event="no_change").count() == 1
    _say_yes(journey, approval, "r")
    journey.work()
    assert fresh(job).state == State.PUBLISHED, told(job)
    journey.is_sound(job)
