"""What an older database forgot is recorded as published by a person, after a look at the remote."""

import shutil
from collections.abc import Callable
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import transaction

from publisher import nodes, selectors
from publisher.domain.errors import InvalidInput, RepositoryError, WrongState
from publisher.domain.states import Actor, Event, State
from publisher.domain.trailers import job_message
from publisher.engine import restored
from publisher.engine.audit import verify
from publisher.engine.audit.evaluate import evaluate
from publisher.journal import Who
from publisher.models import Job, JobEvent, Outbox
from publisher.services import restored as service
from reviews.models import Membership, Principal
from tests.support.git import git, second_person
from tests.support.journey import FRESH, FRESH_TEXT, OMAR, Journey, effect, fresh, told

WHY = "Ada saw it on the site before the disk died."
Forgotten = Callable[[], Job]


@pytest.fixture
def forgotten(journey: Journey, monkeypatch: pytest.MonkeyPatch) -> Forgotten:
    """A job in review whose commit is on the remote, under an approval that was lost."""

    def make() -> Job:
        job = journey.approved(FRESH_TEXT, FRESH, action="create")
        saved = transaction.savepoint()
        with monkeypatch.context() as patch:
            other = "sha256:" + "0" * 64
            patch.setattr(
                "publisher.engine.relay.job_message",
                lambda *given, **more: job_message(*given, **{**more, "binding_hash": other}),
            )
            journey.work()
        transaction.savepoint_rollback(saved)
        nodes.note_restore(journey.now(), journey.now())
        journey.work()
        assert (fresh(job).state, fresh(job).failure_code) == (State.REVIEW, "unknown_commit")
        return fresh(job)

    return make


def record(journey: Journey, job: Job, who: Who = OMAR) -> Job:
    restored.record(job, ports=journey.ports, who=who, reason=WHY)
    return fresh(job)


def test_what_the_remote_holds_is_recorded_with_its_receipt(
    journey: Journey, forgotten: Forgotten
) -> None:
    job, tip = forgotten(), journey.head()
    done = record(journey, job)
    assert (done.state, done.remote_commit, done.failure_code) == (State.PUBLISHED, tip, "")
    assert journey.head() == tip
    event = selectors.events(job)[-1]
    assert (event.event, event.actor, event.actor_name) == (Event.RESTORE, Actor.OPERATOR, "omar")
    assert (event.reason, event.facts["commit"]) == (WHY, tip)
    receipt = effect(job)
    assert (receipt.status, receipt.external_id, receipt.fresh_write) == ("confirmed", tip, False)
    assert receipt.manifest_hash == done.manifest_hash
    journey.is_sound(job)
    assert evaluate(done, journey.ports).passed


def test_evaluate_finds_a_commit_that_is_older_than_the_base(
    journey: Journey, forgotten: Forgotten
) -> None:
    """As when it was prepared again after the restore, from the commit that it forgot."""
    job = record(journey, forgotten())
    Job.objects.filter(pk=job.pk).update(base_commit=job.remote_commit)
    assert evaluate(fresh(job), journey.ports).checks["remote"] == "passed"


def test_verify_still_names_another_commit_of_it(journey: Journey, forgotten: Forgotten) -> None:
    job = record(journey, forgotten())
    Job.objects.filter(pk=job.pk).update(remote_commit=journey.history()[-1].commit)
    assert "forged_commit" in {breach.rule for breach in verify.verify(journey.ports)}


def test_what_the_remote_does_not_hold_is_not_recorded(
    journey: Journey, forgotten: Forgotten
) -> None:
    job = forgotten()
    tip = second_person(journey.remote, {"a.md": b"begun anew"}, "anew", rewrite=True)
    journey.site.refresh_from_db()
    type(journey.site).objects.update(root_commit=tip)
    with pytest.raises(WrongState, match=rf"looked at: up to {tip[:12]} no commit of main"):
        record(journey, fresh(job))
    assert fresh(job).state == State.REVIEW
    assert not fresh(job).effects.exists()


def test_bytes_that_differ_by_one_are_not_recorded(journey: Journey, forgotten: Forgotten) -> None:
    job = forgotten()
    _write_in_its_place(journey, FRESH_TEXT + b"!")
    with pytest.raises(WrongState, match=f"its {FRESH} is not the approved one"):
        record(journey, job)
    assert fresh(job).state == State.REVIEW


def _write_in_its_place(journey: Journey, data: bytes) -> None:
    """The same message, trailers and all, on other bytes."""
    (facts,) = [one for one in journey.history() if one.trailers]
    message = facts.subject + "\n\n" + "\n".join(f"{key}: {text}" for key, text in facts.trailers)
    git(journey.remote, "update-ref", f"refs/heads/{journey.site.branch}", facts.parents[0])
    second_person(journey.remote, {FRESH: data}, message)


