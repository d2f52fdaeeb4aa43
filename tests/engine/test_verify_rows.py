"""verify finds what was planted in the database: events, states, leases, writes, approvals, seals."""

import errno
import json
import shutil
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.files.storage import storages
from django.db import connection

from publisher import artifacts, journal, seal_file
from publisher.domain.errors import NotFound
from publisher.domain.states import Actor, Event, State
from publisher.engine.audit import stored_bytes, stored_events
from publisher.engine.audit.evaluate import evaluate
from publisher.engine.audit.verify import verify
from publisher.engine.reconcile import seals
from publisher.journal import Who
from publisher.models import Effect, Job, Outbox, Site, triggers
from publisher.services import acts
from reviews.models import Approval, Decision
from tests.support.journey import FRESH, FRESH_TEXT, OMAR, Journey
from tests.support.planted import (
    chain_anew,
    drop_constraints,
    found,
    restore_guards,
    stored_file,
    write,
)


@pytest.fixture
def published(journey: Journey) -> Job:
    """A published job of a healthy installation."""
    job = journey.published(FRESH_TEXT, FRESH, action="create")
    assert found(journey) == set()
    return job


@pytest.fixture
def data_dir(tmp_path: Path, settings: object) -> Path:
    """A data folder of this test's own."""
    folder = tmp_path / "data"
    folder.mkdir()
    settings.IMPRIMATUR_DATA_DIR = folder  # type: ignore[attr-defined]
    return folder


def test_each_breach_says_in_words_what_to_do(journey: Journey, published: Job) -> None:
    write("UPDATE publisher_jobevent SET reason = 'forged' WHERE seq = 3")
    (breach,) = verify(journey.ports)
    assert (breach.rule, breach.subject) == ("event_changed", published.pk)
    assert breach.message == "Event 3 is not what was written."
    assert "restore" in breach.advice


@pytest.mark.parametrize("column", ["event", "actor_name", "reason", "facts", "at", "generation"])
def test_a_changed_event(journey: Journey, published: Job, column: str) -> None:
    new = {"facts": '{"step": "no"}', "at": "2020-01-01 00:00:00", "generation": 1}
    write(
        f"UPDATE publisher_jobevent SET {column} = %s WHERE seq = 4 AND job_id = %s",
        new.get(column, "forged"), published.pk,
    )  # fmt: skip
    expected = set() if column == "generation" else {("event_changed", published.pk)}
    assert found(journey) == expected


def test_a_changed_event_whose_job_is_of_another_site_is_that_sites(
    journey: Journey, published: Job
) -> None:
    write("UPDATE publisher_jobevent SET reason = 'forged' WHERE seq = 4")
    assert found(journey, site="magazine") == {("event_changed", published.pk)}
    other = Site.objects.create(
        name="other", scope="default", remote="/none", created_at=journey.now()
    )
    assert found(journey, site=other.name) == set()
    with pytest.raises(NotFound):
        found(journey, site="nowhere")


def test_a_removed_event(journey: Journey, published: Job) -> None:
    write("DELETE FROM publisher_jobevent WHERE seq = 5 AND job_id = %s", published.pk)
    assert ("event_gap", published.pk) in found(journey)


def test_a_removed_last_event(journey: Journey, published: Job) -> None:
    write("DELETE FROM publisher_jobevent WHERE event = 'confirm'")
    assert {rule for rule, _ in found(journey)} == {"head_differs", "state_differs"}


def test_reordered_events(journey: Journey, published: Job) -> None:
    for old, new in ((4, 1004), (5, 4), (1004, 5)):
        write("UPDATE publisher_jobevent SET seq = %s WHERE seq = %s", new, old)
    assert found(journey) == {("event_changed", published.pk)}


def test_a_history_that_was_chained_anew_breaks_its_seal(
    journey: Journey, published: Job, data_dir: Path
) -> None:
    seals.run(journey.ports)
    assert found(journey) == set()
    write("UPDATE publisher_jobevent SET reason = 'forged' WHERE event = 'approve'")
    chain_anew(published)
    assert found(journey) == {("seal_broken", published.pk), ("decision_changed", published.pk)}


def test_a_changed_seal(journey: Journey, published: Job, data_dir: Path) -> None:
    seals.run(journey.ports)
    write("UPDATE publisher_seal SET heads = %s", json.dumps({}))
    assert found(journey) == {("seal_changed", "seal 1")}


