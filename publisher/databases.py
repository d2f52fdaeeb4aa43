"""The database's settings: what makes SQLite keep its word, and what PostgreSQL needs."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import dj_database_url

SQLITE = "publisher.sqlite"
DJANGOS_SQLITE = "django.db.backends.sqlite3"
FILE = "imprimatur.sqlite3"
REUSED_SECONDS = 600
"""How long a connection is kept."""

# FULL, because an acceptance that was answered must survive a power cut.
SQLITE_PRAGMAS = (
    "PRAGMA journal_mode=WAL;PRAGMA synchronous=FULL;"
    "PRAGMA journal_size_limit=67108864;PRAGMA temp_store=MEMORY;"
)


def configure(url: str, *, data_dir: Path) -> dict[str, Any]:
    """Turn the address into Django's settings; without one it is a file in the data folder."""
    # Never by way of an address: in a folder's name "#", "?" and "%" are letters like others.
    database: dict[str, Any] = {"ENGINE": DJANGOS_SQLITE, "NAME": str(data_dir / FILE)}
    if url:
        database = dict(dj_database_url.parse(url))
    database["CONN_MAX_AGE"] = REUSED_SECONDS
    options = dict(database.get("OPTIONS", {}))
    if database["ENGINE"] == DJANGOS_SQLITE:
        database["ENGINE"] = SQLITE
        # IMMEDIATE: a transaction that begins by reading could otherwise not be retried when
        # another writes meanwhile, whatever the timeout.
        options = {
            "transaction_mode": "IMMEDIATE",
            "timeout": 20,
            "init_command": SQLITE_PRAGMAS,
            **options,
        }
        # A file, because threads and processes of a test must see the same database.
        database["TEST"] = {"NAME": str(data_dir / "test.sqlite3")}
    else:
        options.setdefault("connect_timeout", 10)
        database["CONN_HEALTH_CHECKS"] = True
    database["OPTIONS"] = options
    return database


def file_of(database: Mapping[str, Any]) -> Path | None:
    """SQLite's file, where links lead: its log lies beside that; None where the database is another."""
    return Path(database["NAME"]).resolve() if database["ENGINE"] == SQLITE else None
