"""Database: whether there is one to read at all; a lost SQLite file must not open as an empty one."""

from collections.abc import Iterator
from pathlib import Path

from django.conf import settings
from django.db import DatabaseError, connection

from publisher import sqlite_file
from publisher.engine.audit.breach import Breach


def check() -> Iterator[Breach]:
    """Before anything is asked of SQLite: the file is there, and whole."""
    name = str(connection.settings_dict["NAME"])
    if connection.vendor == "sqlite" and not connection.in_atomic_block:
        why = _trouble(Path(name))
        if why:
            yield Breach("database_unreadable", name, why)
            return
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM publisher_site")
            cursor.fetchone()
    except DatabaseError as error:
        yield Breach("database_unreadable", name, f"It does not answer as it should: {error}.")


def _trouble(path: Path) -> str:
    found = sqlite_file.trouble(path) or sqlite_file.lost(path, settings.IMPRIMATUR_DATA_DIR)
    return found or ("" if path.exists() else f"There is no database {path}.")
