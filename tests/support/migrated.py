"""A database as ``migrate`` leaves it: really migrated once in a run of the suite, then copied."""

import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

from publisher.secret_key import load_or_make
from tests.support import postgres

ROOT = Path(__file__).resolve().parents[2]
FILE = "imprimatur.sqlite3"
TEMPLATE = "suite_migrated"


def fill(data: Path, url: str = "") -> None:
    """Put it into a new data folder, or in the place of the empty PostgreSQL database that is named."""
    home = Path(os.environ["IMPRIMATUR_TEST_DATA"]) / "migrated"
    with _alone(home):
        if url:
            postgres.copy_database(_postgres_template(home, url), url)
        else:
            data.mkdir(mode=0o700, parents=True, exist_ok=True)
            load_or_make(data / "secret_key")
            shutil.copy(_sqlite_template(home), data / FILE)


@contextmanager
def _alone(home: Path) -> Iterator[None]:
    """One process of the suite at a time: the others find the template that the first one made."""
    home.mkdir(parents=True, exist_ok=True)
    with (home / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _sqlite_template(home: Path) -> Path:
    made = home / "made" / FILE
    if not made.exists():
        shutil.rmtree(home / "making", ignore_errors=True)
        _migrate(home / "making", {})
        (home / "making").rename(home / "made")
    return made


def _postgres_template(home: Path, url: str) -> str:
    server = url.rpartition("/")[0]
    with psycopg.connect(f"{server}/postgres", autocommit=True) as admin:
        question = "SELECT 1 FROM pg_database WHERE datname = %s"
        is_there = admin.execute(question, [TEMPLATE]).fetchone()
        if not is_there:
            making = postgres.new_database(url)
            _migrate(home / "data", {"DATABASE_URL": making})
            made = making.rpartition("/")[2]
            admin.execute(f"ALTER DATABASE {made} RENAME TO {TEMPLATE}".encode())
    return f"{server}/{TEMPLATE}"


def _migrate(data: Path, database: dict[str, str]) -> None:
    kept = {key: value for key, value in os.environ.items() if key != "DATABASE_URL"}
    ours = {
        "IMPRIMATUR_DATA_DIR": str(data),
        "IMPRIMATUR_NO_BOOTSTRAP": "1",
        "DJANGO_SETTINGS_MODULE": "publisher.settings",
    }
    subprocess.run(
        [sys.executable, str(ROOT / "manage.py"), "migrate", "-v0", "--skip-checks"],
        cwd=ROOT, env={**kept, **ours, **database}, check=True,
    )  # fmt: skip
