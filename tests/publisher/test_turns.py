"""Turns: writers of one SQLite file come in the order of their coming, and never wait for the dead."""

import errno
import fcntl
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import pytest
from django.db.utils import ConnectionHandler, IntegrityError, OperationalError

from publisher.databases import FILE, configure
from publisher.sqlite.turns import Turn
from tests.support.crash import ROOT

pytestmark = pytest.mark.django_db
Connect = Callable[..., Any]


@pytest.fixture
def connect(tmp_path: Path, settings: Any) -> Iterator[Connect]:
    """Connections to one file, each with a time to wait for it."""
    settings.DATA_DIR = tmp_path
    opened = []

    def one(seconds: float = 20) -> Any:
        database = configure("", data_dir=tmp_path)
        database["OPTIONS"]["timeout"] = seconds
        made = ConnectionHandler({"default": database})["default"]
        made.inc_thread_sharing()
        opened.append(made)
        return made

    with one().cursor() as cursor:
        cursor.execute("CREATE TABLE said (who TEXT UNIQUE)")
    yield one
    for each in opened:
        each.close()


def begin(connection: Any) -> None:
    connection.set_autocommit(False, force_begin_transaction_with_broken_autocommit=True)


def end(connection: Any) -> None:
    connection.rollback()
    connection.set_autocommit(True)


def say(connection: Any, who: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO said (who) VALUES (%s)", [who])


def said(connection: Any) -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT who FROM said ORDER BY rowid")
        return [who for (who,) in cursor.fetchall()]


def is_free(folder: Path) -> bool:
    """Whether nobody is in the queue before who comes now."""
    asking = Turn(folder)
    is_first = asking.take(0.001) == 0.001
    asking.give()
    return is_first


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Block until one more writer is in the queue behind others."""
    asked: SimpleQueue[int] = SimpleQueue()
    known: set[int] = set()
    ask = Turn._is_first

    def heard(turn: Turn, came: int) -> bool:
        is_first = ask(turn, came)
        if not is_first:
            asked.put(came)
        return is_first

    def one_more() -> None:
        while (came := asked.get(timeout=60)) in known:
            pass
        known.add(came)

    monkeypatch.setattr(Turn, "_is_first", heard)
    return one_more


def test_writers_go_in_the_order_of_their_coming(
    connect: Connect, waits: Callable[[], None]
) -> None:
    first = connect()
    begin(first)
    names = [f"{number}" for number in range(6)]
    with ThreadPoolExecutor(len(names)) as pool:
        for name in names:
            pool.submit(say, connect(), name)
            waits()
        end(first)
    assert said(first) == names


def test_a_writer_who_waited_too_long_is_told_that_the_database_is_locked(connect: Connect) -> None:
    first, later = connect(), connect(0.05)
    begin(first)
    with pytest.raises(OperationalError, match="database is locked"):
        begin(later)
    with pytest.raises(OperationalError, match="database is locked"):
        say(later, "early")
    end(first)
    say(later, "late")
    assert said(first) == ["late"]
    with later.cursor() as cursor:
        cursor.execute("PRAGMA busy_timeout")
        assert cursor.fetchone() == (50,)


def test_a_connection_made_impatient_waits_for_its_turn_no_longer_than_that(
    connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, page = connect(), connect()
    take, waited = Turn.take, []

    def heard(turn: Turn, seconds: float) -> float:
        waited.append(seconds)
        return take(turn, 0.05)

    monkeypatch.setattr(Turn, "take", heard)
    begin(first)
    with page.cursor() as cursor:
        cursor.execute("PRAGMA busy_timeout = 500")
        with pytest.raises(OperationalError, match="database is locked"):
            begin(page)
        cursor.execute("PRAGMA busy_timeout")
        assert cursor.fetchone() == (500,)
    assert waited == [20, 0.5]
    end(first)


def test_a_foreign_lock_is_waited_for_no_longer_than_before(
    connect: Connect, tmp_path: Path
) -> None:
    later = connect(0.05)
    with closing(sqlite3.connect(tmp_path / FILE, isolation_level=None)) as foreign:
        foreign.execute("BEGIN IMMEDIATE")
        with pytest.raises(OperationalError, match="database is locked"):
            begin(later)
        assert is_free(tmp_path)
    say(later, "late")
    assert said(later) == ["late"]


def test_a_place_that_is_held_for_nothing_stops_nobody(connect: Connect, tmp_path: Path) -> None:
    idle = Turn(tmp_path)
    idle.take(0)
    later = connect(0.05)
    say(later, "late")
    assert said(later) == ["late"]


@pytest.mark.parametrize("ending", ["commit", "rollback", "close"])
def test_each_end_of_a_transaction_frees_the_place(
    connect: Connect, tmp_path: Path, ending: str
) -> None:
    one = connect()
    begin(one)
    assert not is_free(tmp_path)
    getattr(one, ending)()
    assert is_free(tmp_path)


def test_a_single_statement_frees_the_place_also_when_it_is_refused(
    connect: Connect, tmp_path: Path
) -> None:
    one = connect()
    say(one, "same")
    assert is_free(tmp_path)
    with pytest.raises(IntegrityError):
        say(one, "same")
    assert is_free(tmp_path)


def test_a_killed_writers_place_is_free(tmp_path: Path) -> None:
    code = (
        "import sys, time; from pathlib import Path; from publisher.sqlite.turns import Turn;"
        "turn = Turn(Path(sys.argv[1])); turn.take(1); print(flush=True); time.sleep(600)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path)], cwd=ROOT, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        assert not is_free(tmp_path)
        holder.kill()
    assert is_free(tmp_path)


def test_where_the_folder_takes_no_locks_writes_go_on_without_order(
    connect: Connect, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> bytes:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "fcntl", refuse)
    one = connect()
    begin(one)
    say(one, "here")
    one.commit()
    assert said(one) == ["here"]
    assert Turn(tmp_path / "nowhere").take(7) == 7


def test_the_queue_leaves_no_file(connect: Connect, tmp_path: Path) -> None:
    say(connect(), "here")
    assert {each.name for each in tmp_path.iterdir()} == {FILE, f"{FILE}-wal", f"{FILE}-shm"}
