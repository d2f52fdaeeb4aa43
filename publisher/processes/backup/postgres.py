"""PostgreSQL: its own dump and restore, each one transaction; the password is in no argument."""

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connection

from publisher.processes.backup.record import BackupRefused

PACKAGE = "postgresql-client"


def dump(target: Path) -> None:
    """Write a dump of one moment; the product goes on working."""
    _run("pg_dump", "--format=custom", "--no-owner", "--no-privileges", "--file", str(target))
    target.chmod(0o600)


def load(source: Path) -> None:
    """Put a dump in the place of what is there, in one transaction: all of it or nothing."""
    connection.close()
    _run(
        "pg_restore", "--clean", "--if-exists", "--no-owner", "--no-privileges",
        "--single-transaction", "--exit-on-error", "--dbname", _database()["NAME"], str(source),
    )  # fmt: skip


def check(source: Path) -> None:
    """BackupRefused when the dump cannot be read to its end."""
    _run("pg_restore", "--list", str(source))


def others() -> int:
    """How many other programs are connected to the database."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
            " AND pid <> pg_backend_pid() AND backend_type = 'client backend'"
        )
        return int(cursor.fetchone()[0])


def _database() -> dict[str, Any]:
    return dict(settings.DATABASES["default"])


def _run(tool: str, *arguments: str) -> None:
    path = shutil.which(tool)
    if path is None:
        raise BackupRefused(
            f"{tool} is not on this machine. Install PostgreSQL's client programs of the server's"
            f" release (Debian package: {PACKAGE}), or dump the database by your own means."
        )
    database = _database()
    named = {
        "PGHOST": database.get("HOST"),
        "PGPORT": database.get("PORT"),
        "PGUSER": database.get("USER"),
        "PGPASSWORD": database.get("PASSWORD"),
        "PGDATABASE": database.get("NAME"),
    }
    done = subprocess.run(
        [path, *arguments],
        env={**os.environ, "LC_ALL": "C.UTF-8", **{k: str(v) for k, v in named.items() if v}},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        words = " ".join(done.stderr.split())[:500]
        raise BackupRefused(f"{tool} could not do it: {words}")
