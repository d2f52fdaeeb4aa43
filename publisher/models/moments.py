"""Moments: triggers that let no time into a row that no program can read, whoever writes it.

SQLite keeps any text in a column of times, and counts 30 February on into March; PostgreSQL knows
times without an end. One such row spoils every list that it stands in. They name columns, so they
are lifted while a migration takes one away or adds one, and installed anew with the other guards.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from django.apps import AppConfig, apps
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import DateTimeField, QuerySet
from django.db.models.signals import pre_migrate

LABELS = ("publisher", "reviews")
LISTED = frozenset(
    {
        "publisher_job", "publisher_outbox", "publisher_site", "publisher_node", "publisher_effect",
        "publisher_conflict", "publisher_livesight", "reviews_approval",
    }
)  # fmt: skip
"""Where one row could hold up others; in the other tables it is met with its own job alone."""
_SQLITE_INSERT = """
CREATE TRIGGER IF NOT EXISTS {name}_insert BEFORE INSERT ON {table}
WHEN {is_bad}
BEGIN SELECT RAISE(ABORT, '{table}: a time that cannot be read'); END
"""
_SQLITE_UPDATE = """
CREATE TRIGGER IF NOT EXISTS {name}_update BEFORE UPDATE OF {columns} ON {table}
WHEN {is_bad}
BEGIN SELECT RAISE(ABORT, '{table}: a time that cannot be read'); END
"""
_SQLITE_IS_BAD = """(NEW.{column} IS NOT NULL AND NOT (
    typeof(NEW.{column}) = 'text' AND NEW.{column} >= '0001'
    AND strftime('%Y-%m-%d %H:%M:%S', substr(NEW.{column}, 1, 19), '+0 days')
        IS substr(NEW.{column}, 1, 19)
    AND length(CAST(NEW.{column} AS BLOB)) = length(NEW.{column})
    AND (substr(NEW.{column}, 20) IN ('', '+00:00')
        OR substr(NEW.{column}, 20) GLOB '.[0-9][0-9][0-9][0-9][0-9][0-9]'
        OR substr(NEW.{column}, 20) GLOB '.[0-9][0-9][0-9][0-9][0-9][0-9]+00:00')))"""
"""Adding nothing makes SQLite count anew, so that a day which is none comes out as another."""
_IS_NEW = "(NEW.{column} IS NOT OLD.{column} AND {is_bad})"
_POSTGRES_FUNCTION = """
CREATE OR REPLACE FUNCTION {function}() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF {is_bad}
    THEN RAISE EXCEPTION '{table}: a time that cannot be read' USING ERRCODE = '23000'; END IF;
    RETURN NEW;
END $$
"""
_POSTGRES_IS_BAD = (
    "(NEW.{column} IS DISTINCT FROM OLD.{column} AND NEW.{column} "
    "NOT BETWEEN '0001-01-02 00:00:00+00' AND '9999-12-30 00:00:00+00')"
)
_POSTGRES_IS_ODD = "{column} NOT BETWEEN '0001-01-02 00:00:00+00' AND '9999-12-30 00:00:00+00'"
"""A day from Python's own first and last one, whatever the time zone."""
_POSTGRES = """
CREATE OR REPLACE TRIGGER {name} BEFORE INSERT OR UPDATE ON {table}
FOR EACH ROW EXECUTE FUNCTION {function}()
"""


def names(label: str, vendor: str) -> set[str]:
    """The triggers that the app's tables must have."""
    return {name for table in _columns(label) for name in _names(table, vendor)}


def statements(label: str, connection: BaseDatabaseWrapper) -> Iterator[str]:
    """What creates them, for those columns that are there: a migration may go half the way."""
    with connection.cursor() as cursor:
        tables = set(connection.introspection.table_names(cursor))
        for table, columns in _columns(label).items():
            if table in tables:
                # What Django says of a table parses all of its SQL, which costs a hundred times more.
                cursor.execute(f"SELECT * FROM {table} LIMIT 0")
                known = {column[0] for column in cursor.description}
                there = [name for name in columns if name in known]
                yield from _of(table, there, connection.vendor)


def odd(connection: BaseDatabaseWrapper) -> Iterator[tuple[str, str]]:
    """(table, key) of rows that hold such a time all the same, in the tables that lists are read from."""
    template = _SQLITE_IS_BAD if connection.vendor == "sqlite" else _POSTGRES_IS_ODD
    with connection.cursor() as cursor:
        for label in LABELS:
            for table, columns in _columns(label).items() if label in apps.app_configs else ():
                if table not in LISTED:
                    continue
                key = _key_of(label, table)
                bad = " OR ".join(template.format(column=name) for name in columns)
                cursor.execute(f"SELECT {key} FROM {table} WHERE {bad.replace('NEW.', '')}")
                yield from ((table, str(found)) for (found,) in cursor.fetchall())


def rows(table: str) -> QuerySet[Any]:
    """All rows of a table that one of the apps has."""
    models = apps.get_models()
    return next(each for each in models if each._meta.db_table == table)._default_manager.all()


def _key_of(label: str, table: str) -> str:
    models = apps.get_app_config(label).get_models()
    return next(str(each._meta.pk.column) for each in models if each._meta.db_table == table)


def _lift(sender: AppConfig, *, using: str, plan: Any = (), **_: Any) -> None:
    if sender.label not in LABELS or not plan:
        return
    connection = connections[using]
    with connection.cursor() as cursor:
        for table in _columns(sender.label):
            for name in _names(table, connection.vendor):
                on = f" ON {table}" if connection.vendor == "postgresql" else ""
                cursor.execute(f"DROP TRIGGER IF EXISTS {name}{on}")


def _of(table: str, columns: list[str], vendor: str) -> Iterator[str]:
    stem = _stem(table)
    if vendor == "sqlite":
        bad = {column: _SQLITE_IS_BAD.format(column=column) for column in columns}
        new = (_IS_NEW.format(column=column, is_bad=is_bad) for column, is_bad in bad.items())
        yield _SQLITE_INSERT.format(name=stem, table=table, is_bad=" OR ".join(bad.values()))
        yield _SQLITE_UPDATE.format(
            name=stem, table=table, columns=", ".join(columns), is_bad=" OR ".join(new)
        )
    else:
        function = f"imprimatur_{table}_moments"
        is_bad = " OR ".join(_POSTGRES_IS_BAD.format(column=column) for column in columns)
        yield _POSTGRES_FUNCTION.format(function=function, table=table, is_bad=is_bad)
        yield _POSTGRES.format(name=stem, table=table, function=function)


def _stem(table: str) -> str:
    return f"guard_{table}_moments"


def _names(table: str, vendor: str) -> list[str]:
    stem = _stem(table)
    return [stem] if vendor == "postgresql" else [f"{stem}_insert", f"{stem}_update"]


def _columns(label: str) -> Mapping[str, list[str]]:
    """The columns of times of each of the app's tables."""
    found = {
        model._meta.db_table: [
            str(field.column)
            for field in model._meta.concrete_fields
            if isinstance(field, DateTimeField)
        ]
        for model in apps.get_app_config(label).get_models()
    }
    return {table: columns for table, columns in found.items() if columns}


pre_migrate.connect(_lift, dispatch_uid="publisher.models.moments")
