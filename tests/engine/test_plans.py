"""What the sweep asks is answered from indexes, so finished jobs cost it nothing."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.support.settings import BASE_DIR

GROWING = {
    "publisher_artifact",
    "publisher_effect",
    "publisher_job",
    "publisher_jobevent",
    "publisher_outbox",
    "publisher_seal",
    "reviews_approval",
}


def _sweeps(folder: Path, database: str) -> dict[str, Any]:
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
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def _check(sweeps: dict[str, Any]) -> None:
    assert sweeps["asked"] == sorted(GROWING)
    assert sweeps["whole"] == []
    few, many = sweeps["work"]
    assert many < 1.2 * few


def test_sqlite_answers_the_sweep_from_indexes(tmp_path: Path) -> None:
    _check(_sweeps(tmp_path, ""))


def test_postgresql_answers_the_sweep_from_indexes(tmp_path: Path, postgres_dsn: str) -> None:
    _check(_sweeps(tmp_path, postgres_dsn))