def test_another_repository_proves_nothing(journey: Journey, forgotten: Forgotten) -> None:
    job = forgotten()
    second_person(journey.remote, {"a.md": b"another"}, "another repository", rewrite=True)
    with pytest.raises(WrongState, match="holds another repository"):
        record(journey, job)
    assert fresh(job).state == State.REVIEW


def test_without_a_restored_backup_nothing_was_forgotten(journey: Journey) -> None:
    job = journey.submit(FRESH_TEXT, FRESH, action="create")
    journey.work()
    with pytest.raises(WrongState, match="Only a job in review"):
        record(journey, job)
    _into_review(journey, job)
    with pytest.raises(WrongState, match="No backup was restored here"):
        record(journey, fresh(job))


def _into_review(journey: Journey, job: Job) -> None:
    Job.objects.filter(pk=job.pk).update(state=State.REVIEW.value)


def test_nobody_but_an_operator_records_it(journey: Journey, forgotten: Forgotten) -> None:
    job = forgotten()
    for actor in (Actor.SUBMITTER, Actor.REVIEWER):
        with pytest.raises(WrongState):
            record(journey, job, Who(actor, "rui"))


def test_a_reason_is_needed(journey: Journey, forgotten: Forgotten) -> None:
    with pytest.raises(InvalidInput, match="Say why"):
        restored.record(forgotten(), ports=journey.ports, who=OMAR, reason=" ")


def test_what_a_page_asks_for_a_worker_does(journey: Journey, forgotten: Forgotten) -> None:
    job = forgotten()
    service.ask(job, who=OMAR, now=journey.now(), reason=WHY)
    assert fresh(job).state == State.REVIEW
    journey.work()
    assert fresh(job).state == State.PUBLISHED, told(job)
    assert Outbox.objects.get(kind=service.KIND).done_at is not None
    journey.is_sound(job)


def test_a_message_that_comes_twice_records_once(journey: Journey, forgotten: Forgotten) -> None:
    job = forgotten()
    service.ask(job, who=OMAR, now=journey.now(), reason=WHY)
    journey.work()
    Outbox.objects.filter(kind=service.KIND).update(done_at=None, due_at=journey.now())
    journey.work()
    assert JobEvent.objects.filter(job=job, event="restore").count() == 1
    assert not JobEvent.objects.filter(job=job, event="record_refused").exists()


def test_what_a_worker_did_not_find_is_told_in_the_history(
    journey: Journey, forgotten: Forgotten
) -> None:
    job = forgotten()
    service.ask(job, who=OMAR, now=journey.now(), reason=WHY)
    _write_in_its_place(journey, b"other")
    journey.work()
    (event,) = JobEvent.objects.filter(job=job, event="record_refused")
    assert "Nothing was recorded." in event.reason
    assert fresh(job).state == State.REVIEW


@pytest.mark.parametrize("what", ["disabled", "without the role"])
def test_whoever_may_act_no_more_records_nothing(
    what: str, journey: Journey, forgotten: Forgotten
) -> None:
    job = forgotten()
    service.ask(job, who=OMAR, now=journey.now(), reason=WHY)
    if what == "disabled":
        Principal.objects.filter(name="omar").update(disabled_at=journey.now())
    else:
        Membership.objects.filter(principal__name="omar").delete()
    journey.work()
    assert fresh(job).state == State.REVIEW
    (event,) = JobEvent.objects.filter(job=job, event="record_refused")
    assert event.reason == "Whoever asked for this may act here no more."


def test_a_remote_that_cannot_be_seen_is_looked_at_again(
    journey: Journey, forgotten: Forgotten
) -> None:
    job = forgotten()
    service.ask(job, who=OMAR, now=journey.now(), reason=WHY)
    away = journey.remote.rename(journey.remote.with_suffix(".away"))
    with pytest.raises(RepositoryError):
        record(journey, fresh(job))
    journey.work()
    assert Outbox.objects.get(kind=service.KIND).done_at is None
    shutil.move(away, journey.remote)
    Outbox.objects.filter(kind=service.KIND).update(due_at=journey.now())
    journey.work()
    assert fresh(job).state == State.PUBLISHED, told(job)


def test_the_console_says_what_was_looked_at(
    journey: Journey, forgotten: Forgotten, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.setattr("publisher.wiring.ports", lambda: journey.ports)
    job = forgotten()
    _write_in_its_place(journey, b"other")
    with pytest.raises(SystemExit) as ended:
        call_command("record-published", job.pk, "--reason", WHY, "--as", "omar")
    assert ended.value.code == 5
    assert "Nothing was recorded." in capsys.readouterr().err
    with pytest.raises(CommandError, match="--reason"):
        call_command("record-published", job.pk)
