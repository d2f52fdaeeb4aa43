"""Tasks for the process tests: each leaves a file, so that its run can be seen from outside."""

import os
import subprocess
import sys
import threading
from pathlib import Path

from django.conf import settings


def _marks() -> Path:
    return Path(settings.DATA_DIR) / "marks"


def heartbeat(mark: str) -> None:
    """Do nothing; its way through the cluster is what counts."""


def sweep() -> None:
    """Do nothing."""


def first_sweep_held() -> None:
    """The first one stays as ``block`` does; whichever comes meanwhile leaves a mark and is over."""
    try:
        (_marks() / "first").touch(exist_ok=False)
    except FileExistsError:
        mark("later")
        return
    block("held")


def mark(name: str) -> None:
    """Leave the process id in a file of this name."""
    (_marks() / name).write_text(str(os.getpid()))


def block(name: str) -> None:
    """Leave a mark and stay until the file ``NAME.go`` is there (or a minute is over)."""
    mark(name)
    pause = threading.Event()
    for _ in range(6000):
        if (_marks() / f"{name}.go").exists():
            mark(f"{name}.done")
            return
        pause.wait(0.01)


def spawn_and_block(name: str) -> None:
    """Start a child in a session of its own, as git is run, leave both ids, and stay."""
    child = subprocess.Popen(
        [sys.executable, "-c", "import signal; signal.pause()"], start_new_session=True
    )
    (_marks() / f"{name}.child").write_text(str(child.pid))
    block(name)
