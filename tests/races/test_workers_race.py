"""Workers that race in real processes, and one that is killed: a job has one owner and one commit."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.crash import EDITED, PATH, Installation, install
from tests.support.git import add_hook, blob
from tests.support.killed import Killed
from tests.support.racing import Arena
from tests.support.waiting import until

ROUNDS = 12
HELD = """cat >/dev/null
echo here > reached
n=0; while [ ! -e go ] && [ $n -lt 600 ]; do sleep 0.05; n=$((n+1)); done"""


def worker(name: str, act: str = "claim") -> dict[str, str]:
    return {"id": name, "name": name, "act": act}


def test_of_two_workers_at_once_one_owns_the_job(arena: Arena) -> None:
    race = arena.race([[worker("one")], [worker("two")]], rounds=ROUNDS, reviewers=[], jobs="free")
    assert race.overlapped() > 0
    for number, after in enumerate(race.after):
        bodies = {name: answer["body"] for name, answer in race.rounds[number].items()}
        (winner,) = [name for name, body in bodies.items() if body["generation"]]
        assert bodies[winner]["generation"] == 1
        assert (after["owner"], after["generation"], after["claims"]) == (winner, 1, 1)


def test_a_lease_that_is_over_is_taken_over_by_one(arena: Arena) -> None:
    racers = [[worker(name)] for name in ("one", "two", "three")]
    race = arena.race(racers, rounds=ROUNDS, reviewers=[], jobs="stale")
    assert race.overlapped() > 0
    for number, after in enumerate(race.after):
        answers = race.rounds[number].values()
        assert sorted(answer["body"]["generation"] for answer in answers) == [0, 0, 2]
        assert (after["generation"], after["claims"]) == (2, 2)


def test_a_late_write_of_a_stale_worker_never_stands_beside_the_new_one(arena: Arena) -> None:
    racers = [[worker("dead", "late_write")], [worker("new")]]
    race = arena.race(racers, rounds=ROUNDS, reviewers=[], jobs="stale")
    assert race.overlapped() > 0
    for number, after in enumerate(race.after):
        assert race.rounds[number]["dead"]["code"] == "stale_worker"
        # A claim passes by a row that the other still holds locked; the next look finds it.
        taken = race.rounds[number]["new"]["body"]["generation"]
        owner = ("new", 2) if taken else ("dead", 1)
        assert taken in (0, 2)
        assert (after["owner"], after["generation"]) == owner
        assert after["state"] == "RECEIVED"


@pytest.fixture
def installed(tmp_path: Path, database: str) -> Iterator[tuple[Installation, str]]:
    """An installation whose one job is approved."""
    here, job = install(tmp_path, database)
    yield here, job
    (here.remote / "go").touch()


@pytest.mark.parametrize("hook", ["pre-receive", "post-receive"])
def test_a_worker_killed_in_its_push_leaves_one_commit(
    installed: tuple[Installation, str], hook: str
) -> None:
    here, job = installed
    add_hook(here.remote, hook, HELD)
    killed = Killed(here)
    try:
        until((here.remote / "reached").exists, seconds=60, what="the push at the remote")
    finally:
        killed.kill()
    (here.remote / "go").touch()
    here.work()
    facts: dict[str, Any] = here.facts(job)
    assert facts["state"] == "PUBLISHED", json.dumps(facts, indent=1)
    assert here.commits_of(job) == [facts["remote_commit"]]
    assert blob(here.remote, PATH) == EDITED
    here.command("evaluate", job)
