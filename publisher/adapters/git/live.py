"""Live: reads a clone that people edit by hand; what they and their git do there is never touched."""

import hashlib
import os
import stat
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from publisher.adapters.git.commit import IDENTITY, quoted
from publisher.adapters.git.credentials import Credentials
from publisher.adapters.git.environment import CONFIGURATION
from publisher.adapters.git.history import LISTING_CAP
from publisher.adapters.git.live_forward import Forwarding
from publisher.adapters.git.runner import Deadlines, Result, Runner
from publisher.live import Content, Edit, LiveState
from publisher.ports import Change

LARGEST = 100 << 20
"""Bytes of one file; a larger one is left to its owner."""
NEWEST = 200
"""Commits of its own that a checkout is looked through for one that is known."""
_LASTING = ("description", "info/exclude")
"""Of these git makes one in most clones; HEAD, which every clone has, is another one after each checkout."""
_OPERATIONS = {
    "rebase-merge": "rebase", "rebase-apply": "rebase", "MERGE_HEAD": "merge",
    "CHERRY_PICK_HEAD": "cherry-pick", "REVERT_HEAD": "revert", "BISECT_LOG": "bisect",
    "sequencer": "sequence",
}  # fmt: skip
_THEIRS = (
    "core.autocrlf",
    "core.eol",
    "core.symlinks",
    "core.ignorecase",
    "core.precomposeunicode",
)
"""Settings of the clone that say how files of this folder compare with blobs; all others are ours."""
_DRIVER_PARTS = ("clean", "smudge", "process", "required")


