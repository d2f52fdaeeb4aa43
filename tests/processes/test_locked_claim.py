"""A claim that meets a locked row waits for it: no hint is lost to somebody's short transaction."""

from pathlib import Path
from typing import Any

import psycopg

from tests.support import postgres
from tests.support.racing import opened
from tests.support.waiting import until


def test_a_claim_waits_for_a_row_that_another_transaction_holds(
    tmp_path: Path, postgres_dsn: str
) -> None:
    with opened(postgres.new_database(postgres_dsn), tmp_path) as arena:
        plan = {"act": "prepare", "rounds": 1, "jobs": "free"}
        targets = arena.answer(arena.start(plan))
        racers = [{"id": "one", "name": "one", "act": "claim"}]
        with psycopg.connect(arena.url) as holder:
            lock = "SELECT 1 FROM publisher_job WHERE id = %s FOR UPDATE"
            holder.execute(lock, [targets[0]["job"]])
            plan = {"targets": targets, "racers": racers, "folder": str(tmp_path), "count": 1}
            worker = arena.start({"act": "race", **plan})
            with psycopg.connect(arena.url, autocommit=True) as watcher:
                until(lambda: is_blocked(watcher), seconds=30, what="the worker at the locked row")
            holder.rollback()
        (((found,),),) = (arena.answer(worker),)
    assert found["body"] == {"generation": 1}


def is_blocked(watcher: "psycopg.Connection[Any]") -> bool:
    """Whether anybody waits for a lock in this database."""
    sql = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database()"
    found = watcher.execute(f"{sql} AND wait_event_type = 'Lock'")
    return found.fetchone() is not None
