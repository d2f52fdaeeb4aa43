"""A running installation under load whose processes are killed without warning, one after the other."""

import json
import os
import random
import signal
import socket
import subprocess
import sys
import threading
import urllib.request
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from http.client import HTTPException
from pathlib import Path
from typing import Any

from tests.support.crash import ROOT, Installation, warmed
from tests.support.git import make_remote
from tests.support.waiting import until

LEASE_SECONDS, SWEEP_SECONDS = "2", "2"
PATIENCE = 300.0
"""How long one who hands in asks again; a burst of kills lasts a few seconds."""


@dataclass
class Soak:
    """``manage.py run`` with short leases, and a program that submits and approves beside it."""

    here: Installation
    port: int
    tokens: dict[str, str]
    killed: Counter[str] = field(default_factory=Counter)
    accepted: dict[str, str] = field(default_factory=dict)

    def start(self, *, sweep_seconds: str = SWEEP_SECONDS) -> "subprocess.Popen[bytes]":
        """All parts, up and answering."""
        environment = {
            **self.here.environment,
            "IMPRIMATUR_LEASE_SECONDS": LEASE_SECONDS,
            "IMPRIMATUR_RECONCILE_SECONDS": sweep_seconds,
        }
        with (self.here.home / "run.log").open("wb") as log:
            process = subprocess.Popen(
                [sys.executable, str(ROOT / "manage.py"), "run", "--empty", "--port", str(self.port)],
                cwd=ROOT, env=environment, stdout=log, stderr=log, start_new_session=True,
            )  # fmt: skip
        try:
            until(self.answers, seconds=90, what="the web server")
        except AssertionError:
            process.terminate()
            process.wait(60)
            raise
        return process

    def hand_in(self, key: str) -> None:
        """Submit an article until it is accepted; the same key however often the answer is lost."""
        body = {
            "site": "blog", "content": f"# {key}\n\nWords of {key}.\n",
            "target_path": f"content/posts/{key}.md", "action": "create",
        }  # fmt: skip
        answer = until(
            lambda: self.call("ada", "/jobs", body, {"Idempotency-Key": key}),
            seconds=PATIENCE, what=f"{key} to be accepted", every=0.1,
        )  # fmt: skip
        self.accepted[key] = str(answer["job_id"])

    def approve_what_waits(self) -> None:
        """One look at every request that is open."""
        listed = self.call("rui", "/approvals")
        for row in listed["items"] if listed else ():
            decision = {
                "decision": "approve", "reviewed_hash": row["binding_hash"],
                "request_id": f"soak-{row['id']}",
            }  # fmt: skip
            self.call("rui", f"/approvals/{row['id']}/decision", decision)

    def kill_one(self, root: int, draw: random.Random) -> None:
        """SIGKILL to one of the web server's or the workers' processes, never to ``run`` itself."""
        pid, name = draw.choice(until(lambda: family(root), seconds=30, what="a process to kill"))
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
            self.killed[name] += 1

    def recovers(self, accepted: int) -> None:
        """It answers again, and accepted more than it had before."""
        until(
            lambda: self.answers() and len(self.accepted) > accepted,
            seconds=PATIENCE, what="more to be accepted", every=0.1,
        )  # fmt: skip

    def publishes_all(self, count: int, *, seconds: float) -> None:
        """All were accepted and are published in the end; else everything that is known is told."""
        try:
            until(
                lambda: len(self.accepted) == count and self.states() == {"PUBLISHED": count},
                seconds=seconds, what="every job to be published", every=0.3,
            )  # fmt: skip
        except AssertionError as waited:
            raise AssertionError(f"{waited}\n{self.story()}") from waited

    def story(self) -> str:
        """What was accepted, each job's history, and what the processes said of themselves."""
        rows = self.here.rows().tables
        events = [
            f"{row['at']} {row['job_id']} {row['event']} -> {row['target']} {row['reason']}"
            for row in rows["events"]
        ]
        said = (self.here.home / "run.log").read_text(errors="replace").splitlines()
        told = [line for line in said if '"reconciled"' not in line]
        return "\n".join(
            [f"killed {dict(self.killed)}, accepted {self.accepted}", *events, *told[-40:]]
        )

    def states(self) -> Counter[str]:
        """In which states the accepted jobs are."""
        rows = self.call("ada", "/jobs?limit=200")
        return Counter(row["state"] for row in rows["items"]) if rows else Counter()

    def answers(self, path: str = "/healthz") -> bool:
        """Whether a page is there without anybody's name."""
        with suppress(OSError), urllib.request.urlopen(self._address(path), timeout=2):
            return True
        return False

    def _address(self, path: str) -> str:
        return f"http://127.0.0.1:{self.port}{path}"

    def call(self, who: str, path: str, body: Any = None, headers: Any = None) -> Any:
        """The answer, or None when nobody was there to give one or it was an error of the server."""
        request = urllib.request.Request(
            self._address(f"/api/v1{path}"),
            data=None if body is None else json.dumps(body).encode(),
            headers={
                "Authorization": f"Bearer {self.tokens[who]}",
                "Content-Type": "application/json", **(headers or {}),
            },
        )  # fmt: skip
        try:
            with urllib.request.urlopen(request, timeout=10) as answer:
                return json.load(answer)
        except (OSError, ValueError, EOFError, HTTPException):
            return None


def prepare(
    home: Path, database: str = "", *, also: Callable[[Installation], object] | None = None
) -> Soak:
    """A site, two people and their tokens; ``also`` adds to it while commands need no start-up."""
    with warmed(home, database) as here:
        here.remote.parent.mkdir(parents=True)
        make_remote(here.remote, {"content/posts/first.md": b"# First\n"})
        here.migrate()
        here.command("user", "add", "ada", "--role", "submitter")
        here.command("user", "add", "rui", "--role", "reviewer")
        here.command("site", "add", "blog", "--remote", str(here.remote))
        allowed = {"ada": "submit,read", "rui": "read,decide"}
        tokens = {
            name: here.command("token", "create", "--user", name, "--allow", allow).split()[-1]
            for name, allow in allowed.items()
        }
        if also is not None:
            also(here)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
    return Soak(Installation(home, database), port, tokens)


def family(root: int) -> list[tuple[int, str]]:
    """All descendants of a process, with the names of their programs' parts."""
    parents: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
                parents.setdefault(int(fields[1]), []).append(int(entry.name))
    found, waiting = [], list(parents.get(root, ()))
    while waiting:
        pid = waiting.pop()
        waiting += parents.get(pid, ())
        found.append((pid, _name(pid)))
    return found


def _name(pid: int) -> str:
    with suppress(OSError):
        words = Path(f"/proc/{pid}/cmdline").read_text().split("\0")
        if Path(words[0]).name == "git" or "git" in words[:1]:
            return "git"
        return "web" if "gunicorn" in " ".join(words) else "worker"
    return "gone"


def press_on(soak: Soak, count: int, stop: threading.Event) -> None:
    """Hand in ``count`` articles, approving in between, then approve until told to stop."""
    for number in range(count):
        soak.hand_in(f"soak-{number}")
        soak.approve_what_waits()
    while not stop.wait(0.3):
        soak.approve_what_waits()
