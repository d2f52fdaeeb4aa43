"""Refs: the names of ours in the clone, moved by compare-and-swap only."""

import contextlib
import os
import re
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path

from publisher.adapters.git import in_use
from publisher.adapters.git.objects import Objects
from publisher.adapters.git.runner import Result, Runner
from publisher.domain.branches import is_ref_name
from publisher.domain.errors import LockBusy, RepositoryError

JOBS = "refs/heads/imprimatur/job/"
OURS = "refs/imprimatur/"
STALE_SECONDS = 900
"""A lock file this old has no owner, whatever else lives: every git process ended at its deadline."""

BRANCH_STALE_SECONDS = 60
"""The same for a job's branch, which is moved in no time: a worker was killed between two calls."""

_JOB_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_\-]{0,99}\Z")
_LOCKED = re.compile(r"Unable to create '(?P<path>/[^']+\.lock)': File exists")


def check_job_id(job_id: str) -> str:
    """The job id, when it can be part of a ref and of a folder's name."""
    if not _JOB_ID.match(job_id):
        raise RepositoryError("That is not the id of a job.", permanent=True)
    return job_id


def check_branch(branch: str) -> str:
    """The branch, when git would take it and nothing could take it for an option."""
    if not is_ref_name(branch):
        raise RepositoryError("That is not the name of a branch.", permanent=True)
    return branch


def job_ref(job_id: str) -> str:
    """A job's branch as a full ref."""
    return JOBS + check_job_id(job_id)


def set_job_branch(git_dir: Path, job_id: str, commit: str) -> None:
    """Put a job's branch at a commit, as git does: under the ref's lock file, by one rename.

    Raises LockBusy while somebody else holds that lock.
    """
    place = git_dir / job_ref(job_id)
    lock = place.with_name(f"{place.name}.lock")
    place.parent.mkdir(parents=True, exist_ok=True)
    if _is_stale(lock, BRANCH_STALE_SECONDS):
        lock.unlink(missing_ok=True)
    try:
        with lock.open("x", encoding="ascii") as file:
            file.write(f"{commit}\n")
            file.flush()
            os.fsync(file.fileno())  # a power cut would leave a branch of no bytes
    except FileExistsError:
        raise LockBusy(f"Somebody else is moving the branch of job {job_id}.") from None
    lock.replace(place)


class Refs:
    """The job branches and the replay refs of one clone."""

    def __init__(self, runner: Runner, objects: Objects) -> None:
        self._runner = runner
        self._objects = objects

    def job_branch(self, job_id: str) -> str | None:
        """Where a job's branch is."""
        return self._objects.resolve(job_ref(job_id))

    def jobs(self) -> list[str]:
        """Ids of the jobs that have a branch or a replay here."""
        return sorted({_job_of(name) for name in self._names()})

    def drop_of_jobs(self, job_ids: Collection[str]) -> None:
        """Remove the branches and replays of these jobs; nothing else keeps those commits."""
        names = [name for name in self._names() if _job_of(name) in job_ids]
        if names:
            lines = "".join(f"delete {name}\n" for name in names)
            past_stale_locks(
                self._runner,
                lambda: self._runner.run(
                    "update-ref", "--no-deref", "--stdin", stdin=lines.encode()
                ),
            )

    def _names(self) -> list[str]:
        listed = self._runner.run(
            "for-each-ref", "--format=%(refname)", operands=[JOBS, f"{OURS}replay/"]
        )
        return listed.out.decode().split()

    def drop_tracking(self, below: str, *, keep: str) -> bool:
        """Remove the refs below a name but one; whether there were any."""
        listed = self._runner.run("for-each-ref", "--format=%(refname)", operands=[below])
        others = [name for name in listed.out.decode().split() if name != keep]
        for name in others:
            self._runner.run("update-ref", "--no-deref", "-d", operands=[name])
        return bool(others)

    def drop_broken(self) -> None:
        """Remove refs of jobs whose commit is gone or empty: it is built again from the artifacts."""
        remove_empty_objects(self._runner.git_dir)
        listed = self._runner.run(
            "for-each-ref", "--format=%(refname) %(objectname)", operands=[JOBS, OURS]
        )
        for line in listed.out.decode().splitlines():
            name, _, commit = line.partition(" ")
            try:
                self._objects.get(commit, "commit")
            except RepositoryError:
                self._runner.run("update-ref", "--no-deref", "-d", operands=[name])


def _job_of(ref: str) -> str:
    return ref.removeprefix(JOBS).removeprefix(f"{OURS}replay/").split("/")[0]


def remove_empty_objects(git_dir: Path) -> int:
    """Remove object files of no bytes, which git takes for present; returns how many there were.

    A power cut leaves them. Without them the object is simply missing and is made or fetched again.
    """
    count = 0
    for folder in (git_dir / "objects").glob("[0-9a-f][0-9a-f]"):
        for path in folder.iterdir():
            if path.stat().st_size == 0:
                path.unlink(missing_ok=True)
                count += 1
    return count


def past_stale_locks(runner: Runner, act: Callable[[], Result]) -> Result:
    """Do it, and once more when a lock file stood in the way that nobody can own any more."""
    try:
        return act()
    except RepositoryError as trouble:
        text = str(trouble.facts.get("text", ""))
        if not remove_stale_lock(runner, text):
            refuse_busy(text)
            raise
    return act()


def refuse_busy(text: str) -> None:
    """Raise LockBusy where git says that a lock stood in its way: it passes with time alone."""
    if _LOCKED.search(text):
        raise LockBusy("Another git process holds a lock of this clone.", text=text)


def remove_stale_lock(runner: Runner, text: str) -> bool:
    """Remove the lock file that git's words name, if it is ours and stale."""
    match = _LOCKED.search(text)
    if match is None:
        return False
    path = Path(match["path"])
    return path.is_relative_to(runner.git_dir) and _remove_dead(runner, [path])


def remove_stale_locks(runner: Runner) -> None:
    """Remove every stale lock file of a clone; a process that was killed left it."""
    _remove_dead(runner, _lock_files(runner.git_dir))


def _remove_dead(runner: Runner, paths: Iterable[Path]) -> bool:
    """Remove those that nobody can own; whether there was one.

    Job branches are moved without git (see ``set_job_branch``), so that no git lives says nothing of
    their locks.
    """
    removed = False
    with in_use.alone(runner.folder) as nobody:
        for path in paths:
            if _is_stale(path) or (nobody and not path.is_relative_to(runner.git_dir / JOBS)):
                path.unlink(missing_ok=True)
                removed = True
    return removed


def _lock_files(git_dir: Path) -> Iterator[Path]:
    yield from git_dir.glob("*.lock")
    for folder in ("refs", "worktrees"):
        yield from (git_dir / folder).rglob("*.lock")


def _is_stale(path: Path, seconds: float = STALE_SECONDS) -> bool:
    with contextlib.suppress(FileNotFoundError):
        return time.time() - path.stat().st_mtime > seconds
    return False
