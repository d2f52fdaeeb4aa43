"""The demo: what a newcomer finds, made once by the real services, engine and git."""

import hashlib
import json
import os
import re
import stat
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import argon2
import pytest
from django.conf import settings

from publisher import wiring
from publisher.demo import accounts, magazine, samples, story
from publisher.engine import sites as engine_sites
from tests.support import databases, migrated
from tests.support.settings import BASE_DIR

PASSWORD = "mill-street-lamp"
STATES = {
    "demo-swap-day": "PUBLISHED",
    "demo-reading-group": "PUBLISHED",
    "demo-soup-hours": "CONFLICT",
    "demo-blenders": "REJECTED",
    "demo-newsletter": "SKIPPED",
    "demo-dumplings": "REVIEW",
    "demo-bench": "WAITING_APPROVAL",
    "demo-old-radio": "WAITING_APPROVAL",
    "demo-lamp-evening": "WAITING_APPROVAL",
}
# One worker makes the shared demo; the others leave it alone.
pytestmark = pytest.mark.xdist_group("demo")


@dataclass(frozen=True, slots=True)
class Installation:
    """A data folder of its own, and the commands of the product in it."""

    folder: Path
    database: str

    def manage(self, *words: str, ok: int = 0) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [sys.executable, "manage.py", *words],
            cwd=BASE_DIR,
            env=self._environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == ok, done.stderr
        return done

    def _environment(self) -> Mapping[str, str]:
        return {
            **os.environ,
            "IMPRIMATUR_NO_BOOTSTRAP": "1",
            "IMPRIMATUR_DATA_DIR": str(self.folder),
            "DJANGO_SETTINGS_MODULE": "publisher.settings",
            "DATABASE_URL": self.database,
            "IMPRIMATUR_CLI_DECISIONS": "",
            "DEMO_PASSWORD": PASSWORD,
        }

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        return databases.rows(self.database, self.folder, query)

    def states(self, site: str = "demo") -> dict[str, str]:
        return dict(
            self.rows(
                "SELECT j.idempotency_key, j.state FROM publisher_job j JOIN publisher_site s "
                f"ON s.id = j.site_id WHERE s.name = '{site}'"
            )
        )

    def remote(self, number: int = 1) -> Path:
        return self.folder / "demo" / f"magazine-{number}.git"

    def git(self, *words: str, number: int = 1) -> str:
        command = ["git", "--git-dir", str(self.remote(number)), *words]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    def fingerprint(self) -> str:
        """All that the demo made: jobs, events, decisions, people, refs and the password."""
        tables = ("publisher_job", "publisher_jobevent", "reviews_decision", "reviews_principal",
                  "reviews_membership", "auth_user", "publisher_site")  # fmt: skip
        made = [self.rows(f"SELECT * FROM {table} ORDER BY id") for table in tables]
        told = json.dumps([made, self.git("for-each-ref"), self.login()], default=repr)
        return hashlib.sha256(told.encode()).hexdigest()

    def login(self) -> str:
        return accounts.login_file(self.folder).read_text()


def installed(folder: Path, database: str) -> Installation:
    made = Installation(folder, database)
    migrated.fill(folder, database)
    return made


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory, new_database: Callable[[], str]) -> Installation:
    made = installed(tmp_path_factory.mktemp("demo"), new_database())
    made.manage("demo")
    return made


def test_every_queue_has_something_to_look_at(demo: Installation) -> None:
    assert demo.states() == STATES


def test_each_sample_has_a_fate_that_is_asserted_here() -> None:
    assert {f"demo-{sample.name}" for sample in samples.SAMPLES} == set(STATES)


def test_the_remote_holds_the_commits_of_the_published_jobs_and_no_others(
    demo: Installation,
) -> None:
    published = {
        row[0] for row in demo.rows("SELECT id FROM publisher_job WHERE state='PUBLISHED'")
    }
    held = re.findall(r"^Blog-Job-Id: (\S+)$", demo.git("log", "--format=%B", "main"), re.MULTILINE)
    assert sorted(held) == sorted(published)


def test_the_remote_holds_the_magazine_the_published_articles_and_the_second_persons_edit(
    demo: Installation,
) -> None:
    listed = demo.git("-c", "core.quotePath=false", "ls-tree", "-r", "--name-only", "main")
    added = {sample.target for sample in samples.SAMPLES if sample.fate is samples.Fate.APPROVED}
    assert set(listed.split()) == set(magazine.repository()) | added
    soup = demo.git("show", f"main:{samples.SOUP}")
    assert soup.encode() == magazine.material(samples.SECOND_PERSONS_FILE)


