"""Doctor: each check says in words what was planted, and a start stops on it."""

import json
import os
import shutil
import socket
import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from publisher import clock, databases, sqlite_file
from publisher.models import JobEvent, Seal
from publisher.processes.backup import moves
from publisher.processes.doctor import clock_word, database, place, start, surroundings
from publisher.processes.doctor.answer import Answer, Level
from publisher.processes.doctor.examine import TITLES, _disk, examine, troubles
from tests.support import jobs
from tests.support.crash import ROOT
from tests.support.spoil import spoil


def says(answer: Answer, level: Level, words: str) -> bool:
    return answer.level is level and words in answer.message


def manage(folder: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    environment = {key: value for key, value in os.environ.items() if key != "DATABASE_URL"}
    return subprocess.run(
        [sys.executable, str(ROOT / "manage.py"), *arguments],
        env={
            **environment,
            "DJANGO_SETTINGS_MODULE": "publisher.settings",
            "IMPRIMATUR_NO_BOOTSTRAP": "1",
            "IMPRIMATUR_DATA_DIR": str(folder),
        },
        cwd=ROOT, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip


def small_database(path: Path) -> Path:
    """A database of several pages, without a log beside it."""
    with closing(sqlite3.connect(path)) as made:
        made.execute("CREATE TABLE words (word TEXT)")
        made.executemany("INSERT INTO words VALUES (?)", [("x" * 500,)] * 200)
        made.commit()
    return path


def test_all_is_well_where_nothing_is_wrong(db: None) -> None:
    found = examine()
    assert troubles(found) == []
    assert {each.name for each in found} <= set(TITLES)
    assert all(each.title and each.message for each in found)


def test_a_data_folder_that_cannot_be_written_is_said() -> None:
    # Not even root makes files here.
    assert says(place.data_folder(Path("/proc")), Level.TROUBLE, "cannot be read and written")


def test_a_file_in_a_folders_place_is_said(tmp_path: Path) -> None:
    (tmp_path / "artifacts").write_text("")
    assert says(place.data_folder(tmp_path), Level.TROUBLE, "is not a folder")


@pytest.mark.parametrize(
    ("free", "level"), [(1 << 20, Level.TROUBLE), (1 << 29, Level.WARNING), (1 << 31, Level.OK)]
)
def test_a_full_disk_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, free: int, level: Level
) -> None:
    usage = type("Usage", (), {"free": free})
    monkeypatch.setattr("shutil.disk_usage", lambda _folder: usage)
    assert place.disk(tmp_path).level is level


def test_the_disk_of_a_database_that_lies_elsewhere_counts_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "imprimatur.sqlite3").symlink_to(tmp_path / "elsewhere" / "imprimatur.sqlite3")
    name = {"ENGINE": databases.SQLITE, "NAME": str(tmp_path / "imprimatur.sqlite3")}
    monkeypatch.setitem(settings.DATABASES, "default", {**settings.DATABASES["default"], **name})
    usage = type("Usage", (), {"free": 1 << 20})
    whole = shutil.disk_usage
    monkeypatch.setattr(
        "shutil.disk_usage",
        lambda folder: usage if folder == tmp_path / "elsewhere" else whole(folder),
    )
    assert says(_disk(), Level.TROUBLE, str(tmp_path / "elsewhere"))


@pytest.mark.parametrize("end", ["", "-wal", "-shm"])
def test_a_database_that_this_account_may_not_write_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: str
) -> None:
    path = small_database(tmp_path / "imprimatur.sqlite3")
    others = path.with_name(f"{path.name}{end}")
    others.touch()
    # Root may write what it likes.
    monkeypatch.setattr("os.access", lambda each, _mode: each != others)
    assert says(
        database.whole(path, tmp_path), Level.TROUBLE, f"{others} cannot be read and written"
    )


def test_a_database_that_the_system_does_not_show_is_said_by_every_command(
    tmp_path: Path,
) -> None:
    (tmp_path / "secret_key").touch(mode=0o600)
    (tmp_path / "secret_key").write_text("k" * 40)
    # Not even root gets at a name of this length.
    (tmp_path / "imprimatur.sqlite3").symlink_to("x" * 300)
    for command in ["doctor"], ["inspect", "job"], ["worker"]:
        done = manage(tmp_path, *command)
        said = done.stdout + done.stderr
        assert (done.returncode > 0, "Traceback" in said) == (True, False), said
        assert "File name too long" in said


