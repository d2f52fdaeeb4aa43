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
            path = parent / check_job_id(job_id)
            if path.is_symlink():
                path.unlink()
            elif path.exists():
                shutil.rmtree(path)

    def list(self) -> list[str]:
        """Job ids with a folder or a registration here."""
        found: set[str] = set()
        for parent in (self._folder, self._registry):
            if parent.is_dir():
                found |= {path.name for path in parent.iterdir()}
        return sorted(found)

    def _add(self, path: Path, job_id: str, base: str) -> None:
        """What ``git worktree add --no-checkout -B`` leaves, without its three processes."""
        kept = self._registry / job_id
        set_job_branch(self._runner.git_dir, job_id, base)
        for folder in (path, kept):
            folder.mkdir(parents=True, mode=0o700)
        for file, text in self._links(job_id).items():
            file.write_text(f"{text}\n", "utf-8")

    def _links(self, job_id: str) -> dict[Path, str]:
        """The files by which folder, registration and branch name each other (gitrepository-layout)."""
        path, kept = self._folder / job_id, self._registry / job_id
        return {
            path / ".git": f"gitdir: {kept}",
            kept / "commondir": "../..",
            kept / "gitdir": str(path / ".git"),
            kept / "HEAD": f"ref: {job_ref(job_id)}",
        }

    def _is_sound(self, job_id: str, base: str) -> bool:
        """Whether folder and registration name each other, nothing is half done, and the base fits."""
        path, kept = self._folder / job_id, self._registry / job_id
        if path.is_symlink() or not path.is_dir() or not kept.is_dir():
            return False
        if any(_line(file) != text for file, text in self._links(job_id).items()):
            return False
        if any(entry.name not in _SOUND for entry in kept.iterdir()):
            return False
        return self._objects.resolve(job_ref(job_id)) == base


_SOUND = frozenset({"HEAD", "ORIG_HEAD", "commondir", "gitdir", "logs", "refs"})
"""What a registration without a checkout holds; an index, a lock or a rebase is a leftover."""


def _line(path: Path) -> str:
    try:
        return path.read_text("utf-8", "replace").strip()
    except OSError:
        return ""


def _empty(path: Path) -> None:
    for entry in path.iterdir():
        if entry.name == ".git":
            continue
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        else:
            entry.unlink()
