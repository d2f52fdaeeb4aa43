"""From a clean clone: set-up, second start, how soon a worker comes, and memory, on real processes.

``python -m bench.start`` clones this repository beside nothing else, with an empty pip cache, and
runs it as a newcomer would. ``--postgresql`` does so on a private PostgreSQL server. It prints a
line for each figure and exits with 1 when one misses its goal.
"""

import argparse
import contextlib
import json
import os
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

from tests.support import postgres

HERE = Path(__file__).resolve().parents[1]
SAMPLES, PUBLICATIONS = 60, 20
GOALS = {
    "set-up from a clean clone, s": 60.0,
    "ready after the page answers, s": 3.0,
    "second start, s": 5.0,
    "enqueue to start, median ms": 100.0,
    "memory of all processes, MB": 500.0,
}


class Installation:
    """A clean clone with its own data folder and port."""

    def __init__(self, folder: Path, database: str) -> None:
        self.code = folder / "clone"
        subprocess.run(["git", "clone", "-q", "--no-local", HERE, self.code], check=True)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        kept = ("PATH", "HOME", "LANG", "PIP_INDEX_URL", "PIP_CONFIG_FILE", "PIP_FIND_LINKS")
        self.environment = {name: os.environ[name] for name in kept if name in os.environ}
        self.environment["PIP_NO_CACHE_DIR"] = "1"
        if database:
            self.environment["DATABASE_URL"] = database

    @contextlib.contextmanager
    def running(self) -> Iterator[tuple[int, float, float]]:
        """``manage.py run``: its process id, seconds to the page, and from there to ready."""
        command = [sys.executable, "manage.py", "run", "--port", str(self.port)]
        start = time.monotonic()
        with (self.code.parent / "log.txt").open("ab") as log:
            process = subprocess.Popen(
                command, cwd=self.code, env=self.environment, stdout=log, stderr=log
            )
        try:
            page = self._until("/login/", process)
            ready = self._until("/readyz", process)
            yield process.pid, page - start, ready - page
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(timeout=60)

    def inside(self, *words: str) -> float | list[float]:
        """Ask ``bench.running`` in this installation's environment."""
        answer = subprocess.run(
            [self.code / ".venv/bin/python", "-m", "bench.running", *words],
            cwd=self.code, env=self.environment, stdout=subprocess.PIPE, check=True,
        )  # fmt: skip
        found: float | list[float] = json.loads(answer.stdout)
        return found

    def _until(self, path: str, process: subprocess.Popen[bytes]) -> float:
        end = time.monotonic() + 300
        while time.monotonic() < end and process.poll() is None:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=5):
                    return time.monotonic()
            except (urllib.error.URLError, OSError):
                time.sleep(0.05)
        raise SystemExit((self.code.parent / "log.txt").read_text()[-4000:])


def family(pid: int) -> list[int]:
    """The process and all its descendants."""
    found = [pid]
    for each in found:
        for listing in Path(f"/proc/{each}/task").glob("*/children"):
            found += [int(word) for word in listing.read_text().split()]
    return found


def proportional_megabytes(pids: list[int]) -> float:
    """The proportional set sizes (Pss) together: shared pages count once."""
    kilobytes = 0
    for pid in pids:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                kilobytes += int(line.split()[1])
    return kilobytes / 1000


def measure(folder: Path, database: str) -> dict[str, float]:
    """All figures, in the order of GOALS."""
    made = Installation(folder, database)
    with made.running() as (_, first, ready):
        pass
    with made.running() as (pid, second, _):
        made.inside("latency", "5")
        waits = made.inside("latency", str(SAMPLES))
        assert isinstance(waits, list)
        made.inside("publish", str(PUBLICATIONS))
        time.sleep(5)
        pids = family(pid)
        memory = proportional_megabytes(pids)
    tenths = statistics.quantiles(waits, n=20)
    print(f"{len(waits)} samples: 95th hundredth {tenths[-1]:.0f} ms, longest {max(waits):.0f} ms")
    print(f"{len(pids)} processes, {PUBLICATIONS} articles published before memory was read")
    return dict(zip(GOALS, (first, ready, second, statistics.median(waits), memory), strict=True))


def main() -> None:
    """Measure, print, judge."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--postgresql", action="store_true")
    options = parser.parse_args()
    with contextlib.ExitStack() as stack:
        database = stack.enter_context(postgres.running_server()) if options.postgresql else ""
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="start-"))
        figures = measure(Path(folder), database)
    for name, value in figures.items():
        verdict = "ok" if value < GOALS[name] else "MISSED"
        print(f"{name:34} {value:8.1f}  goal < {GOALS[name]:g}  {verdict}")
    if any(value >= GOALS[name] for name, value in figures.items()):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