@pytest.mark.parametrize(
    ("kind", "level"),
    [("nfs4", Level.TROUBLE), ("cifs", Level.TROUBLE), ("9p", Level.WARNING), ("ext4", Level.OK)],
)
def test_sqlite_on_a_network_is_refused(tmp_path: Path, kind: str, level: Level) -> None:
    mounts = tmp_path / "mountinfo"
    mounts.write_text(
        "21 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
        f"40 21 0:50 / {tmp_path} rw,relatime shared:1 - {kind} server:/share rw\n"
    )
    assert place.local_disk(tmp_path / "imprimatur.sqlite3", mounts).level is level
    elsewhere = tmp_path.with_name(f"{tmp_path.name}-linked")
    elsewhere.mkdir()
    (elsewhere / "imprimatur.sqlite3").symlink_to(tmp_path / "imprimatur.sqlite3")
    assert place.local_disk(elsewhere / "imprimatur.sqlite3", mounts).level is level
    assert place.is_mount(tmp_path, mounts)
    assert not place.is_mount(tmp_path / "git", mounts)


def test_a_secret_that_everybody_can_read_is_said(tmp_path: Path) -> None:
    key = tmp_path / "secret_key"
    key.write_text("k")
    key.chmod(0o604)
    assert says(place.secrets([key]), Level.TROUBLE, "chmod 600")
    key.chmod(0o640)
    assert place.secrets([key]).level is Level.WARNING
    key.chmod(0o600)
    assert place.secrets([key]).level is Level.OK


@pytest.mark.parametrize("end", ["", "-wal", "-shm"])
def test_a_database_that_everybody_can_read_is_said(
    db: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: str
) -> None:
    path = tmp_path / "own.sqlite3"
    monkeypatch.setattr("publisher.processes.doctor.examine.sqlite_path", lambda: path)
    with closing(sqlite3.connect(path)) as made:
        made.execute("PRAGMA journal_mode=WAL")
        made.execute("CREATE TABLE words (word TEXT)")
        for each in tmp_path.iterdir():
            each.chmod(0o600)
        assert troubles(examine()) == []
        Path(f"{path}{end}").chmod(0o604)
        (found,) = troubles(examine())
    assert (found.name, f"{path}{end}: chmod 600" in found.message) == ("secrets", True)


@pytest.mark.parametrize(
    ("mode", "level"), [(0o755, Level.WARNING), (0o701, Level.WARNING), (0o750, Level.OK)]
)
def test_a_data_folder_that_everybody_can_look_into_is_said(
    tmp_path: Path, mode: int, level: Level
) -> None:
    tmp_path.chmod(mode)
    answer = place.data_folder(tmp_path)
    assert answer.level is level
    assert ("chmod 700" in answer.message) is (level is Level.WARNING)


def test_an_empty_a_cut_a_foreign_and_a_lost_database_are_said(tmp_path: Path) -> None:
    path = small_database(tmp_path / "imprimatur.sqlite3")
    assert database.whole(path, tmp_path).level is Level.OK
    whole = path.read_bytes()
    for content, words in [
        (b"", "0 bytes"),
        (whole[:-4096], "cut short"),
        (whole[:50], "does not begin"),
        (b"x" * len(whole), "does not begin"),
    ]:
        path.write_bytes(content)
        assert says(database.whole(path, tmp_path), Level.TROUBLE, words)
        assert path.read_bytes() == content
    path.unlink()
    assert database.whole(path, tmp_path).level is Level.OK
    (tmp_path / "seals.jsonl").write_text("{}\n")
    assert says(database.whole(path, tmp_path), Level.TROUBLE, "missing")


def test_a_file_may_be_shorter_than_it_says_while_its_log_is_not_written_back(
    tmp_path: Path,
) -> None:
    path = small_database(tmp_path / "imprimatur.sqlite3")
    path.write_bytes(path.read_bytes()[:-4096])
    path.with_name(f"{path.name}-wal").write_bytes(b"some")
    assert sqlite_file.trouble(path) == ""


def test_an_empty_file_of_an_unfinished_first_start_is_no_loss(tmp_path: Path) -> None:
    path = tmp_path / "imprimatur.sqlite3"
    path.write_bytes(b"")
    (tmp_path / sqlite_file.FIRST_START).write_text("demo")
    assert sqlite_file.refusal(path, tmp_path) == ""


