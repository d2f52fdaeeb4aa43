"""The engine alone: without the folder of the people's app, nothing may leave, and commands say so."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.crash import ROOT

SCRIPT = """
import json, sys
from django.core.management import execute_from_command_line
ended = {}
for command in json.loads(sys.argv[1]):
    try:
        ended[command[0]] = execute_from_command_line(["manage.py", *command]) or 0
    except SystemExit as end:
        ended[command[0]] = end.code
sys.stderr.flush()
print("ended", json.dumps(ended))
"""


@pytest.fixture
def alone(tmp_path: Path) -> Path:
    """A copy of the engine, and an empty remote beside it."""
    shutil.copytree(ROOT / "publisher", tmp_path / "publisher")
    (tmp_path / "text.md").write_text("# Hello\n\nA text.\n")
    subprocess.run(["git", "init", "-q", "--bare", tmp_path / "remote.git"], check=True)
    return tmp_path


def test_commands_that_need_an_authority_say_so_and_the_others_work(alone: Path) -> None:
    commands = [
        ["migrate", "-v0"],
        ["site", "add", "blog", "--remote", str(alone / "remote.git")],
        ["submit", "--site", "blog", "--content", "text.md", "--as", "ada"],
        ["work", "--until-idle"],
        ["reconcile"],
        ["verify"],
        ["doctor"],
    ]
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, json.dumps(commands)],
        cwd=alone, capture_output=True, text=True, check=True, timeout=120,
        env={"PATH": os.environ["PATH"], "IMPRIMATUR_DATA_DIR": str(alone / "var"),
             "DJANGO_SETTINGS_MODULE": "publisher.settings"},
    )  # fmt: skip
    ended = json.loads(done.stdout.rpartition("ended ")[2])
    refused = [name for name, code in ended.items() if code]
    assert refused == ["site", "submit", "work", "reconcile", "verify"], done.stderr
    assert done.stderr.count("the folder reviews is missing") == len(refused)
    assert "Traceback" not in done.stderr
