"""Workspaces and the clone come back from whatever a crash left."""

import os
import shutil
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from publisher.adapters.git import in_use, workspace
from publisher.adapters.git.refs import BRANCH_STALE_SECONDS, STALE_SECONDS
from publisher.adapters.git.repository import GitRepository
from publisher.domain.errors import LockBusy, RepositoryError, RepositoryUnsafe
from tests.adapters.conftest import Builder, Opener
from tests.support.git import git, second_person


def clone_of(repository: GitRepository) -> Path:
    return repository.runner.git_dir


def inside(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


def make_old(path: Path, seconds: float = STALE_SECONDS + 60) -> None:
    """Date a file back beyond the age at which a lock has no owner."""
    moment = time.time() - seconds
    os.utime(path, (moment, moment))


def loose(repository: GitRepository, name: str) -> Path:
    return clone_of(repository) / "objects" / name[:2] / name[2:]


def test_a_workspace_holds_no_file_and_is_on_the_jobs_branch(repository: GitRepository) -> None:
    tip = repository.fetch()
    path = repository.make_workspace("job-1", tip)
    assert inside(path) == [".git"]
    assert git(path, "symbolic-ref", "HEAD").strip() == b"refs/heads/imprimatur/job/job-1"
    assert repository.job_branch("job-1") == tip
    assert repository.workspaces() == ["job-1"]


def test_git_takes_a_workspace_for_a_worktree_of_its_own(repository: GitRepository) -> None:
    tip = repository.fetch()
    path = repository.make_workspace("job-1", tip)
    git(clone_of(repository), "worktree", "prune")
    listed = git(clone_of(repository), "worktree", "list", "--porcelain").decode()
    assert f"worktree {path}\nHEAD {tip}\nbranch refs/heads/imprimatur/job/job-1\n" in listed
    assert "prunable" not in listed
    assert git(path, "rev-parse", "--show-toplevel").decode().strip() == str(path)
    git(clone_of(repository), "fsck", "--strict")


def test_a_workspace_is_made_without_a_process(repository: GitRepository) -> None:
    tip = repository.fetch()
    assert repository.tip() == tip  # the process that reads is open now
    before = repository.runner.started
    repository.make_workspace("job-1", tip)
    assert repository.runner.started == before


def test_a_second_make_empties_the_workspace_without_a_process(repository: GitRepository) -> None:
    tip = repository.fetch()
    path = repository.make_workspace("job-1", tip)
    (path / "content").mkdir()
    (path / "content" / "left.md").write_text("left")
    (path / "link").symlink_to("/etc")
    before = repository.runner.started
    assert repository.make_workspace("job-1", tip) == path
    assert inside(path) == [".git"]
    assert repository.runner.started == before


def test_a_workspace_moves_to_a_newer_base(repository: GitRepository, remote: Path) -> None:
    repository.make_workspace("job-1", repository.fetch())
    tip = second_person(remote, {"README.md": b"x"}, "newer")
    repository.fetch()
    repository.make_workspace("job-1", tip)
    assert repository.job_branch("job-1") == tip


def test_a_removed_workspace_leaves_its_branch(repository: GitRepository) -> None:
    tip = repository.fetch()
    path = repository.make_workspace("job-1", tip)
    repository.remove_workspace("job-1")
    repository.remove_workspace("job-1")
    assert not path.exists()
    assert repository.workspaces() == []
    assert repository.job_branch("job-1") == tip


def test_a_missing_folder_is_made_again(repository: GitRepository) -> None:
    tip = repository.fetch()
    path = repository.make_workspace("job-1", tip)
    shutil.rmtree(path)
    assert repository.make_workspace("job-1", tip) == path
    assert inside(path) == [".git"]


def test_a_missing_registration_is_made_again(repository: GitRepository) -> None:
    tip = repository.fetch()
    path = repository.make_workspace("job-1", tip)
    shutil.rmtree(clone_of(repository) / "worktrees" / "job-1")
    repository.make_workspace("job-1", tip)
    assert git(path, "rev-parse", "HEAD").decode().strip() == tip


@pytest.mark.parametrize("left", ["rebase-merge", "index.lock", "locked", "MERGE_HEAD"])
def test_what_a_crash_left_in_the_registration_goes(repository: GitRepository, left: str) -> None:
    tip = repository.fetch()
    repository.make_workspace("job-1", tip)
    leftover = clone_of(repository) / "worktrees" / "job-1" / left
    leftover.mkdir() if left == "rebase-merge" else leftover.touch()
    repository.make_workspace("job-1", tip)
    assert not leftover.exists()


@pytest.mark.parametrize("parent", ["worktrees", "clone.git/worktrees"])
def test_a_file_in_place_of_a_folder_goes(repository: GitRepository, parent: str) -> None:
    tip = repository.fetch()
    path = repository.make_workspace("job-1", tip)
    wrong = repository.runner.folder / parent / "job-1"
    shutil.rmtree(wrong)
    wrong.write_text("no folder")
    assert repository.make_workspace("job-1", tip) == path
    assert git(path, "rev-parse", "HEAD").decode().strip() == tip
    shutil.rmtree(wrong)
    wrong.write_text("no folder")
    repository.remove_workspace("job-1")
    assert repository.workspaces() == []


def test_a_workspace_is_registered_whole_or_not_at_all(
    repository: GitRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A neighbour's fetch reads it at any moment, and fails of one that is half written."""
    tip = repository.fetch()
    seen = []
    write = Path.write_text

    def watched(path: Path, *arguments: str) -> int:
        seen.append((clone_of(repository) / "worktrees/job-1").exists())
        return write(path, *arguments)

    monkeypatch.setattr(Path, "write_text", watched)
    repository.make_workspace("job-1", tip)
    assert seen == [False] * 4
    assert repository.workspaces() == ["job-1"]


def _no_commondir(kept: Path) -> None:
    (kept / "commondir").write_bytes(b"")


def _no_commit(kept: Path) -> None:
    (kept / "HEAD").write_text(f"{'2' * 40}\n")


@pytest.mark.parametrize("spoil", [_no_commondir, _no_commit])
@pytest.mark.parametrize("call", ["fetch", "ensure_clone"])
def test_one_jobs_spoiled_registration_stops_no_fetch(
    repository: GitRepository, remote: Path, spoil: Callable[[Path], None], call: str
) -> None:
    """A power cut emptied a file of one job's workspace: the others go on, and theirs stay."""
    tip = repository.fetch()
    for name in ("job-1", "job-2"):
        repository.make_workspace(name, tip)
    spoil(clone_of(repository) / "worktrees/job-1")
    theirs = second_person(remote, {"README.md": b"x"}, "newer")
    getattr(repository, call)()
    assert repository.tip() == theirs
    listed = git(clone_of(repository), "worktree", "list", "--porcelain").decode()
    assert ("worktrees/job-1\n" in listed, "worktrees/job-2\n" in listed) == (False, True)
    path = repository.make_workspace("job-1", tip)
    assert git(path, "rev-parse", "HEAD").decode().strip() == tip


def test_a_link_in_place_of_the_workspace_is_not_followed(
    repository: GitRepository, tmp_path: Path
) -> None:
    tip = repository.fetch()
    path = repository.make_workspace("job-1", tip)
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "kept.txt").write_text("kept")
    shutil.rmtree(path)
    path.symlink_to(precious)
    repository.make_workspace("job-1", tip)
    assert (precious / "kept.txt").read_text() == "kept"
    assert not path.is_symlink()


def test_a_held_config_lock_stops_no_workspace(repository: GitRepository) -> None:
    tip = repository.fetch()
    (clone_of(repository) / "config.lock").touch()
    assert repository.make_workspace("job-1", tip).is_dir()


def test_sixteen_workspaces_are_made_at_once_beside_fetches(
    open_repository: Opener, repository: GitRepository
) -> None:
    tip = repository.fetch()
    names = [f"job-{number}" for number in range(16)]
    with ThreadPoolExecutor(5) as pool:
        fetches = [pool.submit(open_repository().fetch) for _ in range(4)]
        paths = list(pool.map(lambda name: open_repository().make_workspace(name, tip), names))
        assert {fetch.result() for fetch in fetches} == {tip}
    assert all(inside(path) == [".git"] for path in paths)
    assert repository.workspaces() == sorted(names)


def test_a_lock_of_the_dead_on_a_ref_is_removed(repository: GitRepository, build: Builder) -> None:
    tip = repository.fetch()
    lock = clone_of(repository) / "refs/heads/imprimatur/job/job-1.lock"
    lock.parent.mkdir(parents=True)
    lock.touch()
    make_old(lock)
    commit = build(tip, job_id="job-1")
    assert repository.job_branch("job-1") == commit


def test_a_fresh_lock_is_respected(repository: GitRepository, build: Builder) -> None:
    tip = repository.fetch()
    lock = clone_of(repository) / "refs/heads/imprimatur/job/job-1.lock"
    lock.parent.mkdir(parents=True)
    lock.touch()
    with pytest.raises(LockBusy) as trouble:
        build(tip, job_id="job-1")
    assert not trouble.value.permanent
    assert lock.exists()


def test_a_workspace_gets_past_a_lock_of_the_dead_and_no_other(repository: GitRepository) -> None:
    tip = repository.fetch()
    lock = clone_of(repository) / "refs/heads/imprimatur/job/job-1.lock"
    lock.parent.mkdir(parents=True)
    lock.touch()
    with pytest.raises(LockBusy, match="Somebody else is moving"):
        repository.make_workspace("job-1", tip)
    make_old(lock, BRANCH_STALE_SECONDS + 1)
    repository.make_workspace("job-1", tip)
    assert repository.job_branch("job-1") == tip


def test_a_clone_that_keeps_its_branches_elsewhere_is_not_worked_in(
    repository: GitRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    tip = repository.fetch()
    monkeypatch.setattr(workspace, "set_job_branch", lambda *_: None)
    with pytest.raises(RepositoryUnsafe, match="does not see the branch"):
        repository.make_workspace("job-1", tip)


def test_a_fetch_gets_past_a_lock_of_the_dead(repository: GitRepository, remote: Path) -> None:
    """At once, where no git process lives in the clone."""
    lock = clone_of(repository) / "refs/remotes/origin/main.lock"
    lock.touch()
    theirs = second_person(remote, {"README.md": b"x"}, "newer")
    assert repository.fetch() == theirs


def test_a_fetch_waits_for_a_lock_that_somebody_may_hold(
    repository: GitRepository, remote: Path
) -> None:
    lock = clone_of(repository) / "refs/remotes/origin/main.lock"
    lock.touch()
    theirs = second_person(remote, {"README.md": b"x"}, "newer")
    with in_use.marked(repository.runner.folder):
        with pytest.raises(LockBusy):
            repository.fetch()
        assert lock.exists()
        make_old(lock)
        assert repository.fetch() == theirs
    assert not lock.exists()


def test_an_emptied_object_is_built_again(repository: GitRepository, build: Builder) -> None:
    tip = repository.fetch()
    commit = build(tip)
    path = loose(repository, commit)
    path.chmod(0o644)
    path.write_bytes(b"")
    repository.close()
    with pytest.raises(RepositoryError):
        repository.facts(commit)
    assert build(tip) == commit
    assert repository.facts(commit).parents == (tip,)


def test_damage_to_one_commit_leaves_others_readable(
    repository: GitRepository, build: Builder
) -> None:
    tip = repository.fetch()
    broken = loose(repository, build(tip))
    broken.chmod(0o644)
    broken.write_bytes(b"")
    assert repository.facts(tip).commit == tip
    assert repository.read_path(tip, "README.md") == b"# demo\n"


def test_a_blob_that_is_not_there_is_damage(repository: GitRepository) -> None:
    with pytest.raises(RepositoryUnsafe):
        repository.read("2" * 40)


@pytest.mark.parametrize("name", ["HEAD", "config"])
def test_a_clone_whose_making_was_cut_short_is_completed(
    repository: GitRepository, name: str
) -> None:
    tip = repository.fetch()
    repository.close()
    (clone_of(repository) / name).write_bytes(b"")
    repository.ensure_clone()
    assert repository.fetch() == tip


def test_one_jobs_emptied_commit_stops_no_fetch(
    repository: GitRepository, remote: Path, build: Builder
) -> None:
    """A power cut emptied a commit that only one job's branch names: the others go on."""
    commit = build(repository.fetch(), job_id="job-1")
    path = loose(repository, commit)
    path.chmod(0o644)
    path.write_bytes(b"")
    repository.close()
    theirs = second_person(remote, {"README.md": b"x"}, "newer")
    assert repository.fetch() == theirs
    assert repository.job_branch("job-1") is None
