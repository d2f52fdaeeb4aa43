"""A scratch installation of a drill: its own data folder, database and remote, and one approved job."""

import errno
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings

from publisher import databases
from publisher.faults import EXIT

PATH = "content/posts/hello.md"
ARTICLE = b"---\ntitle: Hello\n---\n\nFirst line.\n"
DRAFT = ARTICLE + b"\nA second line.\n"
OTHER = "content/posts/other.md"
LEASE_SECONDS = 1.5
LONG_LEASE_SECONDS = 60.0
GIT_SECONDS = 10
"""How long a remote may be silent."""
_DEADLINE_SECONDS = 90.0
_PERSON = ("Second Person", "second@example.invalid")


class DrillFailed(Exception):
    """The experiment itself could not be made, whatever the promise is worth."""


@dataclass(frozen=True, slots=True)
class Scratch:
    """Everything below one folder; ``program`` is what the workers run instead of manage.py."""

    folder: Path
    program: tuple[str, ...] = ()

    @property
    def remote(self) -> Path:
        """The bare repository."""
        return self.folder / "remote.git"

    @property
    def database(self) -> Path:
        """The job store."""
        return self.folder / "var" / databases.FILE

    @property
    def job(self) -> str:
        """The one job."""
        return (self.folder / "job").read_text()

    def command(self, *arguments: str, code: int = 0) -> str:
        """Run one command to its end; what it printed."""
        done = subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=settings.BASE_DIR, env=self._environment(), text=True, capture_output=True,
            check=False, timeout=_DEADLINE_SECONDS, stdin=subprocess.DEVNULL,
        )  # fmt: skip
        if done.returncode != code:
            raise DrillFailed(f"{arguments[0]} ended with {done.returncode}: {done.stderr[-800:]}")
        return done.stdout

    def submit(self, site: str) -> str:
        """The draft for a site, by Ada; the job's id."""
        said = self.command(
            "submit", "--site", site, "--content", str(self.folder / "draft.md"),
            "--target-path", PATH, "--as", "ada", "--json",
        )  # fmt: skip
        return str(json.loads(said)["job_id"])

    def approve(self, job: str) -> None:
        """Rui approves what is there."""
        self.command("approve", job, "--hash", str(self.facts(job)["binding_hash"]), "--as", "rui")

    def begin_work(
        self, *, fault: str = "", lease: float = LEASE_SECONDS, once: bool = False, job: str = ""
    ) -> "subprocess.Popen[str]":
        """Start a worker, for one job or for all; with a fault point it ends, stops or fails there."""
        how = "--once" if once else "--until-idle"
        options = [*(["--fault", fault] if fault else []), *(["--job", job] if job else [])]
        with (self.folder / "said.txt").open("a") as said:
            return subprocess.Popen(
                [sys.executable, *(self.program or ("manage.py",)), "work", how,
                 "--lease-seconds", str(lease), *options],
                cwd=settings.BASE_DIR, env=self._environment(), text=True, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=said,
            )  # fmt: skip

    def work(self, *, fault: str = "", once: bool = False) -> str:
        """Let a worker come to its end; with a fault point it has to die there."""
        worker = self.begin_work(fault=fault, once=once)
        said, _ = worker.communicate(timeout=_DEADLINE_SECONDS)
        wanted = EXIT if fault and "=" not in fault else 0
        if worker.returncode != wanted:
            raise DrillFailed(f"the worker ended with {worker.returncode}, not {wanted}")
        return said

    def pause_at(
        self, point: str, *, lease: float = LEASE_SECONDS, job: str = ""
    ) -> "subprocess.Popen[str]":
        """A worker that has stopped at the point, as a suspended machine does."""
        worker = self.begin_work(fault=f"{point}=pause", lease=lease, job=job)
        end = time.monotonic() + _DEADLINE_SECONDS
        while True:
            pid, status = os.waitpid(worker.pid, os.WNOHANG | os.WUNTRACED)
            if pid and os.WIFSTOPPED(status):
                return worker
            if pid or time.monotonic() > end:
                raise DrillFailed(f"the worker did not stop at {point}")
            time.sleep(0.02)

    def go_on(self, worker: "subprocess.Popen[str]") -> None:
        """Let a stopped worker come to its end."""
        worker.send_signal(signal.SIGCONT)
        worker.communicate(timeout=_DEADLINE_SECONDS)

    def facts(self, job: str = "") -> dict[str, Any]:
        """What ``inspect`` says of a job, of the one when none is named."""
        found: dict[str, Any] = json.loads(self.command("inspect", job or self.job, "--json"))
        return found

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """Rows of the job store, read past all of our code."""
        address = f"{self.database.as_uri()}?mode=ro"
        with closing(sqlite3.connect(address, uri=True)) as database:
            return list(database.execute(query))

    def commits(self) -> list[str]:
        """The commits on the branch whose message ends with the job's id as a trailer."""
        shape = "%H %(trailers:key=Blog-Job-Id,valueonly,separator=%x2C)"
        lines = self.git("log", f"--format={shape}", "main").decode().splitlines()
        return [line.split()[0] for line in lines if line.split()[1:] == [self.job]]

    def published(self) -> bytes:
        """The target's bytes on the branch."""
        return self.git("cat-file", "blob", f"main:{PATH}")

    def somebody_commits(self, path: str, data: bytes, message: str = "Theirs") -> str:
        """Another person's commit on the branch, around our product."""
        blob = self.git("hash-object", "-w", "--stdin", given=data).decode().strip()
        index = str(self.folder / "index")
        self.git("read-tree", "main", GIT_INDEX_FILE=index)
        self.git(
            "update-index", "--add", "--cacheinfo", f"100644,{blob},{path}", GIT_INDEX_FILE=index
        )
        tree = self.git("write-tree", GIT_INDEX_FILE=index).decode().strip()
        made = self.git("commit-tree", tree, "-p", "main", "-F", "-", given=message.encode())
        commit = made.decode().strip()
        self.git("update-ref", "refs/heads/main", commit)
        return commit

    def hook(self, name: str, script: str) -> None:
        """A hook of the remote's own."""
        path = self.remote / "hooks" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    @contextmanager
    def silence(self) -> Iterator[Callable[[], None]]:
        """A remote that takes calls and answers none; what is given waits until it was called.

        Whoever serves the repository reads a pipe that stays open and says nothing.
        """
        head, aside = self.remote / "HEAD", self.remote / "HEAD.aside"
        head.rename(aside)
        os.mkfifo(head)
        held: list[int] = []
        try:
            yield lambda: held.append(_open_when_read(head))
        finally:
            for handle in held:
                os.close(handle)
            head.unlink()
            aside.rename(head)

    def git(self, *arguments: str, given: bytes = b"", **variables: str) -> bytes:
        """Git in the remote, as the other person's machine would run it."""
        name, address = _PERSON
        environment = {
            "PATH": os.environ["PATH"], "HOME": str(self.folder), "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull, "GIT_AUTHOR_NAME": name, "GIT_COMMITTER_NAME": name,
            "GIT_AUTHOR_EMAIL": address, "GIT_COMMITTER_EMAIL": address, **variables,
        }  # fmt: skip
        done = subprocess.run(
            ["git", "-C", str(self.remote), *arguments],
            env=environment, input=given, capture_output=True, check=False, timeout=60,
        )  # fmt: skip
        if done.returncode:
            raise DrillFailed(f"git {arguments[0]}: {done.stderr.decode(errors='replace')}")
        return done.stdout

    def keep(self, folder: Path) -> None:
        """The job store, the receipts and the history as they are now."""
        folder.mkdir(parents=True, exist_ok=True)
        with (
            closing(sqlite3.connect(self.database)) as database,
            closing(sqlite3.connect(folder / "jobs.sqlite3")) as copy,
        ):
            database.backup(copy)
        facts = self.facts()
        (folder / "job.json").write_text(json.dumps(facts, indent=1))
        (folder / "receipts.json").write_text(json.dumps(facts["effects"], indent=1))
        (folder / "history.txt").write_bytes(self.git("log", "--format=fuller", "main"))

    def _environment(self) -> dict[str, str]:
        dropped = ("DATABASE_URL", "IMPRIMATUR_FAULT", "REDIS_URL", "EMAIL_URL")
        return {
            **{key: value for key, value in os.environ.items() if key not in dropped},
            "DJANGO_SETTINGS_MODULE": "publisher.settings",
            "IMPRIMATUR_DATA_DIR": str(self.folder / "var"),
            "IMPRIMATUR_NO_BOOTSTRAP": "1",
            "IMPRIMATUR_CLI_DECISIONS": "1",
            "IMPRIMATUR_GIT_SECONDS": str(GIT_SECONDS),
        }


def _open_when_read(pipe: Path) -> int:
    """The writing end, as soon as somebody reads."""
    end = time.monotonic() + _DEADLINE_SECONDS
    while True:
        try:
            return os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
        except OSError as error:
            if error.errno != errno.ENXIO:
                raise
            if time.monotonic() > end:
                raise DrillFailed("the worker did not call the remote") from error
        time.sleep(0.02)
