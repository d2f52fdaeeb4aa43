"""A small installation of its own for crash tests: real processes, a real remote, restored for each kill."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.support import invariants, migrated, postgres
from tests.support.git import make_remote
from tests.support.warm import Warm

ROOT = Path(__file__).resolve().parents[2]
ARTICLE = b"---\ntitle: Hello\n---\n\nFirst line.\n"
EDITED = ARTICLE + b"\nA second line.\n"
PATH = "content/posts/hello.md"
CHECKOUT = "checkout"


@dataclass(frozen=True, slots=True)
class Installation:
    """One data folder and its remote below ``home``; commands run as processes of their own.

    ``fault`` is what goes wrong in each of them, unless they are warm.
    """

    home: Path
    database: str = ""
    warm: Warm | None = None
    fault: str = ""

    @property
    def remote(self) -> Path:
        """The bare repository."""
        return self.home / "live" / "remote.git"

    @property
    def environment(self) -> dict[str, str]:
        """What its processes see: its own data folder, and SQLite where no database is named."""
        return {
            **{key: value for key, value in os.environ.items() if key != "DATABASE_URL"},
            **({"DATABASE_URL": self.database} if self.database else {}),
            **({"IMPRIMATUR_FAULT": self.fault} if self.fault else {}),
            "DJANGO_SETTINGS_MODULE": "publisher.settings",
            "IMPRIMATUR_DATA_DIR": str(self.home / "live" / "var"),
            "IMPRIMATUR_NO_BOOTSTRAP": "1",
            "IMPRIMATUR_CLI_DECISIONS": "1",
            "LOG_FORMAT": "json",
        }

    def command(
        self, *arguments: str, code: int | None = 0, stdin: str = "", seconds: float = 120
    ) -> str:
        """Run one manage.py command; ``code`` is the exit code that it must have."""
        if self.warm is not None and not stdin:
            return self._warmly(arguments, code)[0]
        return self._run(arguments, code, stdin, seconds).stdout

    def failed(self, *arguments: str, code: int) -> str:
        """Run one command that complains; what it said of it."""
        if self.warm is not None:
            return self._warmly(arguments, code)[1]
        return self._run(arguments, code, "", 120).stderr

    def migrate(self) -> None:
        """Give it the database that ``manage.py migrate`` would."""
        migrated.fill(self.home / "live" / "var", self.database)

    def _run(
        self, arguments: tuple[str, ...], code: int | None, stdin: str, seconds: float
    ) -> "subprocess.CompletedProcess[str]":
        done = subprocess.run(
            [sys.executable, str(ROOT / "manage.py"), *arguments],
            check=False,
            capture_output=True,
            text=True,
            input=stdin,
            cwd=ROOT,
            timeout=seconds,
            env=self.environment,
        )
        if code is not None:
            assert done.returncode == code, (arguments, done.returncode, done.stdout, done.stderr)
        return done

    def _warmly(
        self, arguments: tuple[str, ...], code: int | None, *, is_later: bool = False
    ) -> tuple[str, str]:
        assert self.warm is not None
        ended = self.warm.wait(self.warm.begin(arguments, self.said, is_later=is_later))
        said = self.said.read_text()
        errors = self.said.with_suffix(".txt.err").read_text()
        assert code in (None, ended), (arguments, ended, said, errors)
        return said, errors

    def work(self, *, fault: str = "", code: int | None = 0) -> None:
        """Work until idle, with leases short enough to be taken over within the test."""
        options = ["--fault", fault] if fault else []
        self.command("work", "--until-idle", "--lease-seconds", "1.5", *options, code=code)

    def work_later(self) -> None:
        """The same once the leases and waits of those before are over; for warm ones."""
        self._warmly(("work", "--until-idle", "--lease-seconds", "20"), 0, is_later=True)

    def begin_work(self, *, fault: str = "", lease: float = 1.5) -> "subprocess.Popen[str]":
        """Start such a worker and leave it alone; its words go to ``said``."""
        options = ["--fault", fault] if fault else []
        with self.said.open("w") as file:
            return subprocess.Popen(
                [sys.executable, str(ROOT / "manage.py"), "work", "--until-idle",
                 "--lease-seconds", str(lease), *options],
                cwd=ROOT, env=self.environment, stdout=file, stderr=file, text=True,
            )  # fmt: skip

    @property
    def said(self) -> Path:
        """What the worker that was left alone said."""
        return self.home / "said.txt"

    def facts(self, job: str) -> dict[str, object]:
        """What ``inspect`` says."""
        found: dict[str, object] = json.loads(self.command("inspect", job, "--json"))
        return found

    def approve(self, job: str) -> None:
        """Rui approves what is there."""
        self.command("approve", job, "--hash", str(self.facts(job)["binding_hash"]), "--as", "rui")

    def keep(self, name: str) -> None:
        """Remember everything under a name."""
        shutil.copytree(self.home / "live", self.home / name, symlinks=True)
        if self.database:
            postgres.copy_database(self.database, f"{self.database}_{name}")

    def restore(self, name: str) -> None:
        """Bring everything back as it was remembered."""
        live, kept = self.home / "live", self.home / name
        for path in live.iterdir():
            if path.is_dir() and path.name != CHECKOUT:
                shutil.rmtree(path)
        shutil.copytree(
            kept,
            live,
            symlinks=True,
            dirs_exist_ok=True,
            ignore=lambda folder, _names: [CHECKOUT] if Path(folder) == kept else [],
        )
        if (kept / CHECKOUT).exists():
            mirror(kept / CHECKOUT, live / CHECKOUT)
        if self.database:
            postgres.copy_database(f"{self.database}_{name}", self.database)

    def broken(self, *, before: tuple[str, ...] = ()) -> list[str]:
        """The promises that do not hold now; ``before`` are commits that must still be there."""
        return invariants.broken(self.rows(), before=before)

    def rows(self) -> invariants.Facts:
        """Its rows, stored files and the remote's history; its own key must be in none of them."""
        data = self.home / "live" / "var"
        secret = (data / "secret_key").read_text().strip()
        return invariants.read(
            self.remote, sqlite=data / "imprimatur.sqlite3", url=self.database, needles=(secret,),
            stored=data / "artifacts",
        )  # fmt: skip

    def commits_of(self, job: str) -> list[str]:
        """The remote's commits that carry the job's trailer."""
        log = subprocess.run(
            [
                "git",
                "-C",
                str(self.remote),
                "log",
                "--format=%H",
                f"--grep=^Blog-Job-Id: {job}$",
                "main",
            ],
            check=True,
            capture_output=True,
            text=True,
        )
        return log.stdout.split()


