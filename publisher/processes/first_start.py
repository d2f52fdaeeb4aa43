"""The first start: database, then demo data or a first administrator, finished even after a crash."""

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from django.core.management import call_command
from django.db import connection

from publisher import sqlite_file


@contextmanager
def turn(data_dir: Path, *, when_taken: Callable[[], None]) -> Iterator[None]:
    """Be the only start that prepares this data folder; ``when_taken`` is called before a wait.

    Whoever waited finds everything done. The lock goes with the process, however that ends.
    """
    folder = data_dir / "processes"
    folder.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(folder / "start.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            when_taken()
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def announce(data_dir: Path, database: Path | None, *, empty: bool) -> None:
    """Leave the marker before SQLite's file is made, so that an empty one is known to be new."""
    if database is None or database.exists() or sqlite_file.lost(database, data_dir):
        return
    (data_dir / sqlite_file.FIRST_START).write_text(_filling(empty))


def prepare(data_dir: Path, *, empty: bool, address: str) -> None:
    """Bring the database up to date, and fill a new one once.

    The marker is written before the database exists and removed when all is there, so a start
    that was cut short is completed by the next. ``address`` is where the pages will be.
    """
    marker = data_dir / sqlite_file.FIRST_START
    if not marker.exists() and "django_migrations" not in connection.introspection.table_names():
        marker.write_text(_filling(empty))
    call_command("migrate", interactive=False, verbosity=0)
    if marker.exists():
        _fill(marker.read_text(), address)
        marker.unlink()


def _filling(empty: bool) -> str:
    return "empty" if empty else "demo"


def _fill(with_what: str, address: str) -> None:
    if with_what == "empty":
        call_command("first_admin", address=address)
    else:
        # How to log in is said once, together with the address.
        call_command("demo", verbosity=0)


def login_hint(data_dir: Path) -> str:
    """How to log in to a demo; nothing for an installation without one."""
    path = data_dir / "demo-login.txt"
    return path.read_text().strip() if path.exists() else ""
