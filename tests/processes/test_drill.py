"""The drills: every promise is kept, and with its guard off each of them says so.

Every third runs in the suite; with CRASH_ALL=1, as ``make crash`` sets it, all of them.
"""

import json
import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from publisher.processes.drills.experiments import EXPERIMENTS
from publisher.processes.drills.run import run
from publisher.processes.drills.scratch import Scratch
from tests.support.crash import Installation
from tests.support.guards_off import GUARDS, program

EVERY = 1 if os.environ.get("CRASH_ALL") else 3
NAMES = [experiment.name for experiment in EXPERIMENTS][::EVERY]


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """What the command says of them."""
    here = Installation(tmp_path_factory.mktemp("drill"))
    document = json.loads(here.command("drill", *NAMES, "--json", seconds=900))
    yield document
    shutil.rmtree(document["folder"])


def test_the_command_runs_all_of_them_and_passes(told: Any) -> None:
    assert told["passed"], told
    assert [drill["name"] for drill in told["drills"]] == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_drill_keeps_its_promise_and_a_snapshot(told: Any, name: str) -> None:
    (drill,) = [drill for drill in told["drills"] if drill["name"] == name]
    assert (drill["passed"], drill["broken"]) == (True, [])
    kept = {path.name for path in Path(drill["snapshot"]).iterdir()}
    assert kept == {"jobs.sqlite3", "job.json", "receipts.json", "history.txt"}


@pytest.fixture(scope="module")
def approved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for drills; the first makes the job that all of them begin with."""
    return tmp_path_factory.mktemp("guards")


@pytest.mark.parametrize("name", NAMES)
def test_a_guard_that_is_off_turns_its_drill_red(approved: Path, name: str) -> None:
    chosen = [experiment for experiment in EXPERIMENTS if experiment.name == name]
    (result,) = run(approved, chosen, program(name))
    assert not result.passed


def test_a_drill_reads_its_own_job_store_however_the_folder_is_named(tmp_path: Path) -> None:
    scratch = Scratch(tmp_path / "drill #1?mode=memory%20")
    scratch.database.parent.mkdir(parents=True)
    with closing(sqlite3.connect(scratch.database)) as made:
        made.execute("CREATE TABLE words (word TEXT)")
    assert scratch.rows("SELECT name FROM sqlite_master") == [("words",)]


def test_every_drill_has_a_guard_to_switch_off() -> None:
    assert sorted(GUARDS) == sorted(experiment.name for experiment in EXPERIMENTS)


def test_a_drill_that_is_none_is_refused_in_words(tmp_path: Path) -> None:
    said = Installation(tmp_path).failed("drill", "earthquake", code=2)
    assert said.startswith("There is no drill earthquake. There are: push-answer-lost,")
