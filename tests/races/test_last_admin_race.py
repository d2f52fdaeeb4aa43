"""The last two admins of a scope go at once: the second is the last one then, and stays."""

from pathlib import Path

import psycopg

from reviews.setup_link import OPERATOR
from tests.support import postgres
from tests.support.racing import opened
from tests.support.waiting import until

CLOSED = "UPDATE reviews_principal SET disabled_at = now() WHERE name = %s"
BLOCKED = (
    "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
)


def test_of_the_last_two_admins_who_close_their_accounts_at_once_one_stays(
    tmp_path: Path, postgres_dsn: str
) -> None:
    with opened(postgres.new_database(postgres_dsn), tmp_path) as arena:
        arena.answer(arena.start({"act": "prepare", "rounds": 1, "jobs": "keys"}))
        with (
            psycopg.connect(arena.url) as first,
            psycopg.connect(arena.url, autocommit=True) as watcher,
        ):
            first.execute(CLOSED, [OPERATOR])
            racers = [{"id": "omar", "name": "omar", "act": "disable"}]
            plan = {"targets": [{}], "racers": racers, "folder": str(tmp_path), "count": 1}
            omar = arena.start({"act": "race", **plan})
            until(
                lambda: watcher.execute(BLOCKED).fetchone() is not None,
                seconds=30,
                what="omar to wait for what becomes of the first",
            )
            first.commit()
        (((answer,),),) = (arena.answer(omar),)
    assert answer["code"] == "invalid"
