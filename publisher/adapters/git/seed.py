"""Seed: makes a bare repository to publish to, and commits of other people in it, for the demo."""

import tempfile
from collections.abc import Mapping
from contextlib import closing
from datetime import datetime
from pathlib import Path

from publisher.adapters.git.commit import IDENTITY, Commits
from publisher.adapters.git.credentials import Credentials
from publisher.adapters.git.objects import Objects
from publisher.adapters.git.refs import check_branch
from publisher.adapters.git.runner import Runner
from publisher.domain.errors import RepositoryError
from publisher.ports import CommitPlan

_KEEPS = "refs/imprimatur/seed"


def make_remote(
    path: Path,
    files: Mapping[str, bytes],
    *,
    branch: str = "main",
    message: str,
    date: datetime,
) -> None:
    """A bare repository at ``path`` whose branch holds these files; one that is there is kept.

    It appears all at once: an interrupted call leaves nothing at ``path``.
    """
    if path.exists():
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent, ignore_cleanup_errors=True) as folder:
        fresh = Path(folder) / "fresh.git"
        runner = _runner(fresh, Path(folder))
        runner.run("init", "--bare", "--quiet", f"--initial-branch={check_branch(branch)}")
        runner.run("fast-import", "--quiet", "--date-format=raw", stdin=_root(branch, date))
        _commit(runner, branch, files, IDENTITY, message, date)
        fresh.rename(path)


def add_commit(
    path: Path,
    branch: str,
    files: Mapping[str, bytes],
    author: tuple[str, str],
    message: str,
    *,
    date: datetime,
) -> None:
    """Somebody else's commit on the branch of a repository on this machine.

    Does nothing when the branch holds these very bytes already.
    """
    with tempfile.TemporaryDirectory(dir=path.parent, ignore_cleanup_errors=True) as folder:
        _commit(_runner(path, Path(folder)), branch, files, author, message, date)


def _runner(git_dir: Path, folder: Path) -> Runner:
    return Runner(git_dir, folder, ("file",), Credentials("", folder))


def _root(branch: str, date: datetime) -> bytes:
    """A first commit without files: commits are built on a parent."""
    who = f"{IDENTITY[0]} <{IDENTITY[1]}> {int(date.timestamp())} +0000"
    text = "Make the repository.\n"
    return (
        f"commit refs/heads/{branch}\nauthor {who}\ncommitter {who}\n"
        f"data {len(text.encode())}\n{text}\n"
    ).encode()


def _commit(
    runner: Runner,
    branch: str,
    files: Mapping[str, bytes],
    author: tuple[str, str],
    message: str,
    date: datetime,
) -> None:
    ref = f"refs/heads/{check_branch(branch)}"
    with closing(Objects(runner)) as objects:
        tip = objects.resolve(ref)
        if tip is None:
            raise RepositoryError(f"There is no branch {branch}.", permanent=True)
        if all(_holds(objects, tip, path, data) for path, data in files.items()):
            return
        plan = CommitPlan(files, message, date, _KEEPS, author=author)
        (commit,) = Commits(runner, objects).build(tip, [plan])
        runner.run("update-ref", operands=[ref, commit, tip])
        runner.run("update-ref", "-d", operands=[_KEEPS])


def _holds(objects: Objects, commit: str, path: str, data: bytes) -> bool:
    entry = objects.entry(commit, path)
    return entry is not None and objects.get(entry.blob, "blob") == data
