"""A forward that dies at any of its steps is completed by the next one, and loses nobody's bytes."""

import multiprocessing
import os
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from publisher.adapters.git.live import LiveCheckout, blob_id
from publisher.adapters.git.repository import GitRepository
from publisher.adapters.git.runner import Runner
from publisher.ports import SiteSpec
from tests.adapters.conftest import PROTOCOLS
from tests.support.git import git, head, second_person

ONE, TWO = "content/posts/one.md", "content/posts/two.md"
FONT = "public/fonts/subset.woff2"
EDITED = b"Edited.\n"
STEPS = 22
"""One more than the commands of git that a forward runs in the checkout."""


@pytest.fixture
def place(tmp_path: Path, remote: Path, repository: GitRepository) -> Path:
    """A checkout one commit behind, with the newer bytes of one file in it already, and an edit.

    A folder becomes a file, and a file a folder.
    """
    found = tmp_path / "live"
    git(tmp_path, "clone", "-q", str(remote), str(found))
    (found / ONE).write_bytes(EDITED)
    (found / "README.md").write_bytes(b"mine\n")
    changes = {ONE: EDITED, TWO: None, "content/posts/new.md": b"New.\n", FONT: None, "public": b""}
    changes[f"{TWO}/deep/part.md"] = b"Part.\n"
    second_person(remote, changes, "newer")
    repository.fetch()
    return found


def _forward(place: Path, folder: Path, old: str, remote: Path) -> str:
    spec = SiteSpec(7, "site", str(remote), "main")
    repository = GitRepository(spec, root=folder, protocols=PROTOCOLS)
    try:
        new = repository.tip()
        assert new is not None
        return repository.live(str(place)).forward(
            old, new, repository.changes(old, new), branch="main"
        )
    finally:
        repository.close()


def _die_at(place: Path, folder: Path, old: str, remote: Path, step: int) -> None:
    count = 0
    real: Callable[..., Any] = Runner.run

    def run(self: Runner, command: str, *options: str, **more: Any) -> Any:
        nonlocal count
        if more.get("folder") == place:
            count += 1
            if count == step:
                os._exit(9)
        return real(self, command, *options, **more)

    Runner.run = run  # type: ignore[method-assign]
    _forward(place, folder, old, remote)


def _die_before(place: Path, folder: Path, old: str, remote: Path, change: str) -> None:
    """Before the index is on the disk, in place, or its lock gone."""
    real: Callable[..., Any] = getattr(os, change)

    def act(*given: Any, **named: Any) -> Any:
        if change == "fsync" or str(place) in str(given[0]):
            os._exit(9)
        return real(*given, **named)

    setattr(os, change, act)
    _forward(place, folder, old, remote)


@pytest.mark.parametrize("change", ["fsync", "rename", "unlink"])
def test_a_death_while_the_index_is_written_leaves_no_lock_for_people_to_remove(
    place: Path, tmp_path: Path, remote: Path, change: str
) -> None:
    old = git(place, "rev-parse", "HEAD").decode().strip()
    arguments = (place, tmp_path / "git", old, remote, change)
    child = multiprocessing.get_context("spawn").Process(target=_die_before, args=arguments)
    child.start()
    child.join(60)
    assert child.exitcode == 9
    assert (place / ".git/index.lock").exists()
    assert _forward(place, tmp_path / "git", old, remote) == ""
    assert git(place, "rev-parse", "HEAD").decode().strip() == head(remote)
    assert git(place, "status", "--porcelain").decode() == " M README.md\n"
    assert not (place / ".git/index.lock").exists()
    assert not (place / ".git/imprimatur-index").exists()


@pytest.mark.parametrize("step", range(1, STEPS + 1))
def test_a_death_at_any_step_is_completed(
    place: Path, tmp_path: Path, remote: Path, step: int
) -> None:
    old = git(place, "rev-parse", "HEAD").decode().strip()
    arguments = (place, tmp_path / "git", old, remote, step)
    child = multiprocessing.get_context("spawn").Process(target=_die_at, args=arguments)
    child.start()
    child.join(60)
    assert child.exitcode == (0 if step == STEPS else 9)
    if git(place, "rev-parse", "HEAD").decode().strip() == old:
        assert _forward(place, tmp_path / "git", old, remote) == ""
    assert git(place, "rev-parse", "HEAD").decode().strip() == head(remote)
    assert git(place, "status", "--porcelain").decode() == " M README.md\n"
    assert (place / "README.md").read_bytes() == b"mine\n"
    assert not (place / ".git/index.lock").exists()


def test_a_blob_is_named_as_git_names_it(place: Path) -> None:
    assert git(place, "hash-object", ONE).decode().strip() == blob_id(EDITED)


def test_a_clone_made_anew_is_another_one_where_its_files_have_the_same_numbers(
    place: Path, tmp_path: Path, remote: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As most file systems on a disk give the numbers of removed files to the next ones."""
    git(tmp_path, "clone", "-q", str(remote), str(tmp_path / "anew"))
    real = Path.stat

    def stat(path: Path, **more: bool) -> Any:
        seen = real(path, **more)
        return SimpleNamespace(st_ino=1, st_mode=seen.st_mode, st_ctime_ns=seen.st_ctime_ns)

    monkeypatch.setattr(Path, "stat", stat)
    checkouts = [
        LiveCheckout(at, folder=tmp_path / "git" / "7") for at in (place, tmp_path / "anew")
    ]
    first, second, again = (live.state().identity for live in (*checkouts, checkouts[0]))
    assert first == again != second


def test_a_look_writes_nothing(place: Path, tmp_path: Path) -> None:
    os.utime(place / TWO)
    before = {path: path.read_bytes() for path in place.rglob("*") if path.is_file()}
    live = LiveCheckout(place, folder=tmp_path / "git" / "7")
    assert live.state().branch == "main"
    assert {edit.path for edit in live.edits()} == {ONE, "README.md"}
    assert {path: path.read_bytes() for path in place.rglob("*") if path.is_file()} == before