def test_a_ready_draft_is_published_byte_for_byte(demo: Installation) -> None:
    shown = demo.git("show", "main:content/zh/yuedu-xiaozu.md")
    assert shown.encode() == magazine.material("yuedu-xiaozu.md")


def test_the_whole_installation_keeps_its_promises(demo: Installation) -> None:
    demo.manage("verify", "--deep")


def test_a_second_run_changes_nothing(demo: Installation) -> None:
    before = demo.fingerprint()
    again = demo.manage("demo")
    assert demo.fingerprint() == before
    assert PASSWORD not in again.stdout


def test_a_run_that_was_cut_short_at_its_end_is_completed_without_doing_anything_twice(
    demo: Installation,
) -> None:
    before = demo.fingerprint()
    demo.remote().with_suffix(".complete").unlink()
    demo.manage("demo")
    assert demo.fingerprint() == before


def test_the_password_is_in_a_file_for_its_owner_and_belongs_to_all_five(
    demo: Installation,
) -> None:
    file = accounts.login_file(demo.folder)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert f"Password for all of them: {PASSWORD}\n" in demo.login()
    assert all(re.search(rf"^  {name} ", demo.login(), re.MULTILINE) for name in accounts.PEOPLE)
    hashes = dict(demo.rows("SELECT username, password FROM auth_user"))
    for name in accounts.PEOPLE:
        argon2.PasswordHasher().verify(hashes[name].removeprefix("argon2"), PASSWORD)


def test_each_person_has_the_role_that_the_demo_names(demo: Installation) -> None:
    held = demo.rows(
        "SELECT p.name, COALESCE(m.role, '') FROM reviews_principal p "
        "LEFT JOIN reviews_membership m ON m.principal_id = p.id WHERE p.name != 'local-operator'"
    )
    assert dict(held) == {name: role for name, (role, _what) in accounts.PEOPLE.items()}


def test_inspect_shows_the_request_that_a_waiting_sample_stands_at(demo: Installation) -> None:
    job, bound = demo.rows(
        "SELECT id, binding_hash FROM publisher_job WHERE idempotency_key = 'demo-bench'"
    )[0]
    facts = json.loads(demo.manage("inspect", job, "--json").stdout)
    assert facts["approval"]["status"] == "pending"
    assert facts["approval"]["binding_hash"] == facts["binding_hash"] == bound


def test_deciding_at_the_console_is_off_again_after_the_demo(demo: Installation) -> None:
    job, bound = demo.rows(
        "SELECT id, binding_hash FROM publisher_job WHERE idempotency_key = 'demo-bench'"
    )[0]
    refused = demo.manage("approve", job, "--hash", bound, "--as", "rui", ok=5)
    assert "IMPRIMATUR_CLI_DECISIONS" in refused.stderr


@pytest.mark.django_db
def test_a_demo_whose_jobs_are_held_by_others_is_not_called_complete(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("check", "refresh"):
        monkeypatch.setattr(engine_sites, name, lambda site, ports: None)
    told: list[str] = []
    tale = story.Story(
        data_dir=tmp_path,
        ports=wiring.ports(),
        make_remote=lambda *values, **options: None,
        add_commit=lambda *values, **options: None,
        advance=lambda job_id: None,
        say=told.append,
    )
    tale.tell()
    assert not tale.is_told()
    assert "run demo again" in told[-1]


def test_the_console_decides_no_longer_when_the_demo_fails() -> None:
    seen = []

    def interrupted() -> None:
        with story._deciding():
            seen.append(settings.IMPRIMATUR_CLI_DECISIONS)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert seen == [True]
    assert settings.IMPRIMATUR_CLI_DECISIONS is False


def test_a_reset_begins_anew_and_deletes_nothing(tmp_path: Path, database: str) -> None:
    made = installed(tmp_path, database)
    made.manage("demo")
    old = made.git("rev-parse", "main")
    made.manage("demo", "--reset")
    assert made.states() == STATES
    assert set(made.states("demo-removed-1").values()) == {
        "PUBLISHED", "REJECTED", "SKIPPED", "CANCELLED"
    }  # fmt: skip
    assert made.git("rev-parse", "main") == old
    assert made.git("cat-file", "-t", "main", number=2) == "commit\n"
    made.manage("verify", "--deep")


def test_an_account_that_is_not_the_demos_is_not_given_its_password(
    tmp_path: Path, database: str
) -> None:
    made = installed(tmp_path, database)
    made.manage("user", "add", "mei", "--role", "reviewer")
    refused = made.manage("demo", ok=2)
    assert "account mei" in refused.stderr
    assert not accounts.login_file(tmp_path).exists()
    assert made.rows("SELECT id FROM publisher_site") == []