def test_a_migration_that_is_missing_or_of_a_later_release_is_said(db: None) -> None:
    recorder = MigrationRecorder(connection)
    recorder.record_applied("publisher", "9999_from_the_future")
    assert says(database.migrations(), Level.TROUBLE, "9999_from_the_future")
    recorder.record_unapplied("publisher", "9999_from_the_future")
    [newest] = MigrationLoader(connection).graph.leaf_nodes("reviews")
    recorder.record_unapplied(*newest)
    assert says(database.migrations(), Level.TROUBLE, "run migrate")
    assert database.migrations(will_migrate=True).level is Level.OK


def test_a_start_notes_its_own_migrations_before_another_release_can_lie_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings, "DATA_DIR", tmp_path)
    monkeypatch.setattr(start, "examine", lambda **_more: [])
    database.own_migrations.cache_clear()
    os.close(start.begin())
    assert database.own_migrations.cache_info().currsize == 1
    script = (
        "import publisher.wsgi; from publisher.processes.doctor import database; "
        "print(database.own_migrations.cache_info().currsize)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "publisher.settings",
             "IMPRIMATUR_DATA_DIR": str(tmp_path)},
        cwd=ROOT, capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    assert done.stdout.split() == ["1"]


def test_a_database_that_is_older_than_its_seals_is_said(db: None, tmp_path: Path) -> None:
    seals = tmp_path / "seals.jsonl"
    assert database.not_older(seals).level is Level.OK
    seals.write_text('{"number": 7, "hash": "sha256:7"}\n{"number": 8, "ha')
    assert says(database.not_older(seals), Level.TROUBLE, "older than its seals")
    Seal.objects.create(number=7, heads={}, previous_hash="", hash="sha256:7", at=clock.now())
    assert database.not_older(seals).level is Level.OK


def test_clocks_that_are_apart_are_said(db: None) -> None:
    now = clock.now().timestamp()
    assert database.on_time(now).level is Level.OK
    assert database.on_time(now + 30).level is Level.WARNING
    assert says(database.on_time(now + 3600), Level.TROUBLE, "apart")
    assert says(database.on_time(0), Level.TROUBLE, "set it")


def test_a_clock_before_the_newest_event_is_said(db: None) -> None:
    jobs.received(now=clock.now() + timedelta(hours=1))
    assert says(database.on_time(), Level.TROUBLE, "before the newest event")
    assert says(database.on_time(), Level.TROUBLE, "doctor --clock-is-right TIME")


def test_a_clock_that_was_ahead_and_is_right_again_is_taken_by_a_persons_word(
    db: None, tmp_path: Path
) -> None:
    now = clock.now()
    jobs.received(now=now + timedelta(days=3660))
    word = clock_word.give(tmp_path, now.isoformat(), now)
    assert clock_word.given(tmp_path) == word
    assert database.on_time(word=word).level is Level.OK


@pytest.mark.parametrize(
    "told", ["2026-05-03T18:00", "now", "2024-05-03T18:00+02:00", "9999-12-31"]
)
def test_the_word_of_who_does_not_know_the_time_is_refused(
    db: None, tmp_path: Path, told: str
) -> None:
    with pytest.raises(clock_word.WordRefused):
        clock_word.give(tmp_path, told, clock.now())
    assert clock_word.given(tmp_path) is None


@pytest.mark.parametrize("kept", ["", "{", "[]", "{}", '{"event": 1, "at": "2026-05-03T18:00"}'])
def test_a_word_that_cannot_be_read_counts_for_nothing(tmp_path: Path, kept: str) -> None:
    (tmp_path / clock_word.FILE).write_text(kept)
    assert clock_word.given(tmp_path) is None


