"""Scratch: an installation of a bench's own, on SQLite or a private PostgreSQL, gone afterwards."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import django
from django.core.management import call_command

from tests.support import postgres


@contextmanager
def installation(*, postgresql: bool) -> Iterator[Path]:
    """Set Django up in an empty data folder with a migrated database; once in a process."""
    with tempfile.TemporaryDirectory(prefix="imprimatur-bench-") as folder:
        if not postgresql:
            yield _begin(folder, "")
            return
        with postgres.running_server() as dsn:
            yield _begin(folder, dsn)


def _begin(folder: str, database: str) -> Path:
    os.environ.update(
        IMPRIMATUR_DATA_DIR=folder,
        DATABASE_URL=database,
        DJANGO_SETTINGS_MODULE="publisher.settings",
        IMPRIMATUR_NO_BOOTSTRAP="1",
    )
    django.setup()
    call_command("migrate", verbosity=0)
    return Path(folder)
