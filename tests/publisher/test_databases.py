"""Databases: SQLite is opened in the way that an accepted job needs to survive a power cut."""

import os
from contextlib import closing
from pathlib import Path

import pytest
from django.db.utils import ConnectionHandler, OperationalError

from publisher.databases import configure

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def new_folder(tmp_path: Path, settings: object) -> None:
    """A data folder that holds no database yet; a lost one would not be made anew."""
    settings.DATA_DIR = tmp_path  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("pragma", "value"),
    [("journal_mode", "wal"), ("synchronous", 2), ("busy_timeout", 20_000), ("foreign_keys", 1)],
)
def test_sqlite_is_durable_and_waits(tmp_path: Path, pragma: str, value: object) -> None:
    connection = ConnectionHandler({"default": configure("", data_dir=tmp_path)})["default"]
    try:
        with connection.cursor() as cursor:
            cursor.execute(f"PRAGMA {pragma}")
            assert cursor.fetchone() == (value,)
    finally:
        connection.close()


def test_a_transaction_of_sqlite_takes_the_write_lock_when_it_begins(tmp_path: Path) -> None:
    said: list[str] = []
    connection = ConnectionHandler({"default": configure("", data_dir=tmp_path)})["default"]
    try:
        connection.ensure_connection()
        connection.connection.set_trace_callback(said.append)
        connection.set_autocommit(False, force_begin_transaction_with_broken_autocommit=True)
        connection.rollback()
    finally:
        connection.close()
    assert "BEGIN IMMEDIATE" in said


@pytest.mark.parametrize("name", ["no #1", "rate 100%25", "what?mode=memory", "a%2Fb", "%00"])
def test_sqlite_lies_in_the_data_folder_however_that_is_named(tmp_path: Path, name: str) -> None:
    folder = tmp_path / name
    folder.mkdir()
    connection = ConnectionHandler({"default": configure("", data_dir=folder)})["default"]
    try:
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA user_version = 7")
    finally:
        connection.close()
    assert (folder / "imprimatur.sqlite3").is_file()
    assert [each.name for each in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("is_link", [False, True])
def test_a_new_file_of_sqlite_and_its_log_are_readable_by_this_account_alone(
    tmp_path: Path, is_link: bool
) -> None:
    """A link was laid before the first start, and leads to what is not there yet."""
    folder = tmp_path
    if is_link:
        (folder := tmp_path / "disk2").mkdir()
        (tmp_path / "imprimatur.sqlite3").symlink_to("disk2/imprimatur.sqlite3")
    before = os.umask(0o022)
    connection = ConnectionHandler({"default": configure("", data_dir=tmp_path)})["default"]
    try:
        with connection.cursor() as cursor:
            cursor.execute("CREATE TABLE sessions (session TEXT)")
        modes = {path.name: path.stat().st_mode & 0o777 for path in folder.iterdir()}
    finally:
        connection.close()
        os.umask(before)
    assert set(modes) == {"imprimatur.sqlite3", "imprimatur.sqlite3-shm", "imprimatur.sqlite3-wal"}
    assert set(modes.values()) == {0o600}


def test_a_link_that_leads_nowhere_is_told_in_the_databases_words(tmp_path: Path) -> None:
    path = tmp_path / "imprimatur.sqlite3"
    path.symlink_to(path.name)
    connection = ConnectionHandler({"default": configure("", data_dir=tmp_path)})["default"]
    with pytest.raises(OperationalError, match="unable to open"):
        connection.ensure_connection()


def test_a_file_of_an_older_release_is_closed_to_everybody_and_stays_open_to_its_group(
    tmp_path: Path,
) -> None:
    path = tmp_path / "imprimatur.sqlite3"
    connection = ConnectionHandler({"default": configure("", data_dir=tmp_path)})["default"]
    with closing(connection), connection.cursor() as cursor:
        cursor.execute("CREATE TABLE sessions (session TEXT)")
    path.chmod(0o664)
    with closing(connection), connection.cursor() as cursor:
        cursor.execute("SELECT * FROM sessions")
    assert path.stat().st_mode & 0o777 == 0o660