def test_a_word_lets_no_clock_pass_that_is_behind_what_came_after_or_behind_the_word(
    db: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = clock.now()
    jobs.received(now=now + timedelta(days=3660))
    word = clock_word.give(tmp_path, now.isoformat(), now)
    with monkeypatch.context() as patch:
        patch.setattr(clock, "now", lambda: now - timedelta(hours=1))
        assert says(database.on_time(word=word), Level.TROUBLE, "before the newest event")
    jobs.received(now=now + timedelta(hours=1))
    assert says(database.on_time(word=word), Level.TROUBLE, "before the newest event")


def test_the_command_takes_the_word_and_goes_on_with_its_checks(tmp_path: Path) -> None:
    assert manage(tmp_path, "migrate").returncode == 0
    refused = manage(tmp_path, "doctor", "--clock-is-right", "2020-01-01T00:00+00:00")
    assert (refused.returncode, "set it" in refused.stderr) == (2, True)
    taken = manage(tmp_path, "doctor", "--clock-is-right", datetime.now(UTC).isoformat())
    assert (taken.returncode, (tmp_path / clock_word.FILE).exists()) == (0, True), taken.stdout


@pytest.mark.parametrize(
    ("said", "level"),
    [("git version 2.37.1", Level.TROUBLE), ("git version 2.45", Level.OK), ("?", Level.TROUBLE)],
)
def test_an_old_git_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str, level: Level
) -> None:
    fake = tmp_path / "git"
    fake.write_text(f"#!/bin/sh\necho '{said}'\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    assert surroundings.git().level is level


def test_git_that_is_not_there_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert says(surroundings.git(), Level.TROUBLE, "not on this machine")


def test_a_lease_that_its_own_renewal_may_outlast_is_said() -> None:
    assert surroundings.lease(90, database_wait=20, task=900, redelivery=3600).level is Level.OK
    short = surroundings.lease(20, database_wait=20, task=900, redelivery=3600)
    assert says(short, Level.WARNING, "IMPRIMATUR_LEASE_SECONDS")
    twice = surroundings.lease(90, database_wait=20, task=900, redelivery=900)
    assert twice.level is Level.TROUBLE


def test_redis_that_does_not_answer_is_said_without_its_password() -> None:
    found = surroundings.redis("redis://:hunter2secret@127.0.0.1:1/0")
    assert found.level is Level.TROUBLE
    assert "hunter2secret" not in found.message
    assert surroundings.redis("").level is Level.OK


def test_redis_that_answers_is_well(redis_url: str) -> None:
    assert surroundings.redis(redis_url).level is Level.OK


def test_a_provider_is_asked_only_where_one_is_configured() -> None:
    assert surroundings.provider("").level is Level.OK
    assert says(surroundings.provider("http://127.0.0.1:1/v1"), Level.WARNING, "127.0.0.1")


def test_postgresql_that_does_not_answer_is_said(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "manage.py"), "doctor", "--json"],
        env={
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "publisher.settings",
            "IMPRIMATUR_NO_BOOTSTRAP": "1",
            "IMPRIMATUR_DATA_DIR": str(tmp_path),
            "DATABASE_URL": "postgres://me:hunter2secret@127.0.0.1:1/nowhere",
        },
        cwd=ROOT, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert done.returncode == 1
    found = {row["name"]: row for row in json.loads(done.stdout)["checks"]}
    assert found["database"]["level"] == "trouble"
    assert "hunter2secret" not in done.stdout


@pytest.mark.parametrize("command", ["migrate", "serve", "worker", "run", "inspect"])
def test_no_command_opens_an_empty_file_as_a_new_database(tmp_path: Path, command: str) -> None:
    path = tmp_path / "imprimatur.sqlite3"
    path.write_bytes(b"")
    extra = ["job"] if command == "inspect" else []
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    ports = ["--port", port] if command in {"serve", "run"} else []
    done = manage(tmp_path, command, *extra, *ports)
    assert done.returncode != 0
    assert "0 bytes" in done.stderr
    assert path.read_bytes() == b""


def test_doctor_names_the_lost_database_and_exits_with_1(tmp_path: Path) -> None:
    (tmp_path / "imprimatur.sqlite3").touch(mode=0o600)
    done = manage(tmp_path, "doctor", "--json")
    assert done.returncode == 1
    answer = json.loads(done.stdout)
    assert answer["passed"] is False
    assert [row["name"] for row in answer["checks"] if row["level"] == "trouble"] == [
        "database_file"
    ]


def test_a_restore_that_was_cut_short_stops_every_command(tmp_path: Path) -> None:
    assert manage(tmp_path, "migrate", "-v0").returncode == 0
    moves.decide(tmp_path, [])
    for command in (["worker"], ["inspect", "job"]):
        done = manage(tmp_path, *command)
        assert done.returncode != 0
        assert "restore was cut short" in done.stderr
    assert manage(tmp_path, "restore").returncode == 0
    assert manage(tmp_path, "doctor").returncode == 0


def test_the_newest_event_at_no_time_is_said_and_stops_no_start(db: None) -> None:
    jobs.received()
    spoil("publisher_jobevent", "at", JobEvent.objects.latest("pk").pk)
    assert says(database.on_time(), Level.WARNING, "cannot be read")


def test_a_check_that_comes_upon_odd_values_says_so(
    db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def odd(*_some: object, **_more: object) -> None:
        raise ValueError("day is out of range for month")

    monkeypatch.setattr(database, "on_time", odd)
    told = {each.name: each for each in examine()}
    assert told["clock"].level is Level.TROUBLE
    assert "day is out of range" in told["clock"].message