def test_a_database_that_is_older_than_the_file_of_its_seals(
    journey: Journey, published: Job, data_dir: Path
) -> None:
    seals.run(journey.ports)
    write("DELETE FROM publisher_seal")
    assert found(journey) == {("database_behind", "seal 1")}


def test_a_half_written_line_of_seals_is_no_breach(
    journey: Journey, published: Job, data_dir: Path
) -> None:
    seals.run(journey.ports)
    with (data_dir / seal_file.NAME).open("a") as file:
        file.write('{"number": 2, "ha')
    assert found(journey) == set()


def test_a_lost_log_of_sqlite_is_told_by_the_seals(
    journey: Journey, published: Job, data_dir: Path
) -> None:
    seals.run(journey.ports)
    journey.submit(FRESH_TEXT, "content/posts/later.mdx", action="create")
    lines = (data_dir / seal_file.NAME).read_text()
    seals.run(journey.ports)
    write("DELETE FROM publisher_seal WHERE number = 2")
    assert lines != (data_dir / seal_file.NAME).read_text()
    assert found(journey) == {("database_behind", "seal 2")}


def test_a_failed_job_that_is_cancelled_is_no_breach(journey: Journey) -> None:
    job = journey.approved(FRESH_TEXT, FRESH, action="create")
    journal.record(job, Event.FAIL, who=Who(Actor.WORKER), now=journey.now())
    acts.cancel(job, who=OMAR, now=journey.now())
    assert found(journey) == set()


def test_a_missing_artifact(journey: Journey, published: Job) -> None:
    content = published.revisions.get().content
    stored, away = stored_file(content), journey.folder / "away"
    shutil.move(stored, away)
    missing = [found(journey), found(journey, deep=True)]
    shutil.move(away, stored)
    assert ("artifact_missing", content) in missing[0] & missing[1]
    assert found(journey, deep=True) == set()


