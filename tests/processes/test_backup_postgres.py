"""Backup and restore on PostgreSQL: the server that is meant, every file whole, a failure undone."""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest

from tests.support.crash import ROOT, Installation, install
from tests.support.postgres import new_database

Kept = tuple[Installation, str, Path]


@pytest.fixture(scope="module")
def kept(postgres_dsn: str, tmp_path_factory: pytest.TempPathFactory) -> Kept:
    """An installation with one approved job, and a backup of it."""
    home = tmp_path_factory.mktemp("installation")
    here, job = install(home, new_database(postgres_dsn))
    here.command("backup", "--to", str(home / "backups"))
    (backup,) = [each for each in (home / "backups").iterdir() if each.name[0] != "."]
    return here, job, backup


def refusal(here: Installation, *arguments: str, path: str = "") -> str:
    """What a command that fails says; ``path`` is a folder whose programs come first."""
    given = {
        **here.environment,
        "PATH": f"{path}:{os.environ['PATH']}" if path else os.environ["PATH"],
    }
    done = subprocess.run(
        [sys.executable, str(ROOT / "manage.py"), *arguments],
        cwd=ROOT, env=given, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert done.returncode == 1, (done.stdout, done.stderr)
    return done.stderr


def program(path: Path, script: str) -> None:
    path.write_text(f"#!/bin/sh\n{script}")
    path.chmod(0o755)


def in_options(url: str, **more: str) -> str:
    """The same database by an address whose server stands behind the "?"."""
    parts = urlsplit(url)
    with psycopg.connect(url) as there:
        found = {"host": there.info.host, "port": str(there.info.port), "user": there.info.user}
    options = "&".join(f"{key}={value}" for key, value in {**found, **more}.items())
    return f"postgresql://{parts.path}?{options}"


def test_options_of_the_address_lead_backup_and_restore_to_its_server(
    kept: Kept, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = replace(kept[0], database=in_options(kept[0].database))
    monkeypatch.setenv("PGHOST", str(tmp_path))
    monkeypatch.setenv("PGPORT", "1")
    there.command("backup", "--to", str(tmp_path / "backups"))
    there.command("restore", "--from", str(tmp_path / "backups"), "--replace")
    assert there.facts(kept[1])["state"] == "READY_TO_COMMIT"


def test_a_service_names_the_server_and_the_address_its_database(
    kept: Kept, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with psycopg.connect(kept[0].database) as found:
        host, port, user = found.info.host, found.info.port, found.info.user
    (tmp_path / "services").write_text(
        f"[ours]\nhost={host}\nport={port}\nuser={user}\ndbname=nowhere\n"
    )
    name = urlsplit(kept[0].database).path
    there = replace(kept[0], database=f"postgresql://{name}?service=ours")
    monkeypatch.setenv("PGSERVICEFILE", str(tmp_path / "services"))
    there.command("backup", "--to", str(tmp_path / "backups"))
    there.command("restore", "--from", str(tmp_path / "backups"), "--replace")
    assert there.facts(kept[1])["state"] == "READY_TO_COMMIT"


def test_the_tools_get_every_option_and_no_password_as_an_argument(
    kept: Kept, tmp_path: Path
) -> None:
    url = in_options(kept[0].database, password="hush", sslmode="prefer", keepalives_idle="7")
    there = replace(kept[0], database=url)
    program(tmp_path / "pg_dump", 'echo "given: $* and $PGPASSWORD" >&2\nexit 1\n')
    said = refusal(there, "backup", "--to", str(tmp_path / "backups"), path=str(tmp_path))
    arguments, _, password = said.partition("given: ")[2].partition(" and ")
    assert password.strip() == "hush"
    assert "hush" not in arguments
    assert "--no-password" in arguments
    assert {"sslmode=prefer", "keepalives_idle=7"} <= set(arguments.replace("'", "").split())


def test_a_damaged_file_of_the_right_length_is_put_right(kept: Kept) -> None:
    here, _, backup = kept
    stored = here.home / "live" / "var" / "artifacts"
    victim = next(path for path in stored.rglob("*") if path.is_file())
    whole = victim.read_bytes()
    victim.write_bytes(bytes(len(whole)))
    here.command("restore", "--from", str(backup), "--replace")
    assert victim.read_bytes() == whole


def hinder(here: Installation) -> None:
    """Make the next load fail: it may not drop a table that a view of somebody else's shows."""
    with psycopg.connect(here.database) as database:
        database.execute("CREATE OR REPLACE VIEW report AS SELECT id FROM publisher_job")


def let(here: Installation) -> None:
    with psycopg.connect(here.database) as database:
        database.execute("DROP VIEW IF EXISTS report")


def test_a_load_that_fails_leaves_everything_as_it_was(kept: Kept) -> None:
    here, job, backup = kept
    data = here.home / "live" / "var"
    hinder(here)
    try:
        assert "report" in refusal(here, "restore", "--from", str(backup), "--replace")
        assert here.facts(job)["state"] == "READY_TO_COMMIT"
        assert [each.name for each in data.iterdir() if each.name.startswith("restore.")] == []
        assert list(data.glob("*.restoring")) == []
    finally:
        let(here)
    here.command("restore", "--from", str(backup), "--replace")


def test_a_restore_that_was_cut_short_before_stays_so_when_its_load_fails(kept: Kept) -> None:
    here, job, backup = kept
    listed = here.home / "live" / "var" / "restore.json"
    listed.write_text(json.dumps({"again": str(backup), "moves": []}))
    hinder(here)
    try:
        assert "report" in refusal(here, "restore")
        assert listed.exists()
    finally:
        let(here)
    here.command("restore")
    assert here.facts(job)["state"] == "READY_TO_COMMIT"


def test_a_load_that_was_done_and_told_as_failed_is_seen_to_its_end(
    kept: Kept, tmp_path: Path
) -> None:
    here, job, backup = kept
    real = shutil.which("pg_restore")
    program(
        tmp_path / "pg_restore",
        f'{real} "$@" || exit\ncase "$*" in *--list*) exit 0 ;; esac\nexit 1\n',
    )
    refusal(here, "restore", "--from", str(backup), "--replace", path=str(tmp_path))
    assert "cut short" in refusal(here, "inspect", job)
    here.command("restore")
    assert here.facts(job)["state"] == "READY_TO_COMMIT"
