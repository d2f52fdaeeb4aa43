"""Rows that stay: neither SQLite's REPLACE nor PostgreSQL's TRUNCATE takes them away."""

from pathlib import Path
from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction

from publisher.models import Seal, triggers
from publisher.models.replacing import Key
from reviews.models import Policy
from reviews.models import triggers as reviews_triggers
from tests.support import reviewing_rows
from tests.support.jobs import NOW
from tests.support.journey import FRESH_TEXT, HELLO, Journey, begin

pytestmark = pytest.mark.django_db

GUARDED = {**triggers.KEYS, **reviews_triggers.KEYS}
BY_ID = Key(("id",))


@pytest.fixture
def journey(tmp_path: Path) -> Journey:
    """Two published jobs and a waiting one, a seal, and a policy of a site: every table has rows."""
    made = begin(tmp_path)
    made.published(FRESH_TEXT, "content/posts/first.mdx", key="first")
    made.published(HELLO, "content/posts/second.mdx", key="second")
    made.submit(HELLO, "content/posts/fresh.mdx", key="third")
    made.work()
    Seal.objects.create(number=1, at=NOW)
    Policy.objects.create(
        scope="default", site=made.site, action="publish", version=1, created_at=NOW
    )
    reviewing_rows.delegation("rui", "mei", now=NOW)
    connection.check_constraints()  # PostgreSQL truncates nothing that waits for a check
    return made


def rows(table: str) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT * FROM {table}")
        return sorted(cursor.fetchall(), key=repr)


def attack(table: str, key: Key) -> str:
    """What would take a row away that has the key's values: the worst that the database knows."""
    if connection.vendor == "postgresql":
        return f"TRUNCATE {table} CASCADE"
    with connection.cursor() as cursor:
        described = connection.introspection.get_table_description(cursor, table)
    taken = [
        "'9999'" if one.name == "id" and key != BY_ID else f'"{one.name}"' for one in described
    ]
    where = [f"{column} IS NOT NULL" for column in key.columns]
    where += [key.only.format(row=table)] if key.only else []
    return (
        f"INSERT OR REPLACE INTO {table} SELECT {', '.join(taken)} FROM {table} "
        f"WHERE {' AND '.join(where)} LIMIT 1"
    )


def attack_by_update(table: str, key: Key) -> str:
    """What would take one row away by making another one its twin."""
    if connection.vendor == "postgresql":
        return f"TRUNCATE {table} CASCADE"
    last = f"(SELECT max(id) FROM {table})"
    values = ", ".join(
        f"{name} = (SELECT {name} FROM {table} WHERE id <> {last} ORDER BY id LIMIT 1)"
        for name in key.columns
    )
    return f"UPDATE OR REPLACE {table} SET {values} WHERE id = {last}"


def refused(statement: str, table: str) -> None:
    before = rows(table)
    assert before
    with (
        pytest.raises(DatabaseError, match="does not allow"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(statement)
    assert rows(table) == before


@pytest.mark.parametrize("table", sorted(GUARDED))
def test_no_row_is_taken_away_at_once_with_another_in_its_place(
    journey: Journey, table: str
) -> None:
    for key in GUARDED[table]:
        refused(attack(table, key), table)


@pytest.mark.parametrize("table", triggers.UNDELETABLE)
def test_no_row_is_taken_away_by_giving_another_its_key(journey: Journey, table: str) -> None:
    for key in GUARDED[table]:
        refused(attack_by_update(table, key), table)


@pytest.mark.parametrize("table", sorted(GUARDED))
def test_every_unique_key_of_a_guarded_table_is_known(table: str) -> None:
    with connection.cursor() as cursor:
        found = connection.introspection.get_constraints(cursor, table).values()
    unique = {tuple(sorted(one["columns"])) for one in found if one["unique"]}
    assert unique | {("id",)} == {tuple(sorted(key.columns)) for key in GUARDED[table]}


def test_the_guards_are_watched() -> None:
    expected = {"sqlite": "guard_job_replace", "postgresql": "guard_job_truncate"}
    assert expected[connection.vendor] in triggers.names(connection.vendor)
    assert not triggers.missing() | reviews_triggers.missing()
