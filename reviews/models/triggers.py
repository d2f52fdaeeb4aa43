"""The database's own guards of decisions: rows are added, never changed, never removed.

Installed at every ``post_migrate``, because SQLite drops the triggers of a table that a migration
remakes. The refusing function on PostgreSQL is this app's own, so that neither app needs the other's.
"""

from collections.abc import Iterator, Set
from typing import Any

from django.apps import AppConfig
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models.signals import post_migrate

from publisher.models import guards, moments, replacing
from publisher.models.replacing import Key

REFUSALS = (
    ("reviews_decision", "UPDATE"),
    ("reviews_decision", "DELETE"),
    ("reviews_approval", "DELETE"),
    ("reviews_policy", "UPDATE"),
    ("reviews_policy", "DELETE"),
    ("reviews_delegation", "DELETE"),
)

KEYS = {
    "reviews_decision": (
        Key(("id",)),
        Key(("approval_id", "request_id")),
        Key(("approval_id", "actor_id"), only="{row}.decision <> 'withdraw'", of="decision"),
    ),
    "reviews_approval": (
        Key(("id",)),
        Key(
            ("job_id",), only="{row}.status IN ('pending', 'approved', 'dispatching')", of="status"
        ),
    ),
    "reviews_policy": (
        Key(("id",)),
        Key(("scope", "action", "version"), only="{row}.site_id IS NULL", of="site_id"),
        Key(("scope", "site_id", "action", "version")),
    ),
    "reviews_delegation": (Key(("id",)),),
}

_SQLITE = """
CREATE TRIGGER IF NOT EXISTS {name} BEFORE {act} ON {table}
BEGIN SELECT RAISE(ABORT, '{table} does not allow {act}'); END
"""
_POSTGRES_FUNCTION = """
CREATE OR REPLACE FUNCTION imprimatur_reviews_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN RAISE EXCEPTION '% does not allow %', TG_TABLE_NAME, TG_OP USING ERRCODE = '23000'; END $$
"""
_POSTGRES = """
CREATE OR REPLACE TRIGGER {name} BEFORE {act} ON {table}
FOR EACH {each} EXECUTE FUNCTION imprimatur_reviews_refuse()
"""


def install(using: str = "default") -> None:
    """Create what is missing or was changed."""
    connection = connections[using]
    guards.create(connection, _statements(connection))


def _statements(connection: BaseDatabaseWrapper) -> list[str]:
    with connection.cursor() as cursor:  # a migration may go half the way
        there = set(connection.introspection.table_names(cursor))
    own = _on_sqlite(there) if connection.vendor == "sqlite" else _on_postgresql(there)
    return [*own, *moments.statements("reviews", connection)]


def changed(using: str = "default") -> set[str]:
    """Guards that are there by name, and do something else."""
    connection = connections[using]
    return guards.changed(connection, _statements(connection))


def _on_sqlite(there: Set[str]) -> Iterator[str]:
    for table, act in REFUSALS:
        if table in there:
            yield _SQLITE.format(name=f"guard_{table}_{act.lower()}", table=table, act=act)
    for table in KEYS.keys() & there:
        yield from replacing.statements(f"guard_{table}", table, KEYS[table])


def _on_postgresql(there: Set[str]) -> Iterator[str]:
    yield _POSTGRES_FUNCTION
    for table, act in REFUSALS:
        if table in there:
            name = f"guard_{table}_{act.lower()}"
            yield _POSTGRES.format(name=name, table=table, act=act, each="ROW")
    for table in KEYS.keys() & there:
        name = f"guard_{table}_truncate"
        yield _POSTGRES.format(name=name, table=table, act="TRUNCATE", each="STATEMENT")


def names(vendor: str) -> set[str]:
    """The triggers that must be there."""
    found = {f"guard_{table}_{act.lower()}" for table, act in REFUSALS}
    found |= moments.names("reviews", vendor)
    if vendor == "postgresql":
        return found | {f"guard_{table}_truncate" for table in KEYS}
    return found.union(*(replacing.names(f"guard_{table}") for table in KEYS))


def missing(using: str = "default") -> set[str]:
    """Guards that are not there."""
    connection = connections[using]
    catalogue = "sqlite_master" if connection.vendor == "sqlite" else "pg_trigger"
    column = "name" if connection.vendor == "sqlite" else "tgname"
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {column} FROM {catalogue}")  # noqa: S608
        present = {str(name) for (name,) in cursor.fetchall()}
    return names(connection.vendor) - present


def _on_post_migrate(sender: AppConfig, *, using: str, **_: Any) -> None:
    if sender.label == "reviews":
        install(using)


post_migrate.connect(_on_post_migrate, dispatch_uid="reviews.models.triggers")
