"""A claim that meets a locked row waits for it: no hint is lost to somebody's short transaction."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import psycopg

from tests.support.racing import ROOT, Arena, new_postgres_database
from tests.support.waiting import until


def start(arena: Arena, **plan: Any) -> "subprocess.Popen[str]":
    """A process of the races, with its plan."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.support.racer"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env=arena.environment,
    )
    assert process.stdin is not None
    process.stdin.write(json.dumps(plan))
    process.stdin.close()
    process.stdin = None  # communicate() would close it again
    return process


def answer(process: "subprocess.Popen[str]") -> Any:
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    return json.loads(out)


def test_a_claim_waits_for_a_row_that_another_transaction_holds(
    tmp_path: Path, postgres_dsn: str
) -> None:
    arena = Arena(new_postgres_database(postgres_dsn), tmp_path)
    targets = answer(start(arena, act="prepare", rounds=1, jobs="free"))
    racers = [{"id": "one", "name": "one", "act": "claim"}]
    with psycopg.connect(arena.url) as holder:
        holder.execute("SELECT 1 FROM publisher_job WHERE id = %s FOR UPDATE", [targets[0]["job"]])
        plan = {"targets": targets, "racers": racers, "folder": str(tmp_path), "count": 1}
        worker = start(arena, act="race", **plan)
        with psycopg.connect(arena.url, autocommit=True) as watcher:
            until(lambda: is_blocked(watcher), seconds=30, what="the worker at the locked row")
        holder.rollback()
    (((found,),),) = (answer(worker),)
    assert found["body"] == {"generation": 1}


def is_blocked(watcher: "psycopg.Connection[Any]") -> bool:
    """Whether anybody waits for a lock in this database."""
    sql = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database()"
    found = watcher.execute(f"{sql} AND wait_event_type = 'Lock'")
    return found.fetchone() is not None
