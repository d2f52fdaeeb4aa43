"""Live forward: brings a live checkout to a newer commit by git's own lock, all of it or nothing shown."""

import contextlib
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from publisher.adapters.git.runner import Result, Runner
from publisher.ports import Change

_MARK = b"imprimatur forwards this checkout\n"
_NONE = "0" * 40
Run = Callable[..., Result]


class Forwarding:
    """Moves one checkout. Whoever calls holds the site's checkout lock."""

    def __init__(self, git_dir: Path, runner: Runner, run: Run) -> None:
        self._git_dir = git_dir
        self._runner = runner
        self._run = run
        self._lock = git_dir / "index.lock"
        self._next = git_dir / "imprimatur-index"

    def locked_at(self) -> float | None:
        """Since when somebody's git command is at work, or died there; None when none is.

        Its lock is not ours to remove. While it lies there the branch cannot follow the files.
        """
        found = [self._git_dir / "HEAD.lock", self._git_dir / f"{self._branch()}.lock"]
        if self._held() not in (None, _MARK):
            found.append(self._lock)
        times = []
        for path in found:
            with contextlib.suppress(FileNotFoundError):
                times.append(path.stat().st_mtime)
        return min(times, default=None)

    def _branch(self) -> str:
        """The ref that is checked out; HEAD itself where it names none."""
        named = (self._git_dir / "HEAD").read_text("utf-8", "replace").strip()
        return named.removeprefix("ref: ") if named.startswith("ref: refs/") else "HEAD"

    def _held(self) -> bytes | None:
        try:
            return self._lock.read_bytes()
        except FileNotFoundError:
            return None

    def move(
        self, old: str, new: str, changes: Sequence[Change], *, branch: str, clone: Path
    ) -> str:
        """Objects, files, index, branch, in this order: a death in between is completed next time."""
        config = self._run("config", "--bool", "core.sparseCheckout", ok=None)
        if config.out.strip() == b"true":
            return "sparse"
        self._bring_objects(new, branch, clone)
        with self._locked() as is_ours:
            if not is_ours:
                return "locked"
            with self._runner.scratch() as folder:
                index = Path(folder) / "index"
                why = self._build_index(index, old, new, changes)
                if why:
                    return why
                self._put(index)
        ref = f"refs/heads/{branch}"
        moved = self._run(
            "update-ref", "-m", "imprimatur: forward", operands=[ref, new, old], ok=None
        )
        if moved.code:
            return "moved"
        self._show_remote(old, new, branch)
        return ""

    def _bring_objects(self, new: str, branch: str, clone: Path) -> None:
        if not self._run("cat-file", "-e", f"{new}^{{commit}}", ok=None).code:
            return
        # Unlike fetch it asks no setting of theirs whether this address means another one.
        self._run(
            "fetch-pack", "--quiet", operands=[str(clone), f"refs/remotes/origin/{branch}"],
            variables={"GIT_ALLOW_PROTOCOL": "file", "GIT_NO_LAZY_FETCH": "1"},
        )  # fmt: skip

    @contextlib.contextmanager
    def _locked(self) -> Iterator[bool]:
        """Git's own lock on the index: a person's command waits or says so, and never meets ours.

        It holds our mark until it goes, so that one of a run that died is known.
        """
        if self._held() == _MARK:
            self._lock.unlink()  # from a run that died; the checkout lock says that none lives
        try:
            descriptor = os.open(self._lock, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
        except FileExistsError:
            yield False
            return
        try:
            os.write(descriptor, _MARK)
            os.close(descriptor)
            yield True
        finally:
            if self._held() == _MARK:
                self._lock.unlink()

    def _build_index(self, index: Path, old: str, new: str, changes: Sequence[Change]) -> str:
        """A copy of the person's index at the new commit, and the files on disk with it."""
        current = self._git_dir / "index"
        if current.exists():
            shutil.copyfile(current, index)
        variables = {"GIT_INDEX_FILE": str(index)}
        # In a folder that was copied every file has another time than the index says.
        self._run("update-index", "-q", "--refresh", variables=variables, ok=None)
        if self._is_staged(old, new, changes, variables):
            return "staged"
        there = self._already(new, variables, changes)
        if there:
            self._run("update-index", "-z", "--index-info", stdin=there, variables=variables)
        # Git takes a file that is there already in place of a folder for somebody else's.
        if self._differing(new, variables) & _names(changes):
            moved = self._run("read-tree", "-m", "-u", old, new, variables=variables, ok=None)
            if moved.code:
                return "dirty"
        # Exit code 1 says that other files are edited, which is their owners' affair.
        self._run("update-index", "-q", "--refresh", variables=variables, ok=None)
        return ""

    def _is_staged(
        self, old: str, new: str, changes: Sequence[Change], variables: dict[str, str]
    ) -> bool:
        """Whether a touched path was staged with something that the new commit does not hold."""
        differing = self._differing(old, variables) & self._differing(new, variables)
        return bool(differing & _names(changes))

    def _differing(self, commit: str, variables: dict[str, str]) -> set[bytes]:
        """Paths that the index holds otherwise than the commit."""
        listed = self._run(
            "diff-index", "--cached", "--ita-invisible-in-index", "--name-only", "-z",
            "--no-renames", commit, variables=variables,
        )  # fmt: skip
        return set(listed.out.split(b"\0")) - {b""}

    def _already(self, new: str, variables: dict[str, str], changes: Sequence[Change]) -> bytes:
        """Index lines of the paths that differ on disk; whoever calls saw that they are as in ``new``."""
        listed = self._run("ls-files", "-z", "-m", "-d", variables=variables).out.split(b"\0")
        differing = {name.decode("utf-8", "surrogateescape") for name in listed if name}
        lines = []
        for change in changes:
            place = self._work_tree() / change.path
            is_there = place.is_symlink() or place.is_file()
            if change.path in differing or (change.old_blob is None and is_there):
                mode = self._mode(new, change.path)
                lines.append(f"{mode} {change.new_blob or _NONE}\t{change.path}\0".encode())
        return b"".join(lines)

    def _mode(self, new: str, path: str) -> str:
        found = self._run("ls-tree", "-z", new, paths=[path]).out
        return found.split(b" ", 1)[0].decode() if found else "0"

    def _work_tree(self) -> Path:
        return self._git_dir.parent

    def _put(self, index: Path) -> None:
        """The new index onto the disk and in place, while the lock keeps others away."""
        with self._next.open("wb") as target:
            target.write(index.read_bytes())
            target.flush()
            os.fsync(target.fileno())
        self._next.rename(self._git_dir / "index")

    def _show_remote(self, old: str, new: str, branch: str) -> None:
        """Their picture of the remote follows, as after a pull, where it stood behind."""
        ref = f"refs/remotes/origin/{branch}"
        seen = self._run("rev-parse", "--verify", "--quiet", ref, ok=None).out.decode().strip()
        if seen and seen != new:
            behind = self._run("merge-base", "--is-ancestor", seen, new, ok=None)
            if behind.code == 0:
                self._run("update-ref", operands=[ref, new, seen], ok=None)


def _names(changes: Sequence[Change]) -> set[bytes]:
    return {change.path.encode() for change in changes}
