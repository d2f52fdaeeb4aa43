"""Commands that write look first at whether the database is the one which this program knows."""

from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db.migrations.recorder import MigrationRecorder

from publisher import tasks
from publisher.engine import outbox, reconcile, worker
from publisher.engine.reconcile import clocks, due
from publisher.models import Job, Seal
from publisher.processes.doctor import database
from publisher.processes.doctor.answer import Level
from publisher.processes.doctor.glance import glance, is_known
from tests.support import jobs

COMMANDS = (
    ("submit", "--site", "magazine", "--source", "nothing.md"),
    ("work", "--once"),
    ("reconcile",),
)
each_command = pytest.mark.parametrize("command", COMMANDS, ids=[each[0] for each in COMMANDS])


@pytest.fixture(autouse=True)
def folder(db: None, tmp_path: Path, settings: Any) -> Path:
    """A data folder of this test's own."""
    settings.IMPRIMATUR_DATA_DIR = settings.DATA_DIR = tmp_path
    return tmp_path


@each_command
def test_a_database_of_a_later_release_is_not_written_into(command: tuple[str, ...]) -> None:
    MigrationRecorder.Migration.objects.create(app="publisher", name="0999_from_later")
    with pytest.raises(CommandError, match="later release") as refused:
        call_command(*command)
    assert refused.value.returncode == 2
    assert not Job.objects.exists()


@each_command
def test_a_database_that_was_not_migrated_is_not_written_into(command: tuple[str, ...]) -> None:
    newest = MigrationRecorder.Migration.objects.filter(app="reviews").order_by("name").last()
    assert newest is not None
    newest.delete()
    with pytest.raises(CommandError, match="run migrate"):
        call_command(*command)


@each_command
def test_an_older_copy_of_the_database_is_not_written_into(
    command: tuple[str, ...], folder: Path
) -> None:
    (folder / "seals.jsonl").write_text('{"number": 2, "hash": "sha256:2"}\n')
    with pytest.raises(CommandError, match="older than its seals"):
        call_command(*command)
    assert not Seal.objects.exists()
    assert not Job.objects.exists()


def test_the_glance_is_two_questions(folder: Path, django_assert_max_num_queries: Any) -> None:
    (folder / "seals.jsonl").write_text('{"number": 2, "hash": "sha256:2"}\n')
    with django_assert_max_num_queries(2), pytest.raises(CommandError):
        glance()


@pytest.mark.parametrize("task", ["advance", "deliver", "sweep", "due"])
def test_no_task_works_on_a_database_that_was_migrated_meanwhile(
    task: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = jobs.received()
    reached: list[object] = []
    for module, name in [(worker, "advance"), (outbox, "deliver_due"), (reconcile, "sweep"),
                         (due, "run"), (clocks, "run")]:  # fmt: skip
        monkeypatch.setattr(module, name, lambda *_some, **_more: reached.append(1))
    MigrationRecorder.Migration.objects.create(app="publisher", name="0999_from_later")
    getattr(tasks, task)(*([job.pk] if task == "advance" else []))
    assert reached == []


def test_a_program_whose_files_were_replaced_knows_a_migrated_database_no_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The newest files came after its start; until they are applied, it works on."""
    newest = max(each for each in database.own_migrations() if each[0] == "publisher")
    older = database.own_migrations() - {newest}
    monkeypatch.setattr(database, "own_migrations", lambda: older)
    assert not is_known()
    assert "later release" in database.migrations().message
    MigrationRecorder.Migration.objects.filter(app=newest[0], name=newest[1]).delete()
    assert is_known()
    assert database.migrations().level is Level.OK
