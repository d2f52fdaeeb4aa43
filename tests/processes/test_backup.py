"""Backup and restore with the real commands: whole or not at all, and nothing published twice."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from publisher.processes import holds
from publisher.processes.backup import postgres
from publisher.processes.backup.record import BackupRefused
from tests.support.crash import ROOT, Installation, install
from tests.support.postgres import new_database

FRESH = "---\ntitle: Tides\n---\n\nThe tide turns twice a day, whoever looks.\n"


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> tuple[Installation, str, Path]:
    """An installation with one approved job, and a backup of it."""
    here, job = install(tmp_path_factory.mktemp("installation"))
    (here.home / "live" / "var" / "seals.jsonl").write_text("")
    here.command("reconcile")
    here.command("backup", "--to", str(here.home / "backups"))
    here.keep("whole")
    return here, job, only_backup(here)


@pytest.fixture
def here(kept: tuple[Installation, str, Path]) -> Installation:
    """The installation as it was when the backup was taken."""
    kept[0].restore("whole")
    return kept[0]


def only_backup(here: Installation) -> Path:
    (found,) = [each for each in (here.home / "backups").iterdir() if each.name[0] != "."]
    return found


def var(here: Installation) -> Path:
    return here.home / "live" / "var"


def refusal(here: Installation, *arguments: str, code: int = 1) -> str:
    """What a command that fails says."""
    done = subprocess.run(
        [sys.executable, str(ROOT / "manage.py"), *arguments],
        cwd=ROOT, env=here.environment, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert done.returncode == code, (done.stdout, done.stderr)
    return done.stderr


def states(here: Installation) -> dict[str, str]:
    with closing(sqlite3.connect(var(here) / "imprimatur.sqlite3")) as database:
        return dict(database.execute("SELECT id, state FROM publisher_job"))


def tree(folder: Path) -> dict[str, int]:
    return {
        path.relative_to(folder).as_posix(): path.stat().st_size
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_an_old_backup_beside_a_newer_remote_publishes_nothing_twice(
    kept: tuple[Installation, str, Path], here: Installation
) -> None:
    _, approved, backup = kept
    here.work()
    (here.home / "fresh.md").write_text(FRESH)
    later = json.loads(here.command(
        "submit", "--site", "blog", "--content", str(here.home / "fresh.md"),
        "--target-path", "content/posts/tides.md", "--as", "ada", "--json",
    ))["job_id"]  # fmt: skip
    here.work()
    here.approve(later)
    here.work()
    assert set(states(here).values()) == {"PUBLISHED"}
    tip = here.commits_of(later)
    shutil.rmtree(var(here))
    said = here.command("restore", "--from", str(backup.parent))
    assert "1 jobs" in said
    assert states(here) == {approved: "READY_TO_COMMIT"}
    here.command("reconcile")
    here.work()
    assert states(here) == {approved: "PUBLISHED"}
    assert len(here.commits_of(approved)) == 1
    assert here.commits_of(later) == tip
    verified = json.loads(here.command("verify", "--json", code=1))
    assert [(row["rule"], row["subject"]) for row in verified["breaches"]] == [
        ("unknown_commit", later)
    ]


def test_a_backup_is_taken_while_another_writes_and_holds_what_was_written(
    here: Installation,
) -> None:
    with closing(sqlite3.connect(var(here) / "imprimatur.sqlite3", isolation_level=None)) as busy:
        busy.execute("BEGIN IMMEDIATE")
        busy.execute("UPDATE publisher_site SET last_error = 'half done'")
        here.command("backup", "--to", str(here.home / "beside"))
        busy.execute("ROLLBACK")
    (copy,) = (here.home / "beside").glob("*/database.sqlite3")
    with closing(sqlite3.connect(copy)) as database:
        assert database.execute("SELECT last_error FROM publisher_site").fetchone() == ("",)
    shutil.rmtree(here.home / "beside")


def test_a_second_backup_copies_no_artifact_again(here: Installation) -> None:
    place = here.home / "twice"
    assert " 0 of them copied" not in here.command("backup", "--to", str(place))
    assert " 0 of them copied" in here.command("backup", "--to", str(place))
    first, second = sorted(each for each in place.iterdir() if each.name[0] != ".")
    assert tree(first / "artifacts") == tree(second / "artifacts") != {}
    shutil.rmtree(first)
    shutil.rmtree(var(here))
    here.command("restore", "--from", str(second))


def test_a_backup_is_readable_by_its_owner_alone(
    kept: tuple[Installation, str, Path], here: Installation
) -> None:
    files = [path for path in kept[2].rglob("*") if path.is_file()]
    assert [path.name for path in files if path.stat().st_mode & 0o077] == []
    assert [path for path in (kept[2], kept[2].parent) if path.stat().st_mode & 0o077] == []


def other(path: Path) -> None:
    path.write_bytes(b"other")


def unreadable(path: Path) -> None:
    path.unlink()
    path.symlink_to("/proc/self/mem")  # which says EIO, as a bad sector does


def past_looking(path: Path) -> None:
    path.unlink()
    path.symlink_to("x" * 300)  # not even whether it is a file can be asked, as of a bad inode


@pytest.mark.parametrize("harm", [other, unreadable])
def test_a_damaged_artifact_is_named_and_the_rest_is_saved(
    here: Installation, harm: Callable[[Path], None]
) -> None:
    victim = next(path for path in (var(here) / "artifacts").rglob("*") if path.is_file())
    harm(victim)
    place = here.home / "damaged"
    assert victim.name in refusal(here, "backup", "--to", str(place))
    (backup,) = [each for each in place.iterdir() if each.name[0] != "."]
    assert json.loads((backup / "backup.json").read_text())["damaged"] == [f"sha256:{victim.name}"]
    shutil.rmtree(place)


def said_with(here: Installation, *arguments: str, **variables: str) -> str:
    """What one command says that has variables of its own."""
    done = subprocess.run(
        [sys.executable, "manage.py", *arguments], cwd=ROOT, capture_output=True, text=True,
        env={**Installation(here.home).environment, **variables}, check=True,
    )  # fmt: skip
    return done.stdout


def test_a_key_that_the_operator_holds_is_not_in_the_backup(here: Installation) -> None:
    keyless = here.home / "keyless"
    assert "NOT in it" in said_with(here, "backup", "--to", str(keyless), SECRET_KEY="k" * 40)
    assert not list(keyless.glob("*/secret_key"))
    former = here.home / "former"
    former.write_text("k" * 40)
    shutil.rmtree(var(here))
    restored = ("restore", "--from", str(keyless))
    assert "WARNING" not in said_with(here, *restored, SECRET_KEY_FALLBACK_FILES=str(former))
    shutil.rmtree(var(here))
    assert "WARNING: the secret key" in here.command(*restored)


def test_a_folder_in_use_is_not_written_over(
    kept: tuple[Installation, str, Path], here: Installation
) -> None:
    before = tree(var(here) / "artifacts")
    assert "--replace" in refusal(here, "restore", "--from", str(kept[2]))
    assert tree(var(here) / "artifacts") == before


def test_replacing_sets_aside_what_was_there(
    kept: tuple[Installation, str, Path], here: Installation
) -> None:
    here.work()
    assert set(states(here).values()) == {"PUBLISHED"}
    said = here.command("restore", "--from", str(kept[2]), "--replace")
    assert set(states(here).values()) == {"READY_TO_COMMIT"}
    (aside,) = var(here).glob("imprimatur.sqlite3.replaced-*")
    assert str(aside) in said
    assert list((var(here) / "git").iterdir()) == []


def test_a_folder_of_clones_that_is_a_link_stays_with_what_is_not_ours(
    kept: tuple[Installation, str, Path], here: Installation, tmp_path: Path
) -> None:
    (var(here) / "git").rename(tmp_path / "big")
    (var(here) / "git").symlink_to(tmp_path / "big")
    (tmp_path / "others").mkdir()
    (tmp_path / "big" / "9").symlink_to(tmp_path / "others")
    (tmp_path / "others" / "file").write_text("theirs")
    (tmp_path / "big" / "photographs").mkdir()
    here.command("restore", "--from", str(kept[2]), "--replace")
    assert not (var(here) / "restore.json").exists()
    assert (var(here) / "git").is_symlink()
    assert [each.name for each in (tmp_path / "big").iterdir()] == ["photographs"]
    assert (tmp_path / "others" / "file").exists()


@pytest.mark.parametrize(("part", "code"), [("git", 0), ("artifacts", 1)])
def test_a_mount_is_emptied_or_refused_before_anything_is_decided(
    kept: tuple[Installation, str, Path], here: Installation, part: str, code: int
) -> None:
    # A mount within is what no account can remove, as a disk's own lost+found for all but root.
    own = 'mkdir "$1/lost+found" && mount -t tmpfs none "$1/lost+found"'
    script = f'mount -t tmpfs none "$1" && echo x > "$1/7" && {own} && shift && exec "$@"'
    inside = ["unshare", "--mount", "--map-root-user", "sh", "-c", script, "sh"]
    if subprocess.run([*inside, "/mnt", "true"], capture_output=True, check=False).returncode:
        pytest.skip("this machine lets nobody mount")
    restore = [sys.executable, "manage.py", "restore", "--from", str(kept[2]), "--replace"]
    done = subprocess.run(
        [*inside, str(var(here) / part), *restore],
        cwd=ROOT, env=here.environment, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert done.returncode == code, done.stderr
    assert ("is a mount" in done.stderr) == bool(code)
    assert not (var(here) / "restore.json").exists()
    assert not list(var(here).glob("*.restoring"))


def test_nothing_is_replaced_under_a_product_that_runs(
    kept: tuple[Installation, str, Path], here: Installation
) -> None:
    held = holds.use(var(here) / "processes")
    try:
        assert "runs" in refusal(here, "restore", "--from", str(kept[2]), "--replace")
    finally:
        os.close(held)
    with closing(sqlite3.connect(var(here) / "imprimatur.sqlite3")) as other:
        other.execute("PRAGMA journal_mode=WAL")
        other.execute("SELECT count(*) FROM publisher_job").fetchone()
        assert "open in another" in refusal(here, "restore", "--from", str(kept[2]), "--replace")


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


@pytest.mark.parametrize(
    ("what", "harm"),
    [
        ("database.sqlite3", flip),
        ("artifacts.txt", cut),
        ("secret_key", Path.unlink),
        ("database.sqlite3", unreadable),
        ("artifact", flip),
        ("artifact", past_looking),
        ("artifact", Path.unlink),
    ],
)
def test_a_damaged_backup_changes_nothing(
    kept: tuple[Installation, str, Path],
    here: Installation,
    tmp_path: Path,
    harm: Callable[[Path], None],
    what: str,
) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(kept[2], copy)
    artifact = next(path for path in (copy / "artifacts").rglob("*") if path.is_file())
    harm(artifact if what == "artifact" else copy / what)
    shutil.rmtree(var(here))
    said = refusal(here, "restore", "--from", str(copy))
    assert "The backup is damaged, nothing was changed" in said
    assert not (var(here) / "imprimatur.sqlite3").exists()
    assert not (var(here) / "artifacts").exists()


def die(here: Installation, number: int, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """Run a command that is killed before its N-th change to the disk; 0 lets it live."""
    return subprocess.run(
        [sys.executable, "-m", "tests.support.dying", str(number), *arguments],
        cwd=ROOT, env=here.environment, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip


def changes_of(here: Installation, *arguments: str) -> int:
    """How many changes to the disk a command makes."""
    done = die(here, 0, *arguments)
    assert done.returncode == 0, done.stderr
    return int(done.stderr.rpartition("changes=")[2])


def test_a_restore_that_is_killed_leaves_the_old_or_the_new(
    kept: tuple[Installation, str, Path], here: Installation
) -> None:
    _, job, backup = kept
    command = ("restore", "--from", str(backup), "--replace")
    here.work()
    here.keep("newer")
    total = changes_of(here, *command)
    ends = set()
    for number in (2, 12, total // 2, total - 3, total):
        here.restore("newer")
        assert die(here, number, *command).returncode == 137, number
        if (var(here) / "restore.json").exists():
            assert "cut short" in refusal(here, "inspect", job)
            here.command("restore")
            wanted, end = "READY_TO_COMMIT", "new"
        else:
            end = "new" if set(states(here).values()) == {"READY_TO_COMMIT"} else "old"
            wanted = "READY_TO_COMMIT" if end == "new" else "PUBLISHED"
        ends.add(end)
        assert states(here) == {job: wanted}, number
        assert not (var(here) / "restore.json").exists()
    assert ends == {"old", "new"}


def test_a_backup_that_is_killed_is_not_taken_for_one(
    kept: tuple[Installation, str, Path], here: Installation, tmp_path: Path
) -> None:
    place = tmp_path / "backups"
    here.command("backup", "--to", str(place))
    (first,) = [each for each in place.iterdir() if each.name[0] != "."]
    before = tree(first)
    total = changes_of(here, "backup", "--to", str(tmp_path / "counted"))
    for number in (total // 2, total - 1, total):
        assert die(here, number, "backup", "--to", str(place)).returncode == 137
        whole = [each for each in place.iterdir() if each.name[0] != "."]
        assert tree(first) == before
        assert all((each / "backup.json").exists() for each in whole)
    here.command("backup", "--to", str(place))
    assert list(place.glob(".part-*")) == []
    shutil.rmtree(var(here))
    here.command("restore", "--from", str(place))
    assert set(states(here).values()) == {"READY_TO_COMMIT"}


def test_on_postgresql_a_backup_is_dumped_and_put_back(postgres_dsn: str, tmp_path: Path) -> None:
    here, job = install(tmp_path, new_database(postgres_dsn))
    said = here.command("backup", "--to", str(tmp_path / "backups"))
    assert "1 jobs" in said
    here.work()
    assert here.facts(job)["state"] == "PUBLISHED"
    assert "--replace" in refusal(here, "restore", "--from", str(tmp_path / "backups"))
    here.command("restore", "--from", str(tmp_path / "backups"), "--replace")
    assert here.facts(job)["state"] == "READY_TO_COMMIT"
    here.command("reconcile")
    here.work()
    assert here.facts(job)["state"] == "PUBLISHED"
    assert len(here.commits_of(job)) == 1
    here.command("verify", "--deep")


def test_without_pg_dump_the_command_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(BackupRefused, match="postgresql-client"):
        postgres.dump(tmp_path / "dump")