def test_an_artifact_that_may_not_be_read_is_named_and_ends_nothing(
    journey: Journey, published: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the system says of rights and not of the bytes: nothing else takes them for damaged."""
    storage = type(storages["artifacts"])
    for name in (published.revisions.get().content, published.manifest_artifact):
        where = artifacts.place_of(name)
        with monkeypatch.context() as patch:
            for owner, method in ((storage, "open"), (stored_bytes, "_size")):
                patch.setattr(owner, method, _refusing(getattr(owner, method), where))
            told = found(journey), found(journey, deep=True)
            failed = evaluate(published, journey.ports).checks["artifacts"]
        assert ("artifact_damaged", name) in told[0] & told[1]
        assert {rule for rule, _ in told[0] | told[1]} == {"artifact_damaged"}
        assert failed == "failed: What is stored cannot be read: Permission denied."


def _refusing(real: Callable[..., Any], where: str) -> Callable[..., Any]:
    def answer(owner: object, place: str, *more: object) -> Any:
        if place == where:
            raise PermissionError(errno.EACCES, "Permission denied")
        return real(owner, place, *more)

    return answer


def test_a_file_of_seals_that_cannot_be_read_ends_nothing(
    journey: Journey, published: Job, data_dir: Path
) -> None:
    (data_dir / seal_file.NAME).mkdir()
    assert found(journey) == {("check_failed", "seals")}


def test_a_truncated_artifact_is_found_without_hashing(journey: Journey, published: Job) -> None:
    content = published.revisions.get().content
    with Spoiled(content, lambda data: data[:-1]):
        assert found(journey) == {("artifact_damaged", content)}


def test_a_changed_artifact_is_found_by_hashing(journey: Journey, published: Job) -> None:
    content = published.revisions.get().content
    with Spoiled(content, lambda data: data[:-1] + b"!"):
        assert found(journey) == set()
        assert found(journey, deep=True) == {("artifact_damaged", content)}


def test_a_manifest_that_is_no_artifact(journey: Journey, published: Job) -> None:
    write("DELETE FROM publisher_artifact WHERE sha256 = %s", published.manifest_artifact)
    assert found(journey) == {("artifact_unknown", published.pk)}


def test_a_state_that_is_not_in_the_table(journey: Journey, published: Job) -> None:
    if connection.vendor == "postgresql":
        drop_constraints("publisher_job", "c")
    write("UPDATE publisher_job SET state = 'DONE'")
    assert ("unknown_state", published.pk) in found(journey)


def test_a_state_that_the_history_does_not_lead_to(journey: Journey) -> None:
    job = journey.submit(FRESH_TEXT, FRESH, action="create")
    journey.work()
    write("UPDATE publisher_job SET state = 'READY_TO_COMMIT'")
    assert found(journey) == {("state_differs", job.pk), ("approval_changed", job.pk)}


def test_a_move_that_the_table_does_not_have(journey: Journey) -> None:
    job = journey.submit(FRESH_TEXT, FRESH, action="create")
    journey.work()
    write("UPDATE publisher_jobevent SET target = 'REJECTED' WHERE event = 'ask'")
    write("UPDATE publisher_job SET state = 'REJECTED'")
    chain_anew(job)
    assert found(journey) == {("illegal_move", job.pk), ("approval_changed", job.pk)}


def test_a_move_by_an_actor_who_may_not_make_it(journey: Journey, published: Job) -> None:
    write("UPDATE publisher_jobevent SET actor = 'submitter' WHERE event = 'approve'")
    chain_anew(published)
    rules = ("illegal_move", "decision_changed", "approval_changed")
    assert found(journey) == {(rule, published.pk) for rule in rules}


def test_an_event_by_a_stale_generation(journey: Journey, published: Job) -> None:
    write("UPDATE publisher_jobevent SET generation = 1 WHERE event = 'deliver'")
    chain_anew(published)
    assert found(journey) == {("stale_generation", published.pk)}


def test_a_lease_in_a_state_at_the_end(journey: Journey, published: Job) -> None:
    write("UPDATE publisher_job SET owner = 'worker-9', lease_until = '2099-01-01 00:00:00'")
    assert found(journey) == {("lease_left", published.pk)}


@pytest.mark.parametrize(
    "columns",
    [
        "available_at = '9999-01-01 00:00:00'",
        "owner = 'worker-9', lease_until = '9999-01-01 00:00:00'",
    ],
)
def test_a_job_whose_time_never_comes(journey: Journey, columns: str) -> None:
    job = journey.submit(FRESH_TEXT, FRESH, action="create")
    write(f"UPDATE publisher_job SET {columns}")
    assert found(journey) == {("stuck", job.pk)}


def test_a_job_that_a_person_wants_later_is_not_stuck(journey: Journey) -> None:
    job = journey.submit(FRESH_TEXT, FRESH, action="create")
    later = journey.now() + timedelta(days=90)
    Job.objects.filter(pk=job.pk).update(available_at=later, not_before=later)
    assert found(journey) == set()


def test_a_job_that_waits_for_an_answer_that_nobody_is_asked_for(journey: Journey) -> None:
    job = journey.submit(FRESH_TEXT, FRESH, action="create")
    journey.work()
    write("UPDATE reviews_approval SET status = 'void'")
    assert found(journey) == {("stuck", job.pk)}


def test_published_without_a_confirmed_write(journey: Journey, published: Job) -> None:
    write("UPDATE publisher_effect SET status = 'absent'")
    assert found(journey) == {("no_receipt", published.pk)}


def test_an_open_write_in_a_state_that_may_hold_none(journey: Journey, published: Job) -> None:
    write("UPDATE publisher_effect SET status = 'intent'")
    assert found(journey) == {("no_receipt", published.pk), ("open_intent", published.pk)}


def test_two_confirmed_writes_for_one_key(journey: Journey, published: Job) -> None:
    columns = ", ".join(
        f'"{field.column}"' for field in Effect._meta.concrete_fields if field.column != "id"
    )
    triggers.lift()
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            drop_constraints("publisher_effect", "u")
        else:
            cursor.execute("CREATE TABLE unguarded AS SELECT * FROM publisher_effect")
            cursor.execute("DROP TABLE publisher_effect")
            cursor.execute("ALTER TABLE unguarded RENAME TO publisher_effect")
        cursor.execute(
            f"INSERT INTO publisher_effect (id, {columns}) SELECT id + 1, {columns} "
            "FROM publisher_effect"
        )
    restore_guards()
    assert Effect.objects.values("operation_key").distinct().count() == 1
    assert ("second_receipt", published.pk) in found(journey)


def test_a_write_whose_bytes_no_approval_covers(journey: Journey, published: Job) -> None:
    write("UPDATE publisher_effect SET request_hash = %s", "sha256:" + "0" * 64)
    assert found(journey) == {
        ("unapproved_write", published.pk),
        ("receipt_differs", published.pk),
    }


def test_a_write_whose_approval_is_another_jobs(journey: Journey, published: Job) -> None:
    other = journey.submit(FRESH_TEXT, "content/posts/other-one.mdx", action="create")
    journey.work()
    wrong = Approval.objects.get(job=other)
    write("UPDATE publisher_effect SET target = %s", json.dumps({"approval": wrong.pk}))
    assert ("unapproved_write", published.pk) in found(journey)


def test_a_write_that_nobody_said_yes_to(journey: Journey, published: Job) -> None:
    write("DELETE FROM reviews_decision")
    rules = ("unapproved_write", "decision_changed")
    assert found(journey) == {(rule, published.pk) for rule in rules}


def test_a_yes_to_ones_own_work(journey: Journey, published: Job) -> None:
    approver = Decision.objects.get().actor.name
    write("UPDATE publisher_job SET requester = %s", approver)
    assert found(journey) == {
        ("own_approval", published.pk),
        ("requester_differs", published.pk),
        ("job_changed", published.pk),
    }


def test_a_yes_to_ones_own_edit(journey: Journey, published: Job) -> None:
    approver = Decision.objects.get().actor.name
    write("UPDATE publisher_revision SET author = %s", approver)
    assert found(journey) == {("own_approval", published.pk)}


def test_a_message_that_is_done_without_its_work(journey: Journey, published: Job) -> None:
    assert Outbox.objects.filter(kind="site_fetch", done_at__isnull=False).exists()
    write("UPDATE publisher_site SET fetched_at = NULL")
    assert found(journey) == {("message_undone", "magazine")}


def test_missing_guards_of_both_apps(journey: Journey, published: Job) -> None:
    triggers.lift()
    names = {name for rule, name in found(journey) if rule == "guard_missing"}
    assert {"guard_job_move", "guard_reviews_decision_update"} <= names
    restore_guards()
    assert found(journey) == set()


def test_events_of_a_job_that_is_gone(journey: Journey, published: Job) -> None:
    if connection.vendor == "sqlite":  # PostgreSQL's foreign keys are deferred as they are
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA defer_foreign_keys = ON")
    write("UPDATE publisher_jobevent SET job_id = 'gone' WHERE event = 'confirm'")
    assert ("event_orphaned", "gone") in found(journey)
    write("UPDATE publisher_jobevent SET job_id = %s WHERE job_id = 'gone'", published.pk)


def test_a_healthy_job_that_is_on_its_way_has_no_breach(journey: Journey) -> None:
    job = journey.submit(FRESH_TEXT, FRESH, action="create")
    assert found(journey, deep=True) == set()
    journey.work()
    assert Job.objects.get(pk=job.pk).state == State.WAITING_APPROVAL
    assert found(journey, deep=True) == set()


def test_the_quick_pass_is_sure_of_a_sound_history(journey: Journey, published: Job) -> None:
    waiting = journey.submit(FRESH_TEXT + "é\u2028\x7f".encode(), "content/posts/é.mdx")
    journey.work()
    assert list(stored_events.suspects()) == []
    write("UPDATE publisher_jobevent SET reason = 'x' WHERE job_id = %s AND seq = 1", waiting.pk)
    assert list(stored_events.suspects()) == [waiting.pk]


def test_facts_that_only_the_exact_spelling_can_hash_are_no_breach(journey: Journey) -> None:
    job = journey.submit(FRESH_TEXT, FRESH, action="create")
    facts = {"small": 1e-7, "zero": 2.0}
    if connection.vendor == "sqlite":  # jsonb would give the large one back as a whole number
        facts["ratio"] = 1e21
    write("UPDATE publisher_jobevent SET facts = %s", json.dumps(facts))
    chain_anew(job)
    assert found(journey) == set()


class Spoiled:
    """The bytes of an artifact are others for a while; the folder is shared by many tests."""

    def __init__(self, name: str, change: object) -> None:
        self._path = stored_file(name)
        self._change = change

    def __enter__(self) -> None:
        self._kept = self._path.read_bytes()
        self._path.write_bytes(self._change(self._kept))  # type: ignore[operator]

    def __exit__(self, *_: object) -> None:
        self._path.write_bytes(self._kept)