@contextmanager
def warmed(home: Path, database: str = "") -> Iterator[Installation]:
    """One whose commands need no start-up each."""
    warm = Warm(Installation(home, database).environment)
    try:
        yield Installation(home, database, warm)
    finally:
        warm.close()


def install(
    home: Path, database: str = "", here: Installation | None = None
) -> tuple[Installation, str]:
    """Make an installation with one submitted ready draft; kept as "received" and "approved"."""
    if here is None:
        with warmed(home, database) as made:
            _, job = install(home, database, made)
        return Installation(home, database), job
    connect(here)
    (home / "draft.md").write_bytes(EDITED)
    job = submit(here, "--content", str(home / "draft.md"), "--target-path", PATH)
    here.keep("received")
    here.work()
    here.approve(job)
    here.keep("approved")
    return here, job


def connect(here: Installation) -> None:
    """A remote with one article, its site with a finished clone, and two people."""
    here.remote.parent.mkdir(parents=True)
    make_remote(here.remote, {PATH: ARTICLE})
    here.migrate()
    here.command("user", "add", "ada", "--role", "submitter")
    here.command("user", "add", "rui", "--role", "reviewer")
    here.command("site", "add", "blog", "--remote", str(here.remote))
    here.work()


def submit(here: Installation, *what: str) -> str:
    """The id of a job that Ada submits."""
    said = here.command("submit", "--site", "blog", *what, "--as", "ada", "--json")
    return str(json.loads(said)["job_id"])


def mirror(kept: Path, live: Path) -> None:
    """Make a folder what another is, in place: a checkout that is copied is another one."""
    for path in sorted(live.rglob("*"), reverse=True):
        there = kept / path.relative_to(live)
        if path.is_dir() and not path.is_symlink():
            if not there.is_dir():
                path.rmdir()
        elif not there.is_file() or there.read_bytes() != path.read_bytes():
            path.unlink()
    for path in sorted(kept.rglob("*")):
        there = live / path.relative_to(kept)
        if path.is_dir():
            there.mkdir(exist_ok=True, parents=True)
        elif not there.exists():
            shutil.copy2(path, there)
