"""First starts with company: two at once, and one that is told to stop while it sets up."""

import os
import signal
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import psycopg
import pytest

from publisher.processes.stoppable import NOT_READY
from tests.support.crash import ROOT, Installation
from tests.support.databases import rows
from tests.support.migrated import FILE
from tests.support.running import heed_signals, living
from tests.support.waiting import until

pytestmark = pytest.mark.xdist_group("processes")


@dataclass(slots=True)
class Starts:
    """``run`` in one data folder, as often as wanted."""

    home: Path
    database: str
    processes: dict[str, "subprocess.Popen[bytes]"] = field(default_factory=dict)

    def run(self, name: str) -> "subprocess.Popen[bytes]":
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = str(free.getsockname()[1])
        with (self.home / name).open("wb") as log:
            process = subprocess.Popen(
                [sys.executable, str(ROOT / "manage.py"), "run", "--port", port],
                cwd=ROOT, env=Installation(self.home, self.database).environment, stdout=log, stderr=log,
                start_new_session=True, preexec_fn=heed_signals,
            )  # fmt: skip
        self.processes[name] = process
        return process

    @property
    def data(self) -> Path:
        return self.home / "live" / "var"

    def said(self, name: str) -> str:
        return (self.home / name).read_text()

    def until_said(self, name: str, words: str) -> None:
        process = self.processes[name]
        until(
            lambda: words in self.said(name) or process.poll() is not None, seconds=90, what=words
        )
        assert words in self.said(name)


@pytest.fixture
def starts(tmp_path: Path, database: str) -> Iterator[Starts]:
    made = Starts(tmp_path, database)
    try:
        yield made
    finally:
        for pid in living(tmp_path):
            os.kill(pid, signal.SIGKILL)
        for process in made.processes.values():
            process.wait(timeout=10)


def test_two_first_starts_at_once_both_run_and_one_takes_over_the_work_of_the_other(
    starts: Starts,
) -> None:
    processes = {name: starts.run(name) for name in ("one", "other")}
    for name in processes:
        starts.until_said(name, "Imprimatur runs at")
        assert "Traceback" not in starts.said(name)
    told = "".join(starts.said(name) for name in processes)
    assert told.count("demo: making a repository") == 1
    until(lambda: "has workers already" in "".join(map(starts.said, processes)), seconds=60,
          what="one of them to stand by")  # fmt: skip
    waits = next(name for name in processes if "has workers already" in starts.said(name))
    works = next(name for name in processes if name != waits)
    processes[works].send_signal(signal.SIGTERM)
    assert processes[works].wait(timeout=40) == 0
    starts.until_said(waits, "supervisor_started")
    assert "part_ended" not in starts.said(waits)
    processes[waits].send_signal(signal.SIGTERM)
    assert processes[waits].wait(timeout=40) == 0
    assert living(starts.home) == []


def is_migrating(starts: Starts) -> bool:
    """Whether the first migrations are in the database."""
    if not starts.database and not (starts.data / FILE).exists():
        return False  # a look would make it
    with suppress(sqlite3.Error, psycopg.Error):
        query = "SELECT count(*) FROM django_migrations"
        return int(rows(starts.database, starts.data, query)[0][0]) > 3
    return False


MOMENTS: dict[str, Callable[[Starts], bool]] = {
    "imports": lambda starts: starts.data.exists(),
    "migrations": is_migrating,
    "demo": lambda starts: (starts.data / "demo").exists(),
}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_start_told_to_stop_ends_at_once_and_the_next_one_completes_it(
    starts: Starts, number: signal.Signals
) -> None:
    for moment, is_there in MOMENTS.items():
        process = starts.run(moment)
        until(partial(is_there, starts), seconds=60, what=moment)
        process.send_signal(number)
        assert process.wait(timeout=60) == 128 + number, (moment, starts.said(moment))
        said = starts.said(moment).splitlines()
        assert said[-1] == f"[imprimatur] {NOT_READY}"
        assert "Traceback" not in starts.said(moment)
        assert living(starts.home) == []
    starts.run("last")
    starts.until_said("last", "Password for all of them")
    assert not (starts.data / "first-start").exists()
