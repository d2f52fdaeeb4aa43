"""The backend: looks at the file before each connection, and lets writers come one after the other."""

import os
import sqlite3
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError
from django.db import OperationalError
from django.db.backends.sqlite3 import base

from publisher import sqlite_file
from publisher.sqlite.turns import Turn

WRITES = ("BEGIN", "INSERT", "UPDATE", "DELETE", "REPLACE")
"""How statements begin that take the write lock; one that is left out only keeps no order."""


class DatabaseLost(OperationalError, CommandError):
    """An error of the database for code, and a sentence without a traceback for commands."""


class Cursor(base.SQLiteCursorWrapper):
    """Waits for its connection's turn before what takes the write lock."""

    def __init__(self, connection: sqlite3.Connection, turn: Turn) -> None:
        super().__init__(connection)
        self._turn = turn

    def execute(self, query: str, params: Any = None) -> Any:
        """Run the statement; the wait for the turn is part of the time that one may wait for the lock."""
        if self.connection.in_transaction or not query.startswith(WRITES):
            return super().execute(query, params)
        try:
            # Asked for each time: a page that only notes something down waits for less than an act.
            (usual,) = self.connection.execute("PRAGMA busy_timeout").fetchone()
            left = self._turn.take(usual / 1000)
            if left == usual / 1000:
                return super().execute(query, params)
            self._wait_at_most(int(left * 1000))
            try:
                return super().execute(query, params)
            finally:
                self._wait_at_most(usual)
        finally:
            if not self.connection.in_transaction:
                self._turn.give()

    def _wait_at_most(self, milliseconds: int) -> None:
        self.connection.execute(f"PRAGMA busy_timeout = {milliseconds}")


class DatabaseWrapper(base.DatabaseWrapper):
    """Refuses an empty, damaged or missing file, which SQLite would silently begin anew."""

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """Connect, if the file is what it should be."""
        path = Path(str(self.settings_dict["NAME"]))
        try:
            why = sqlite_file.refusal(path, settings.DATA_DIR)
        except OSError as error:
            raise DatabaseLost(f"The database {path} cannot be read: {error.strerror}.") from error
        if why:
            raise DatabaseLost(f"{why} Put it or a backup back: python3 manage.py restore.")
        sqlite_file.keep_private(path)
        self._turn = Turn(Path(os.path.realpath(path)).parent)
        return super().get_new_connection(conn_params)

    def create_cursor(self, name: str | None = None) -> Any:
        """Make one whose writes keep the order."""
        return Cursor(self.connection, self._turn)

    def _commit(self) -> None:
        super()._commit()  # type: ignore[misc]
        self._end_turn()  # not where that failed: a rollback follows

    def _rollback(self) -> None:
        try:
            super()._rollback()  # type: ignore[misc]
        finally:
            self._end_turn()

    def _close(self) -> None:
        try:
            super()._close()  # type: ignore[misc]
        finally:
            self._end_turn()

    def _end_turn(self) -> None:
        if self.connection is not None:
            self._turn.give()
