"""Objects: read commits, trees and blobs through one git process that stays open."""

import re
import threading
import time
from collections import OrderedDict
from dataclasses import dataclass

from publisher.adapters.git.child import Child
from publisher.adapters.git.runner import Interrupted, Runner
from publisher.domain.errors import RepositoryError, RepositoryUnsafe
from publisher.ports import TreeEntry

OBJECT_CAP = 100 << 20
KEPT_TREES = 256
KEPT_ENTRIES = 200_000
"""Bounds of the cache of parsed trees: a tree's id names its content, so nothing goes stale."""

_ID = re.compile(r"(?:[0-9a-f]{40}|[0-9a-f]{64})\Z")
_MODE_TREE = "040000"

_ENTRIES = {
    size: re.compile(rb"([0-7]+) ([^\x00]+)\x00(.{%d})" % size, re.DOTALL) for size in (20, 32)
}
"""By the size of an id; entries follow each other without a gap."""

Tree = dict[bytes, tuple[str, str]]
"""name -> (mode, id)"""


@dataclass(frozen=True, slots=True)
class Found:
    """An object: its id, its type and, when it was asked for, its bytes."""

    id: str
    type: str
    data: bytes = b""


def check_id(name: str) -> str:
    """The name, when it is a full object id; nothing else may be asked for by callers."""
    if not _ID.match(name):
        raise RepositoryError("That is not the full id of a git object.", permanent=True)
    return name


def is_file(mode: str) -> bool:
    """Whether a mode is that of a regular file."""
    return mode.startswith("100")


class Objects:
    """Thread-safe; the process is started when first needed and again when it died."""

    def __init__(self, runner: Runner) -> None:
        self._runner = runner
        self._lock = threading.RLock()
        self._child: Child | None = None
        self._trees: OrderedDict[str, Tree] = OrderedDict()
        self._roots: OrderedDict[str, str] = OrderedDict()

    def resolve(self, name: str) -> str | None:
        """The id behind a full ref name; None when there is none."""
        found = self._ask("info", name)
        return found.id if found else None

    def get(self, name: str, type_: str) -> bytes:
        """The bytes of an object of this type. Raises RepositoryUnsafe when it is not there."""
        found = self._ask("contents", name)
        if found is None or found.type != type_:
            raise RepositoryUnsafe(f"The clone has no readable {type_} {name[:64]}.")
        return found.data

    def entry(self, commit: str, path: str) -> TreeEntry | None:
        """What a commit's tree holds at a path, found folder by folder; never through a link."""
        mode, here = _MODE_TREE, self.root(commit)
        for part in path.split("/"):
            if mode != _MODE_TREE:
                return None
            found = self.tree(here).get(part.encode("utf-8", "surrogateescape"))
            if found is None:
                return None
            mode, here = found
        return TreeEntry(path, mode, here)

    def folder(self, commit: str, folder: str) -> Tree:
        """The entries of one folder ("" = root); empty when it is no folder."""
        if not folder:
            return self.tree(self.root(commit))
        entry = self.entry(commit, folder)
        return self.tree(entry.blob) if entry and entry.mode == _MODE_TREE else {}

    def tree(self, tree: str) -> Tree:
        """One parsed tree. Callers do not change it."""
        with self._lock:
            known = self._trees.get(tree)
            if known is None:
                known = parse_tree(self.get(tree, "tree"), len(tree) // 2)
                self._keep(tree, known)
            self._trees.move_to_end(tree)
            return known

    def close(self) -> None:
        """End the process; a later read starts another."""
        with self._lock:
            if self._child is not None:
                self._child.end()
                self._child = None

    def root(self, commit: str) -> str:
        """The id of a commit's tree."""
        with self._lock:
            if commit not in self._roots:
                found = self._ask("info", f"{check_id(commit)}^{{tree}}")
                if found is None:
                    raise RepositoryUnsafe(f"The clone has no readable commit {commit}.")
                self._roots[commit] = found.id
                if len(self._roots) > KEPT_TREES:
                    self._roots.popitem(last=False)
            return self._roots[commit]

    def _keep(self, tree: str, entries: Tree) -> None:
        self._trees[tree] = entries
        total = sum(len(kept) for kept in self._trees.values())
        while len(self._trees) > 1 and (len(self._trees) > KEPT_TREES or total > KEPT_ENTRIES):
            _, dropped = self._trees.popitem(last=False)
            total -= len(dropped)

    def _ask(self, verb: str, name: str) -> Found | None:
        if "\n" in name:
            raise RepositoryError("An object's name is one line.", permanent=True)
        with self._lock:
            for attempt in (1, 2):
                child = self._child or self._runner.start("cat-file", "--batch-command")
                self._child = child
                try:
                    child.write(f"{verb} {name}\n".encode())
                    return _Answer(child, self._runner).take(verb)
                except (OSError, EOFError) as trouble:
                    self.close()
                    if attempt == 2:
                        raise RepositoryUnsafe(f"git cannot read {name[:80]}.") from trouble
                except BaseException:
                    # Half an answer would be taken for the next one.
                    self.close()
                    raise
        return None


class _Answer:
    """One answer of the process: a header line and, for contents, the bytes and a line feed."""

    def __init__(self, child: Child, runner: Runner) -> None:
        self._child = child
        self._runner = runner
        self._limit = time.monotonic() + runner.deadlines.read
        self._got = bytearray()

    def take(self, verb: str) -> Found | None:
        while (end := self._got.find(b"\n")) < 0:
            self._more()
        words = self._got[:end].decode("utf-8", "replace").rsplit(" ", 2)
        if words[-1] in {"missing", "ambiguous"}:
            return None
        if len(words) != 3:
            raise EOFError("not an answer")
        size = int(words[2])
        if verb == "info":
            return Found(words[0], words[1])
        if size > OBJECT_CAP:
            raise RepositoryError(
                f"An object of {size} bytes is over the limit of {OBJECT_CAP}.", permanent=True
            )
        whole = end + 1 + size + 1
        while len(self._got) < whole:
            self._more()
        return Found(words[0], words[1], bytes(self._got[end + 1 : whole - 1]))

    def _more(self) -> None:
        out, _ = self._child.read()
        self._got += out
        if out:
            return
        if self._child.is_silent or self._child.code is not None:
            raise EOFError("the process ended")
        if time.monotonic() > self._limit:
            raise Interrupted("deadline", "git gave no answer to a read in time.")
        if self._runner.cancelled():
            raise Interrupted("cancelled", "A read of git was stopped from here.")


def parse_tree(data: bytes, id_size: int) -> Tree:
    """A tree's entries. One expression reads them all, because a folder may hold 100,000."""
    modes: dict[bytes, str] = {}
    return {
        name: (modes.get(mode) or modes.setdefault(mode, mode.decode().rjust(6, "0")), id_.hex())
        for mode, name, id_ in _ENTRIES[id_size].findall(data)
    }
