"""Acts in a terminal: what they check and load before they do anything."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ACT_THEN_LOADED = """
import sys
from django.core.management import ManagementUtility
try:
    ManagementUtility(["manage.py", *sys.argv[1:]]).execute()
except BaseException:
    pass
print("\\n".join(sys.modules))
"""


def environment(folder: Path, **more: str) -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if key != "DATABASE_URL"}
    ours = {
        "IMPRIMATUR_DATA_DIR": str(folder),
        "IMPRIMATUR_NO_BOOTSTRAP": "1",
        "DJANGO_SETTINGS_MODULE": "publisher.settings",
    }
    return {**kept, **ours, **more}


@pytest.mark.parametrize("act", [["inspect", "job"], ["user", "list"], ["prune"], ["backup"]])
def test_an_act_loads_no_page(tmp_path: Path, act: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", ACT_THEN_LOADED, *act],
        cwd=ROOT, env=environment(tmp_path), capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    loaded = done.stdout.split()
    assert any(name.endswith(f".management.commands.{act[0]}") for name in loaded)
    assert "publisher.urls" not in loaded


def test_an_act_refuses_settings_that_would_lose_writers(tmp_path: Path) -> None:
    address = f"sqlite:///{tmp_path}/own.sqlite3?transaction_mode=DEFERRED"
    done = subprocess.run(
        [sys.executable, "manage.py", "inspect", "job"],
        cwd=ROOT, env=environment(tmp_path, DATABASE_URL=address),
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert done.returncode != 0
    assert "publisher.E002" in done.stderr
