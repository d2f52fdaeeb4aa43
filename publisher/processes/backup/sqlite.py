"""SQLite: a consistent copy while others write, and what is asked of such a copy."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path

from publisher import sqlite_file
from publisher.processes.backup.record import BackupRefused

WAIT_SECONDS = 20


def copy(source: Path, target: Path) -> None:
    """Copy the database in one read transaction, which holds no writer up, into a single file."""
    if why := sqlite_file.trouble(source):
        raise BackupRefused(why)
    if not source.exists():
        raise BackupRefused(f"There is no database at {source}.")
    try:
        with _opened(source) as live, closing(sqlite3.connect(target)) as kept:
            live.backup(kept)
            kept.execute("PRAGMA journal_mode=DELETE")
        target.chmod(0o600)
        check(target)
    except sqlite3.DatabaseError as error:
        raise BackupRefused(f"The database cannot be copied: {error}.") from error


def check(path: Path) -> None:
    """BackupRefused when the copy is not sound."""
    with _opened(path) as kept:
        found = [row[0] for row in kept.execute("PRAGMA quick_check(3)")]
    if found != ["ok"]:
        raise BackupRefused(f"The database is damaged: {'; '.join(found)}.")


def artifacts(path: Path) -> list[tuple[str, int]]:
    """Names and sizes of the artifacts that the rows of a copy name."""
    with _opened(path) as kept:
        rows = kept.execute("SELECT sha256, size FROM publisher_artifact ORDER BY sha256")
        return [(str(name), int(size)) for name, size in rows]


def jobs(path: Path) -> int:
    """How many jobs a copy holds."""
    with _opened(path) as kept:
        return int(kept.execute("SELECT count(*) FROM publisher_job").fetchone()[0])


def migrations(path: Path) -> list[list[str]]:
    """The migrations that a copy has behind it."""
    with _opened(path) as kept:
        rows = kept.execute("SELECT app, name FROM django_migrations ORDER BY app, name")
        return [[str(app), str(name)] for app, name in rows]


def is_in_use(path: Path) -> bool:
    """Whether another process has the database open; a damaged one can be in use by nobody."""
    try:
        with closing(sqlite3.connect(path, timeout=0)) as probe:
            mode = probe.execute("PRAGMA journal_mode=DELETE").fetchone()[0]
    except sqlite3.OperationalError:
        return True
    except sqlite3.DatabaseError:
        return False
    return str(mode) != "delete"


@contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection]:
    address = f"{path.absolute().as_uri()}?mode=ro"
    with closing(sqlite3.connect(address, uri=True, timeout=WAIT_SECONDS)) as connection:
        yield connection


def note_restore(path: Path, taken_at: str, now: datetime, mark: str) -> None:
    """Write into a copy that it was put back: its clones are to be made, its jobs looked for.

    ``mark`` is the installation's new id where the copy has none yet.
    """
    at = now.isoformat()
    with closing(sqlite3.connect(path, isolation_level=None)) as kept:
        kept.execute("BEGIN IMMEDIATE")
        kept.execute(
            "INSERT OR IGNORE INTO publisher_node"
            " (installation, name, role, version, facts, heartbeat_at)"
            " VALUES (?, 'installation', 'installation', '', '{}', ?)",
            (mark, now.strftime("%Y-%m-%d %H:%M:%S.%f")),
        )
        kept.execute(
            "UPDATE publisher_node SET facts = json_set(facts, '$.restores', json_insert("
            "coalesce(json_extract(facts, '$.restores'), '[]'), '$[#]',"
            " json_object('taken_at', ?, 'at', ?)))"
            " WHERE name = 'installation' AND role = 'installation'",
            (taken_at, at),
        )
        kept.execute(
            "UPDATE publisher_site SET clone_state = 'pending', fetched_at = NULL"
            " WHERE clone_state = 'ready'"
        )
        kept.execute("COMMIT")
