"""A supervisor of a test's own in a real process, what it keeps alive, and tasks sent to it."""

import os
import signal
import subprocess
import sys
from pathlib import Path

from publisher.processes import kernel
from tests.support.waiting import until

ROOT = Path(__file__).resolve().parents[2]
GOES_ON = 5.0
ENQUEUE = """
import sys
import django
django.setup()
from django_q.tasks import async_task
for line in sys.stdin:
    async_task(*line.split())
    print("queued", flush=True)
"""


class Family:
    """A supervisor (alone, or kept by a parent) and the process that sends it tasks."""

    def __init__(self, folder: Path, how: str, database: str, **variables: str) -> None:
        self.folder = folder
        self.database = database
        self.marks = folder / "marks"
        environment = {
            **os.environ,
            "DATABASE_URL": database,
            "IMPRIMATUR_DATA_DIR": str(folder),
            "DJANGO_SETTINGS_MODULE": "publisher.settings",
            **variables,
        }
        self.log = (folder / "log.txt").open("w")
        self.top = subprocess.Popen(
            [sys.executable, "-m", "tests.support.supervised", how],
            cwd=ROOT,
            env=environment,
            stdout=self.log,
            stderr=self.log,
            start_new_session=True,
        )
        self.sender = subprocess.Popen(
            [sys.executable, "-c", ENQUEUE],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.log,
            text=True,
        )
        self.log.close()
        self.seen: set[int] = set()

    def send(self, task: str, *arguments: str) -> None:
        assert self.sender.stdin
        assert self.sender.stdout
        self.sender.stdin.write(" ".join([f"tests.support.tasks.{task}", *arguments]) + "\n")
        self.sender.stdin.flush()
        assert self.sender.stdout.readline() == "queued\n"

    def mark(self, name: str, *, seconds: float = GOES_ON) -> int:
        """Wait for a task's mark; returns the process that left it."""
        path = self.marks / name
        until(lambda: path.exists() and path.read_text(), seconds=seconds, what=f"mark {name}")
        return int(path.read_text())

    def main(self) -> int:
        path = self.folder / "processes" / "cluster.lock"

        def look() -> int:
            word = path.read_text().strip() if path.exists() else ""
            return int(word) if word and kernel.is_alive(int(word)) else 0

        return until(look, seconds=20, what="the cluster's main process")

    def sentinel(self) -> int:
        return until(lambda: kernel.children(self.main()), seconds=20, what="the sentinel")[0]

    def members(self) -> list[int]:
        """Workers first, then monitor and pusher, as the sentinel starts them."""
        sentinel = self.sentinel()

        def look() -> list[int]:
            found = [pid for pid in kernel.children(sentinel) if kernel.is_alive(pid)]
            return found if len(found) == 4 else []

        return until(look, seconds=20, what="four processes below the sentinel")

    def everybody(self) -> set[int]:
        """Every process that this family ever had, as far as it was looked at."""
        found, todo = set[int](), [self.top.pid]
        while todo:
            pid = todo.pop()
            found.add(pid)
            todo += kernel.children(pid)
        self.seen |= found
        return found

    def warm_up(self) -> None:
        until(
            lambda: (self.folder / "processes" / "cluster.lock").exists(), seconds=30, what="start"
        )
        self.members()
        self.send("mark", "warm")
        self.mark("warm", seconds=20)
        self.everybody()

    def goes_on(self) -> None:
        """Work sent now is done in time; the limit counts from here."""
        self.send("mark", "after")
        self.mark("after")

    def end(self) -> None:
        self.sender.kill()
        self.sender.communicate()
        if self.top.poll() is None:
            self.everybody()
            self.top.terminate()
            try:
                self.top.wait(timeout=30)
            except subprocess.TimeoutExpired:
                self.top.kill()
                self.top.wait()
        for pid in self.seen:
            if kernel.is_alive(pid) and belongs_to(pid, self.folder):
                os.kill(pid, signal.SIGKILL)


def belongs_to(pid: int, folder: Path) -> bool:
    """Whether a process was started for this folder."""
    try:
        return str(folder).encode() in Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return False
