"""The suite itself: what must stay together does, and nothing is left out of the second half unseen."""

import errno
import os
import re
import tempfile
from pathlib import Path

import pytest

from tests.__main__ import LEFT_OUT, folders_in_memory, is_room_in

TESTS = Path(__file__).resolve().parents[1]
RINGS = sorted({path.parent for path in TESTS.glob("*/test_*.py")})
USES_ITS_HALFS = re.compile(r"\b(db: None|django_db|(new_)?database: |journey: Journey)")
STARTS_ITS_OWN = re.compile(
    r"(?<![.\w])(Installation|install)\(|\"IMPRIMATUR_DATA_DIR\"|import sqlite3"
)
NAMES_ONE_OR_TAKES_ITS_HALFS = re.compile(r"\bpostgres_dsn\b|\b(new_)?database: ")


@pytest.mark.xdist_group("together")
def test_tests_of_one_group_go_to_one_process(request: pytest.FixtureRequest) -> None:
    # The scheduler knows a group by the end of a test's id only.
    is_asked = getattr(request.config.option, "loadgroup", False)
    assert request.node.nodeid.endswith("@together") == is_asked


def test_every_ring_runs_on_both_databases_or_it_is_said_why_not() -> None:
    on_both = {
        ring.name
        for ring in RINGS
        if any(USES_ITS_HALFS.search(path.read_text()) for path in ring.glob("*.py"))
    }
    missing = {ring.name for ring in RINGS} - on_both
    assert missing - set(LEFT_OUT) == set()


def test_whoever_starts_the_product_takes_its_halfs_database_or_it_is_said_why_not() -> None:
    texts = {
        path.relative_to(TESTS).as_posix(): path.read_text()
        for ring in RINGS
        if ring.name not in LEFT_OUT
        for path in ring.glob("test_*.py")
    }
    own = {name for name, text in texts.items() if STARTS_ITS_OWN.search(text)}
    either = {name for name in own if NAMES_ONE_OR_TAKES_ITS_HALFS.search(texts[name])}
    assert own - either - set(LEFT_OUT) == set()


def test_what_is_left_out_is_there_and_has_its_reason() -> None:
    assert [name for name in LEFT_OUT if not (TESTS / name).exists()] == []
    assert all(why.endswith(".") for why in LEFT_OUT.values())


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """One with memory enough, and a process in a group of a group without a limit."""
    monkeypatch.setattr("tests.__main__.ENOUGH_BYTES", 3 << 20)
    _write(tmp_path / "proc/meminfo", "MemTotal:  9999 kB\nMemAvailable:  4096 kB\n")
    _write(tmp_path / "proc/self/cgroup", "1:cpu:/\n0::/suite/own\n")
    _limit(tmp_path, limit="max")
    return tmp_path


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def _limit(machine: Path, *, limit: object, current: int = 0, inactive_file: int = 0) -> None:
    group = machine / "sys/fs/cgroup/suite"
    _write(group / "memory.max", f"{limit}\n")
    _write(group / "memory.current", f"{current}\n")
    _write(group / "memory.stat", f"anon 1\ninactive_file {inactive_file}\n")


def test_the_suites_folders_lie_in_memory_where_there_is_enough_of_it(machine: Path) -> None:
    assert is_room_in(machine, machine)
    _limit(machine, limit=5 << 20, current=3 << 20, inactive_file=1 << 20)
    assert is_room_in(machine, machine)


def test_a_machine_without_memory_left_has_no_room(machine: Path) -> None:
    _write(machine / "proc/meminfo", "MemTotal:  9999 kB\nMemAvailable:  2048 kB\n")
    assert not is_room_in(machine, machine)


def test_a_group_of_processes_near_its_limit_has_no_room(machine: Path) -> None:
    _limit(machine, limit=5 << 20, current=3 << 20)
    assert not is_room_in(machine, machine)


def test_what_is_written_while_the_folders_are_removed_fails_no_suite(
    machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def busy(folder: str, **_more: object) -> None:
        raise OSError(errno.ENOTEMPTY, os.strerror(errno.ENOTEMPTY), folder)

    monkeypatch.setattr("tests.__main__.MEMORY", machine)
    monkeypatch.setenv("TMPDIR", str(machine))
    monkeypatch.setattr(tempfile, "tempdir", None)
    with monkeypatch.context() as late, folders_in_memory():
        assert Path(tempfile.gettempdir()).parent == machine
        late.setattr(os, "rmdir", busy)