class LiveCheckout:
    """One site's live checkout: a normal clone at ``place``."""

    def __init__(self, place: Path, *, folder: Path) -> None:
        self._place = place
        self._git_dir = place / ".git"
        self._runner = Runner(
            git_dir=self._git_dir,
            folder=folder,
            protocols=(),  # a partial clone would ask its remote, in the way that its owner set
            credentials=Credentials("", folder),
            deadlines=Deadlines(read=60.0),
        )
        self._clone = folder / "clone.git"

    def state(self) -> LiveState:
        """What people do there now; ``trouble`` when it is no clone that can be read."""
        if not self._place.is_dir():
            return LiveState(trouble="missing")
        if not self._is_normal():
            return LiveState(trouble="no_clone")
        operations = {word for name, word in _OPERATIONS.items() if (self._git_dir / name).exists()}
        named = (self._git_dir / "HEAD").read_text(errors="replace").strip()
        found = self._run("rev-parse", "--verify", "--quiet", "HEAD^{commit}", ok=None)
        return LiveState(
            identity=self._identity(),
            head=found.out.decode().strip(),
            branch=named.removeprefix("ref: refs/heads/") if named.startswith("ref: ") else "",
            operations=tuple(sorted(operations)),
            locked_at=self._forwarding().locked_at(),
            has_stash=(self._git_dir / "refs" / "stash").exists(),
        )

    def _is_normal(self) -> bool:
        """Whether all of the clone lies there, and its branches are no other one's as well."""
        parts = [self._git_dir / part for part in ("HEAD", "objects", "refs", "config")]
        is_shared = (self._git_dir / "commondir").exists() or (self._git_dir / "refs").is_symlink()
        return all(part.exists() for part in parts) and not is_shared

    def _identity(self) -> str:
        """By a file that git wrote when it made the clone, and leaves alone ever since.

        No copy has the same numbers and the same moment, which nobody can set.
        """
        clone = self._git_dir.stat()
        there = (name for name in _LASTING if (self._git_dir / name).is_file())
        seen = (self._git_dir / next(there, "HEAD")).stat()
        return f"{clone.st_ino}:{seen.st_ino}:{seen.st_ctime_ns}"

    def history(self) -> list[str]:
        """The newest commits of HEAD's history, newest first."""
        listed = self._run("rev-list", f"--max-count={NEWEST}", "HEAD", ok=None)
        return listed.out.decode().split()

    def edits(self) -> list[Edit]:
        """Every path that differs from HEAD, staged or not, untracked files too; writes nothing."""
        listed = self._run(
            "status", "--porcelain=v2", "-z", "--untracked-files=all", "--no-renames",
            "--ignore-submodules=all", cap=LISTING_CAP,
        )  # fmt: skip
        edits = []
        for line in listed.out.split(b"\0"):
            kind = line[:1]
            if kind == b"?":
                edits.append(Edit(_text(line[2:]), is_staged=False, is_new=True))
            elif kind == b"1":
                edits.append(Edit(_text(line.split(b" ", 8)[8]), is_staged=line[2:3] != b"."))
            elif kind == b"u":
                edits.append(Edit(_text(line.split(b" ", 10)[10]), is_staged=True))
        return edits

    def changed_at(self, path: str) -> float:
        """When the file, or the folder that it was removed from, last changed; seconds since 1970."""
        place = self._place / path
        while True:
            try:
                seen = os.lstat(place)
            except (FileNotFoundError, NotADirectoryError):
                place = place.parent
            else:
                return max(seen.st_mtime, seen.st_ctime)

    def contents(self, paths: Collection[str]) -> dict[str, Content]:
        """The bytes as git would store them, None for a removed file, or why they cannot be told."""
        found = {path: self._content(path) for path in paths}
        raw = {path: content.data for path, content in found.items() if content.data is not None}
        if not raw:
            return found
        names = sorted(raw)
        filtered = self._filtered(names)
        # Git says by which id it would store each file; nothing is written.
        asked = b"".join(quoted(name) + b"\n" for name in names)
        said = self._run("hash-object", "--stdin-paths", stdin=asked, ok=None)
        ids = said.out.decode().split()
        for number, name in enumerate(names):
            wanted = ids[number] if number < len(ids) else ""
            found[name] = _stored(raw[name], wanted, is_filtered=name in filtered)
        return found

    def forward(self, old: str, new: str, changes: Sequence[Change], *, branch: str) -> str:
        """Bring the checkout from ``old`` to ``new``; "" when done, else a word why not."""
        touched = {change.path for change in changes}
        if self._filtered(sorted(touched)) or any(
            path.rpartition("/")[2] == ".gitattributes" for path in touched
        ):
            return "filtered"
        held = self._held(changes)
        if held is not None:
            return held
        return self._forwarding().move(old, new, changes, branch=branch, clone=self._clone)

    def _held(self, changes: Sequence[Change]) -> str | None:
        """Whether a file in the way holds other bytes than HEAD's and the new commit's."""
        targets = {change.path: change for change in changes}
        dirty = [edit for edit in self.edits() if edit.path in targets]
        contents = self.contents([edit.path for edit in dirty])
        for edit in dirty:
            content, new_blob = contents[edit.path], targets[edit.path].new_blob
            is_gone = new_blob is None and self._is_replaced(edit.path, content, changes)
            if not is_gone and (content.held or content.blob != new_blob):
                return "dirty"
        gone = {change.path for change in changes if change.new_blob is None}
        for change in changes:
            # Ignored files are no edits, and are somebody's all the same.
            if change.old_blob is None and os.path.lexists(self._place / change.path):
                if self._goes_away(change.path, gone):
                    continue
                content = self.contents([change.path])[change.path]
                if content.held or content.blob != change.new_blob:
                    return "dirty"
        return None

    def _is_replaced(self, path: str, content: Content, changes: Sequence[Change]) -> bool:
        """Whether a folder lies in the file's place, or the new commit puts a file in its folder's.

        A tree that is away for another reason may come back, and a file that was taken down with it.
        """
        if content.held == "folder_gone":
            return any(path.startswith(f"{change.path}/") for change in changes if change.new_blob)
        place = self._place / path
        return place.is_dir() and not place.is_symlink()

    def _goes_away(self, path: str, gone: Collection[str]) -> bool:
        """Whether a folder lies there, all of whose files the new commit takes away."""
        folder = self._place / path
        if folder.is_symlink() or not folder.is_dir():
            return False
        files = (file for file in folder.rglob("*") if file.is_symlink() or not file.is_dir())
        return all(str(file.relative_to(self._place)) in gone for file in files)

    def _content(self, path: str) -> Content:
        parts = path.split("/")
        if not os.path.lexists(self._place / path):
            # A whole tree that is gone may be a disk that is not mounted, and leaves its mount point.
            top = self._place / parts[0]
            is_sure = len(parts) == 1 or (top.is_dir() and any(top.iterdir()))
            return Content() if is_sure else Content(held="folder_gone")
        above = [self._place.joinpath(*parts[:depth]) for depth in range(1, len(parts))]
        if any(folder.is_symlink() for folder in above):
            return Content(held="no_file")
        try:
            descriptor = os.open(self._place / path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        except OSError:
            return Content(held="no_file")
        try:
            seen = os.fstat(descriptor)
            if not stat.S_ISREG(seen.st_mode):
                return Content(held="no_file")
            if seen.st_size > LARGEST:
                return Content(held="too_large")
            with os.fdopen(descriptor, "rb", closefd=False) as file:
                return Content(data=file.read(LARGEST + 1))
        finally:
            os.close(descriptor)

    def _filtered(self, names: Sequence[str]) -> set[str]:
        """Paths that a driver of the repository stands before, LFS for one."""
        if not names:
            return set()
        asked = b"".join(name.encode() + b"\0" for name in names)
        said = self._run("check-attr", "-z", "--stdin", "filter", stdin=asked).out.split(b"\0")
        answers = zip(said[::3], said[2::3], strict=False)
        return {_text(path) for path, value in answers if value not in (b"unspecified", b"unset")}

    def _forwarding(self) -> Forwarding:
        return Forwarding(self._git_dir, self._runner, self._run)

    def _run(
        self, command: str, *options: str, variables: Mapping[str, str] | None = None, **more: Any
    ) -> Result:
        return self._runner.run(
            command,
            *options,
            variables={**self._settings, **(variables or {})},
            folder=self._place,
            **more,
        )

    @cached_property
    def _settings(self) -> dict[str, str]:
        """Our own settings, with theirs where they decide how a file compares, and no driver at all.

        Git itself says which files it reads theirs from: includes, and those of the work tree, too.
        """
        listed = self._runner.run(
            "config", "--list", "-z", variables={"GIT_CONFIG_COUNT": "0"}, folder=self._place
        )
        ours = dict(CONFIGURATION) | {"core.symlinks": "true"}
        for item in listed.out.decode("utf-8", "surrogateescape").split("\0"):
            key, _, value = item.partition("\n")
            driver, _, part = key.rpartition(".")
            if key in _THEIRS:
                ours[key] = value or "true"
            elif key == "core.alternaterefscommand":
                ours[key] = "true"
            elif driver.startswith("filter.") and part in _DRIVER_PARTS:
                ours[key] = "false" if part == "required" else ""
        pairs = {
            "GIT_CONFIG_COUNT": str(len(ours)),
            "GIT_WORK_TREE": str(self._place),
            "GIT_COMMITTER_NAME": IDENTITY[0],
            "GIT_COMMITTER_EMAIL": IDENTITY[1],
        }
        for number, (key, value) in enumerate(ours.items()):
            pairs |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
        return pairs


def _stored(data: bytes, wanted: str, *, is_filtered: bool) -> Content:
    """The bytes that have the id git gave: as they are, or with git's line endings."""
    if is_filtered:
        return Content(held="filtered")
    for candidate in (data, data.replace(b"\r\n", b"\n")):
        if wanted and blob_id(candidate) == wanted:
            return Content(data=candidate, blob=wanted)
    return Content(held="converted")


def blob_id(data: bytes) -> str:
    """The id that git gives to these bytes."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def _text(raw: bytes) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode("utf-8", "surrogateescape")
