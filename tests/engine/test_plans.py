"""What the sweep asks is answered from indexes, so finished jobs cost it nothing."""

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.support.settings import BASE_DIR

USED = {
    "sqlite": {
        "due": "INDEX job_by_state (state=?)",
        "probes": "INDEX effect_open",
        "messages": "INDEX outbox_open",
        "expiry": "INDEX approval_pending",
        "seals": "INTEGER PRIMARY KEY (rowid>?)",
    },
    "postgresql": {
        "due": "job_unfinished",
        "probes": "effect_open",
        "messages": "outbox_open",
        "expiry": "approval_pending",
        "seals": "publisher_jobevent_pkey",
    },
}


def _plans(folder: Path, database: str) -> dict[str, str]:
    environment = {
        **os.environ,
        "IMPRIMATUR_NO_BOOTSTRAP": "1",
        "IMPRIMATUR_DATA_DIR": str(folder),
        "DATABASE_URL": database,
        "DJANGO_SETTINGS_MODULE": "publisher.settings",
    }
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.plans"],
        cwd=BASE_DIR, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found: dict[str, str] = json.loads(done.stdout)
    return found


def _check(plans: dict[str, str], vendor: str) -> None:
    for name, index in USED[vendor].items():
        assert index in plans[name], plans[name]


def test_sqlite_answers_the_sweep_from_indexes(tmp_path: Path) -> None:
    _check(_plans(tmp_path, ""), "sqlite")


def test_postgresql_answers_the_sweep_from_indexes(tmp_path: Path, postgres_dsn: str) -> None:
    _check(_plans(tmp_path, postgres_dsn), "postgresql")
