"""Workspace: a linked worktree per job, empty at first, made anew from whatever a crash left."""

import shutil
from pathlib import Path

from publisher.adapters.git.objects import Objects, check_id
from publisher.adapters.git.refs import check_job_id, job_ref, set_job_branch
from publisher.adapters.git.runner import Runner
from publisher.domain.errors import RepositoryUnsafe


class Workspaces:
    """The job worktrees of one clone, in its sibling folder ``worktrees``."""

    def __init__(self, runner: Runner, objects: Objects) -> None:
        self._runner = runner
        self._objects = objects
        self._folder = runner.git_dir.parent / "worktrees"
        self._registry = runner.git_dir / "worktrees"

    def make(self, job_id: str, base: str) -> Path:
        """The job's workspace at ``base``, without a file in it."""
        path = self._folder / check_job_id(job_id)
        if self._is_sound(job_id, check_id(base)):
            _empty(path)
            return path
        self.remove(job_id)
        self._add(path, job_id, base)
        if self._objects.resolve(job_ref(job_id)) != base:
            raise RepositoryUnsafe(
                "The local clone is damaged: git does not see the branch that was just made."
            )
        return path

    def remove(self, job_id: str) -> None:
        """Remove the folder and its registration; a lock that a dead process left goes with it."""
        for parent in (self._folder, self._registry):
            _remove(parent / check_job_id(job_id))

    def drop_spoiled(self) -> bool:
        """Remove registrations that git cannot read; whether there were any.

        A power cut empties their files, and a rebase that died may stand on a commit that is gone.
        Each fetch reads them all, so one of them fails it for every job of the site.
        """
        if not self._registry.is_dir():
            return False
        spoiled = [kept for kept in self._registry.iterdir() if not self._is_readable(kept)]
        for kept in spoiled:
            _remove(kept)
        return bool(spoiled)

    def list(self) -> list[str]:
        """Job ids with a folder or a registration here."""
        found: set[str] = set()
        for parent in (self._folder, self._registry):
            if parent.is_dir():
                found |= {path.name for path in parent.iterdir()}
        return sorted(found)

    def _add(self, path: Path, job_id: str, base: str) -> None:
        """What ``git worktree add --no-checkout -B`` leaves, without its three processes."""
        set_job_branch(self._runner.git_dir, job_id, base)
        path.mkdir(parents=True, mode=0o700)
        self._registry.mkdir(exist_ok=True, mode=0o700)
        with self._runner.scratch() as scratch:
            # A neighbour's fetch reads every registration, and fails of one that is half written.
            whole = Path(scratch) / job_id
            whole.mkdir(mode=0o700)
            for file, text in self._links(job_id, whole).items():
                file.write_text(f"{text}\n", "utf-8")
            whole.rename(self._registry / job_id)

    def _links(self, job_id: str, kept: Path) -> dict[Path, str]:
        """The files by which folder, registration and branch name each other (gitrepository-layout)."""
        path = self._folder / job_id
        return {
            path / ".git": f"gitdir: {self._registry / job_id}",
            kept / "commondir": "../..",
            kept / "gitdir": str(path / ".git"),
            kept / "HEAD": f"ref: {job_ref(job_id)}",
        }

    def _is_sound(self, job_id: str, base: str) -> bool:
        """Whether folder and registration name each other, nothing is half done, and the base fits."""
        path, kept = self._folder / job_id, self._registry / job_id
        if path.is_symlink() or not path.is_dir() or not kept.is_dir():
            return False
        if any(_line(file) != text for file, text in self._links(job_id, kept).items()):
            return False
        if any(entry.name not in _SOUND for entry in kept.iterdir()):
            return False
        return self._objects.resolve(job_ref(job_id)) == base

    def _is_readable(self, kept: Path) -> bool:
        if _line(kept / "commondir") != "../..":
            return False
        head = _line(kept / "HEAD")
        # Detached, as a rebase leaves it.
        is_there = head.isalnum() and self._objects.resolve(head) is not None
        return is_there or head.startswith("ref: ")


_SOUND = frozenset({"HEAD", "ORIG_HEAD", "commondir", "gitdir", "logs", "refs"})
"""What a registration without a checkout holds; an index, a lock or a rebase is a leftover."""


def _line(path: Path) -> str:
    try:
        return path.read_text("utf-8", "replace").strip()
    except OSError:
        return ""


def _empty(path: Path) -> None:
    for entry in path.iterdir():
        if entry.name != ".git":
            _remove(entry)


def _remove(path: Path) -> None:
    """Whatever stands there: a folder with all that is in it, a file, or a link but not its target."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
