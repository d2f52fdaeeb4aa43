"""The database's own guards: append-only tables, no move that the state table lacks, no odd time.

Installed at every ``post_migrate``, because SQLite drops the triggers of a table that a migration
remakes; a system check watches them.
"""

from collections.abc import Iterator
from typing import Any

from django.apps import AppConfig
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models.signals import post_migrate

from publisher.domain.states import TRANSITIONS
from publisher.models import guards, moments, replacing
from publisher.models.event import Transition
from publisher.models.replacing import Key

APPEND_ONLY = ("publisher_jobevent", "publisher_seal")
UNDELETABLE = ("publisher_job", "publisher_revision", "publisher_effect")
KEYS = {
    "publisher_jobevent": (Key(("id",)), Key(("job_id", "seq"))),
    "publisher_seal": (Key(("id",)), Key(("number",))),
    "publisher_job": (Key(("id",)), Key(("site_id", "key_digest"))),
    "publisher_revision": (Key(("id",)), Key(("job_id", "number"))),
    "publisher_effect": (Key(("id",)), Key(("operation_key",))),
}

_SQLITE_REFUSE = """
CREATE TRIGGER IF NOT EXISTS {name} BEFORE {act} ON {table}
BEGIN SELECT RAISE(ABORT, '{table} does not allow {act}'); END
"""
_SQLITE_MOVE = """
CREATE TRIGGER IF NOT EXISTS guard_job_move BEFORE UPDATE OF state ON publisher_job
WHEN OLD.state <> NEW.state AND NOT EXISTS (
    SELECT 1 FROM publisher_transition WHERE source = OLD.state AND target = NEW.state
)
BEGIN SELECT RAISE(ABORT, 'this move of a job is not in the state table'); END
"""
_POSTGRES_FUNCTIONS = """
CREATE OR REPLACE FUNCTION imprimatur_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN RAISE EXCEPTION '% does not allow %', TG_TABLE_NAME, TG_OP USING ERRCODE = '23000'; END $$;
CREATE OR REPLACE FUNCTION imprimatur_job_move() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM publisher_transition WHERE source = OLD.state AND target = NEW.state)
    THEN RAISE EXCEPTION 'this move of a job is not in the state table' USING ERRCODE = '23000'; END IF;
    RETURN NEW;
END $$;
"""
_POSTGRES_REFUSE = """
CREATE OR REPLACE TRIGGER {name} BEFORE {act} ON {table}
FOR EACH {each} EXECUTE FUNCTION imprimatur_refuse()
"""
_POSTGRES_MOVE = """
CREATE OR REPLACE TRIGGER guard_job_move BEFORE UPDATE OF state ON publisher_job
FOR EACH ROW WHEN (OLD.state <> NEW.state) EXECUTE FUNCTION imprimatur_job_move()
"""


def _refusals() -> list[tuple[str, str, str]]:
    """(trigger name, table, act) of every refused act."""
    rows = [(table, act) for table in APPEND_ONLY for act in ("UPDATE", "DELETE")]
    rows += [(table, "DELETE") for table in UNDELETABLE]
    return [(f"{_stem(table)}_{act.lower()}", table, act) for table, act in rows]


def _stem(table: str) -> str:
    return f"guard_{table.partition('_')[2]}"


def names(vendor: str) -> set[str]:
    """The triggers that must be there."""
    found = {name for name, _, _ in _refusals()} | {"guard_job_move"}
    found |= moments.names("publisher", vendor)
    if vendor == "postgresql":
        return found | {f"{_stem(table)}_truncate" for table in KEYS}
    return found.union(*(replacing.names(_stem(table)) for table in KEYS))


def install(using: str = "default") -> None:
    """Create what is missing or was changed, and bring the table of legal moves up to date."""
    connection = connections[using]
    guards.create(connection, _statements(connection))
    sync_moves(using)


def _statements(connection: BaseDatabaseWrapper) -> list[str]:
    own = _on_sqlite() if connection.vendor == "sqlite" else _on_postgresql()
    return [*own, *moments.statements("publisher", connection)]


def _on_sqlite() -> Iterator[str]:
    yield _SQLITE_MOVE
    for name, table, act in _refusals():
        yield _SQLITE_REFUSE.format(name=name, table=table, act=act)
    for table, keys in KEYS.items():
        yield from replacing.statements(_stem(table), table, keys)


def _on_postgresql() -> Iterator[str]:
    yield _POSTGRES_FUNCTIONS
    yield _POSTGRES_MOVE
    for name, table, act in _refusals():
        yield _POSTGRES_REFUSE.format(name=name, table=table, act=act, each="ROW")
    for table in KEYS:
        name = f"{_stem(table)}_truncate"
        yield _POSTGRES_REFUSE.format(name=name, table=table, act="TRUNCATE", each="STATEMENT")


def lift(using: str = "default") -> None:
    """Remove the guards; for the test suite's flush alone."""
    connection = connections[using]
    with connection.cursor() as cursor:
        for name, table in _present(cursor, connection.vendor):
            on = f" ON {table}" if connection.vendor == "postgresql" else ""
            cursor.execute(f"DROP TRIGGER IF EXISTS {name}{on}")


def missing(using: str = "default") -> set[str]:
    """Guards that are not there."""
    connection = connections[using]
    with connection.cursor() as cursor:
        present = {name for name, _ in _present(cursor, connection.vendor)}
    return names(connection.vendor) - present


def changed(using: str = "default") -> set[str]:
    """Guards that are there by name, and do something else."""
    connection = connections[using]
    return guards.changed(connection, _statements(connection))


def has_moves(using: str = "default") -> bool:
    """Whether the table of legal moves is the one in ``domain/states.py``."""
    present = Transition.objects.using(using).values_list("source", "target")
    return set(present) == _moves()


def _present(cursor: Any, vendor: str) -> list[tuple[str, str]]:
    if vendor == "sqlite":
        cursor.execute(
            "SELECT name, tbl_name FROM sqlite_master WHERE type = 'trigger' AND name LIKE 'guard_%'"
        )
    else:
        cursor.execute(
            "SELECT DISTINCT tgname, relname FROM pg_trigger JOIN pg_class ON tgrelid = pg_class.oid "
            "WHERE NOT tgisinternal AND tgname LIKE 'guard_%'"
        )
    return [(str(name), str(table)) for name, table in cursor.fetchall()]


def sync_moves(using: str = "default") -> None:
    """Make the table of legal moves equal to the one in ``domain/states.py``."""
    wanted = _moves()
    rows = Transition.objects.using(using)
    present = set(rows.values_list("source", "target"))
    for source, target in present - wanted:
        rows.filter(source=source, target=target).delete()
    rows.bulk_create(
        Transition(source=source, target=target) for source, target in sorted(wanted - present)
    )


def _moves() -> set[tuple[str, str]]:
    return {
        (move.source.value, move.target.value) for move in TRANSITIONS if move.source is not None
    }


def _on_post_migrate(sender: AppConfig, *, using: str, **_: Any) -> None:
    """After every migration of the engine's tables; see the module's docstring."""
    if sender.label == "publisher":
        install(using)


post_migrate.connect(_on_post_migrate, dispatch_uid="publisher.models.triggers")
