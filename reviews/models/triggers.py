"""The database's own guards of decisions: rows are added, never changed, never removed.

Installed at every ``post_migrate``, because SQLite drops the triggers of a table that a migration
remakes. The refusing function on PostgreSQL is this app's own, so that neither app needs the other's.
"""

from typing import Any

from django.apps import AppConfig
from django.db import connections
from django.db.models.signals import post_migrate

REFUSALS = (
    ("reviews_decision", "UPDATE"),
    ("reviews_decision", "DELETE"),
    ("reviews_approval", "DELETE"),
    ("reviews_policy", "UPDATE"),
    ("reviews_policy", "DELETE"),
)

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
FOR EACH ROW EXECUTE FUNCTION imprimatur_reviews_refuse()
"""


def install(using: str = "default") -> None:
    """Create what is missing."""
    connection = connections[using]
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(_POSTGRES_FUNCTION)
        statement = _POSTGRES if connection.vendor == "postgresql" else _SQLITE
        for table, act in REFUSALS:
            name = f"guard_{table}_{act.lower()}"
            cursor.execute(statement.format(name=name, table=table, act=act))


def missing(using: str = "default") -> set[str]:
    """Guards that are not there."""
    connection = connections[using]
    catalogue = "sqlite_master" if connection.vendor == "sqlite" else "pg_trigger"
    column = "name" if connection.vendor == "sqlite" else "tgname"
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {column} FROM {catalogue}")  # noqa: S608
        present = {str(name) for (name,) in cursor.fetchall()}
    return {f"guard_{table}_{act.lower()}" for table, act in REFUSALS} - present


def _on_post_migrate(sender: AppConfig, *, using: str, **_: Any) -> None:
    if sender.label == "reviews":
        install(using)


post_migrate.connect(_on_post_migrate, dispatch_uid="reviews.models.triggers")
