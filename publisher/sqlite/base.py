"""The backend: looks at the file before each connection."""

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError
from django.db import OperationalError
from django.db.backends.sqlite3 import base

from publisher import sqlite_file


class DatabaseLost(OperationalError, CommandError):
    """An error of the database for code, and a sentence without a traceback for commands."""


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
        return super().get_new_connection(conn_params)
