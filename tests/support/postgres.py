"""A PostgreSQL server of our own for tests: unix socket only, gone when the tests are."""

import os
import pwd
import shutil
import subprocess
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg

from tests.support.waiting import until

WHERE_DEBIAN_PUTS_IT = Path("/usr/lib/postgresql")


def find_binaries() -> Path | None:
    """Return the folder that holds initdb and postgres, the newest first; None without one."""
    versions = sorted(
        WHERE_DEBIAN_PUTS_IT.glob("*/bin/initdb"), key=lambda path: int(path.parts[-3])
    )
    if versions:
        return versions[-1].parent
    on_path = shutil.which("initdb")
    return Path(on_path).resolve().parent if on_path else None


def _identity() -> dict[str, Any]:
    """PostgreSQL refuses to run as root; its package brings a user for that."""
    if os.geteuid() != 0:
        return {}
    user = pwd.getpwnam("postgres")
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": [], "env": _plain_env()}


def _plain_env() -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}


def new_database(dsn: str) -> str:
    """The address of an empty database on the server of another."""
    name = f"race_{uuid.uuid4().hex}"
    with psycopg.connect(dsn, autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE {name}")
    return f"{dsn.rpartition('/')[0]}/{name}"


def copy_database(source: str, target: str) -> None:
    """Put a copy of one database, which nobody uses now, in the place of another on its server."""
    server, _, origin = source.rpartition("/")
    name = target.rpartition("/")[2]
    with psycopg.connect(f"{server}/postgres", autocommit=True) as admin:
        admin.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)".encode())
        admin.execute(f"CREATE DATABASE {name} TEMPLATE {origin}".encode())


def drop_databases(url: str) -> None:
    """Drop one database and the copies that were kept of it, whoever still uses them."""
    server, _, name = url.rpartition("/")
    with psycopg.connect(f"{server}/postgres", autocommit=True) as admin:
        sql = "SELECT datname FROM pg_database WHERE starts_with(datname, %s)"
        for (found,) in admin.execute(sql, [name]).fetchall():
            admin.execute(f"DROP DATABASE {found} WITH (FORCE)".encode())


@contextmanager
def running_server() -> Iterator[str]:
    """Start a server and yield the address of its empty database."""
    binaries = find_binaries()
    if binaries is None:
        raise FileNotFoundError("no PostgreSQL binaries (initdb) on this machine")
    folder = Path(tempfile.mkdtemp(prefix="imprimatur-pg-"))
    identity = _identity()
    if identity:
        os.chown(folder, identity["user"], identity["group"])
    data = folder / "data"
    subprocess.run(
        [binaries / "initdb", "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "-N"],
        check=True,
        capture_output=True,
        cwd=folder,
        **identity,
    )
    options = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
    flags = [part for key, value in options.items() for part in ("-c", f"{key}={value}")]
    server = subprocess.Popen(
        [binaries / "postgres", "-D", data, "-k", folder, "-c", "listen_addresses=", *flags],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=folder,
        start_new_session=True,
        **identity,
    )
    try:
        until(lambda: _accepts(binaries, folder), seconds=30, what="PostgreSQL to accept")
        yield f"postgresql://postgres@{str(folder).replace('/', '%2F')}/postgres"
    finally:
        server.terminate()
        try:
            server.wait(timeout=10)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()
        shutil.rmtree(folder, ignore_errors=True)


def _accepts(binaries: Path, folder: Path) -> bool:
    probe = [str(binaries / "pg_isready"), "-q", "-h", str(folder), "-U", "postgres"]
    return subprocess.run(probe, check=False, capture_output=True).returncode == 0
