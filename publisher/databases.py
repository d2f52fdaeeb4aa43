"""The database's settings: what makes SQLite keep its word, and what PostgreSQL needs."""

from pathlib import Path
from typing import Any

import dj_database_url

SQLITE = "publisher.sqlite"

# FULL, because an acceptance that was answered must survive a power cut.
SQLITE_PRAGMAS = (
    "PRAGMA journal_mode=WAL;PRAGMA synchronous=FULL;"
    "PRAGMA journal_size_limit=67108864;PRAGMA temp_store=MEMORY;"
)


def configure(url: str, *, data_dir: Path) -> dict[str, Any]:
    """Turn the address into Django's settings; without one it is a file in the data folder."""
    address = url or f"sqlite:///{data_dir / 'imprimatur.sqlite3'}"
    database: dict[str, Any] = dict(dj_database_url.parse(address, conn_max_age=600))
    options = dict(database.get("OPTIONS", {}))
    if database["ENGINE"] == "django.db.backends.sqlite3":
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
