"""Upkeep: what piles up is packed, and nobody at work misses an object."""

import os
import signal
import subprocess
from pathlib import Path

import pytest

from publisher.adapters.git import upkeep
from publisher.adapters.git.repository import GitRepository
from publisher.domain.errors import RemoteMoved, RemoteRefused
from tests.adapters.conftest import Builder
from tests.support.git import git, head, second_person
from tests.support.waiting import until

PUBLICATIONS = 25


@pytest.fixture
def used(repository: GitRepository, build: Builder, remote: Path) -> list[str]:
    """A clone after some publications; their commits in order."""
    commits = []
    for number in range(PUBLICATIONS):
        tip = repository.fetch()
        commit = build(
            tip,
            files={f"content/posts/{number}.md": f"Text {number}.\n".encode()},
            ref=f"refs/imprimatur/replay/job-{number}/1",
            job_id=f"job-{number}",
        )
        repository.push(commit, lease=tip)
        commits.append(commit)
    return commits


def loose(repository: GitRepository) -> int:
    folders = (repository.runner.git_dir / "objects").glob("[0-9a-f][0-9a-f]")
    return sum(1 for folder in folders for _ in folder.iterdir())


def test_little_is_left_as_it_is(repository: GitRepository, used: list[str]) -> None:
    before = loose(repository)
    assert not repository.tend()
    assert loose(repository) == before


def test_what_piled_up_is_packed(
    repository: GitRepository, used: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upkeep, "LOOSE_IN_A_FOLDER", -1)
    assert loose(repository) > PUBLICATIONS
    assert repository.tend()
    assert loose(repository) == 0
    git(repository.runner.git_dir, "fsck", "--full", "--strict", "--connectivity-only")


def drawn(repository: GitRepository) -> set[str]:
    """The commits in the clone's commit-graph file."""
    git_dir = repository.runner.git_dir
    git(git_dir, "commit-graph", "verify")
    listed = git(git_dir, "rev-list", "--all").decode().split()
    graph = (git_dir / "objects" / "info" / "commit-graph").read_bytes()
    return {commit for commit in listed if bytes.fromhex(commit) in graph}


def test_the_history_of_a_new_clone_is_drawn(repository: GitRepository) -> None:
    repository.ensure_clone()
    assert repository.tip() in drawn(repository)


def test_a_lock_of_the_dead_stops_no_drawing(repository: GitRepository) -> None:
    """Whoever died over it would keep the site from ever being connected."""
    lock = repository.runner.git_dir / "objects/info/commit-graph.lock"
    lock.touch()
    os.utime(lock, (0, 0))
    repository.ensure_clone()
    assert not lock.exists()
    assert repository.tip() in drawn(repository)


def test_packing_draws_the_branch_and_leaves_jobs_out(
    repository: GitRepository,
    used: list[str],
    build: Builder,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tip = repository.fetch()
    waiting = build(tip, job_id="job-waiting")
    monkeypatch.setattr(upkeep, "LOOSE_IN_A_FOLDER", -1)
    assert repository.tend()
    assert drawn(repository) == {*git(repository.runner.git_dir, "rev-list", tip).decode().split()}
    assert waiting not in drawn(repository)


def test_a_commit_that_no_ref_leads_to_is_kept(
    repository: GitRepository, build: Builder, monkeypatch: pytest.MonkeyPatch
) -> None:
    tip = repository.fetch()
    commit = build(tip)
    repository.drop_job_refs(["job-1"])
    monkeypatch.setattr(upkeep, "LOOSE_IN_A_FOLDER", -1)
    assert repository.tend()
    assert repository.facts(commit).parents == (tip,)
    assert repository.read_path(commit, "content/posts/three.md") == b"Third.\n"


def test_a_reader_that_was_open_before_reads_on(
    repository: GitRepository, used: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.read_path(used[0], "content/posts/0.md")
    monkeypatch.setattr(upkeep, "LOOSE_IN_A_FOLDER", -1)
    assert repository.tend()
    for number, commit in enumerate(used):
        path = f"content/posts/{number}.md"
        assert repository.read_path(commit, path) == f"Text {number}.\n".encode()


def test_many_small_packs_become_few(
    repository: GitRepository, remote: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(repository.runner.git_dir, "config", "fetch.unpackLimit", "1")
    for number in range(12):
        second_person(remote, {f"content/posts/o{number}.md": b"x"}, "other")
        repository.fetch()
    packs = repository.runner.git_dir / "objects" / "pack"
    before = len(list(packs.glob("*.pack")))
    monkeypatch.setattr(upkeep, "PACKS", 10)
    assert repository.tend()
    assert before > 10
    assert len(list(packs.glob("*.pack"))) <= 3


TENDING = """
while :; do
  for place; do git -C "$place" pack-refs --all --prune; git -C "$place" gc -q --prune=1.hour.ago; done
  touch "$1/tended"
done
"""


def test_somebody_who_packs_and_prunes_all_the_while_stops_no_publication(
    repository: GitRepository, build: Builder, remote: Path
) -> None:
    folder = repository.runner.git_dir
    tending = subprocess.Popen(
        ["/bin/sh", "-c", TENDING, "sh", str(folder), str(remote)],
        env={"PATH": os.environ["PATH"], "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1"},
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    try:
        until((folder / "tended").exists, seconds=60, what="the first packing")
        (folder / "tended").unlink()
        commits: list[str] = []
        rounds = 0
        while rounds < 3:
            number = len(commits)
            tip = repository.fetch()
            files = {f"content/posts/{number}.md": f"Text {number}.\n".encode()}
            commits.append(build(tip, files=files, ref=f"refs/imprimatur/replay/job-{number}/1"))
            _push(repository, commits[-1], tip)
            if (folder / "tended").exists():
                (folder / "tended").unlink()
                rounds += 1
    finally:
        os.killpg(tending.pid, signal.SIGKILL)
        tending.wait()
    assert head(remote) == repository.fetch() == commits[-1]
    assert git(remote, "rev-list", "main").decode().split()[: len(commits)] == commits[::-1]
    for place in (folder, remote):
        git(place, "fsck", "--full", "--strict", "--connectivity-only")


def _push(repository: GitRepository, commit: str, tip: str) -> None:
    """As the engine does: what the remote's own packing got in the way of is sent again."""
    for _ in range(20):
        try:
            return repository.push(commit, lease=tip)
        except (RemoteMoved, RemoteRefused) as refusal:
            if refusal.permanent:
                raise
    raise AssertionError("The remote's lock was never free.")
