"""The end of ``run``: web server, workers and sweep all go with it, whichever way it is stopped."""

import os
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from tests.support.crash import ROOT, Installation
from tests.support.running import living
from tests.support.waiting import until

pytestmark = pytest.mark.xdist_group("processes")


def answers(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=5) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_all_that_run_started_ends_with_it(
    tmp_path: Path, database: str, number: signal.Signals
) -> None:
    here = Installation(tmp_path, database)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
    with (tmp_path / "run.log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, str(ROOT / "manage.py"), "run", "--empty", "--port", str(port)],
            cwd=ROOT, env=here.environment, stdout=log, stderr=log, start_new_session=True,
        )  # fmt: skip
    try:
        until(lambda: answers(port), seconds=90, what="web server and worker")
        assert len(living(tmp_path)) > 5
        process.send_signal(number)
        assert process.wait(timeout=40) == 0
        assert living(tmp_path) == []
    finally:
        for pid in living(tmp_path):
            os.kill(pid, signal.SIGKILL)
        process.wait(timeout=10)
