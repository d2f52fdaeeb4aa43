"""PostgreSQL: its own dump and restore, each one transaction; the password is in no argument."""

import os
import shutil
import subprocess
from pathlib import Path

from django.db import DatabaseError, connection
from psycopg import conninfo, pq

from publisher.processes.backup.record import BackupRefused

PACKAGE = "postgresql-client"


def dump(target: Path) -> None:
    """Write a dump of one moment; the product goes on working."""
    address, secrets = _address()
    _run(
        "pg_dump", "--format=custom", "--no-owner", "--no-privileges",
        "--file", str(target), *address, secrets=secrets,
    )  # fmt: skip
    target.chmod(0o600)


def load(source: Path) -> None:
    """Put a dump in the place of what is there, in one transaction: all of it or nothing."""
    address, secrets = _address()
    connection.close()
    _run(
        "pg_restore", "--clean", "--if-exists", "--no-owner", "--no-privileges",
        "--single-transaction", "--exit-on-error", *address, str(source), secrets=secrets,
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


def making() -> int | None:
    """The number of a table that every load makes anew; None where the database is empty."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT to_regclass('django_migrations')::oid")
        found: int | None = cursor.fetchone()[0]
        return found


def is_still(before: int | None) -> bool:
    """Whether nothing was loaded since; a database that does not answer may hold anything."""
    try:
        return making() == before
    except DatabaseError:
        return False


def _address() -> tuple[list[str], dict[str, str]]:
    """What Django connects with, as arguments, and what nobody may read there, as variables.

    Arguments, because a service file would win over variables: over the database's name as well.
    """
    given = connection.get_connection_params()
    known = {each.keyword.decode(): each for each in pq.Conninfo.get_defaults()}
    plain = {name: given[name] for name, each in known.items()
             if name in given and not each.dispchar}  # fmt: skip
    secrets = {each.envvar.decode(): str(given[name]) for name, each in known.items()
               if name in given and each.dispchar and each.envvar}  # fmt: skip
    return ["--no-password", "--dbname", conninfo.make_conninfo(**plain)], secrets


def _run(tool: str, *arguments: str, secrets: dict[str, str] | None = None) -> None:
    path = shutil.which(tool)
    if path is None:
        raise BackupRefused(
            f"{tool} is not on this machine. Install PostgreSQL's client programs of the server's"
            f" release (Debian package: {PACKAGE}), or dump the database by your own means."
        )
    done = subprocess.run(
        [path, *arguments],
        env={**os.environ, "LC_ALL": "C.UTF-8", **(secrets or {})},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        words = " ".join(done.stderr.split())[:500]
        raise BackupRefused(f"{tool} could not do it: {words}")
