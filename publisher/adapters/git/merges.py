"""Merges: which commit decided what a path holds, where no side's own commit brought it."""

from collections.abc import Iterable, Sequence

from publisher.adapters.git.objects import check_id
from publisher.adapters.git.runner import Runner

LISTING_CAP = 512 << 20


def deciders(runner: Runner, base: str, tip: str, paths: Sequence[str]) -> dict[str, str]:
    """For each path that differs between the two: the commit that none of the ways from ``base`` led to.

    A merge may take one side whole and leave everything of the other behind. Such a change is in no
    commit's own difference, and is the merge's. Two processes for all; a path for which ``base`` is
    not in the tip's history is left out.
    """
    parents = _line(runner, base, tip)
    apart = _differing(runner, parents, paths)
    found = {path: _decider(parents, apart, base, tip, path) for path in paths}
    return {path: commit for path, commit in found.items() if commit}


def _line(runner: Runner, base: str, tip: str) -> dict[str, list[str]]:
    """The commits that come from ``base``, with those of their parents that do or are ``base``."""
    answer = runner.run(
        "rev-list", "--ancestry-path", "--parents",
        operands=[f"{check_id(base)}..{check_id(tip)}"], paths=[], cap=LISTING_CAP,
    )  # fmt: skip
    rows = [line.split() for line in answer.out.decode().splitlines()]
    known = {base, *(row[0] for row in rows)}
    return {row[0]: [parent for parent in row[1:] if parent in known] for row in rows}


def _differing(
    runner: Runner, parents: dict[str, list[str]], paths: Sequence[str]
) -> dict[tuple[str, str], set[bytes]]:
    """The paths that differ between each commit and each of these parents."""
    pairs = [(commit, parent) for commit, known in parents.items() for parent in known]
    asked = "".join(f"{commit} {parent}\n" for commit, parent in pairs).encode()
    answer = runner.run(
        "diff-tree", "--stdin", "-r", "-z", "--always", "--name-only", "--no-renames",
        "--no-ext-diff", "--no-textconv", "--format=%x01", stdin=asked, paths=sorted(paths),
        cap=LISTING_CAP,
    )  # fmt: skip
    listed = answer.out.split(b"\x01")[1:]
    return {
        pair: {name for name in names.replace(b"\n", b"").split(b"\x00") if name}
        for pair, names in zip(pairs, listed, strict=True)
    }


def _decider(
    parents: dict[str, list[str]],
    apart: dict[tuple[str, str], set[bytes]],
    base: str,
    tip: str,
    path: str,
) -> str:
    """Down from the tip along whoever held the same, to the one that nobody led to."""
    name, current = path.encode(), tip
    while current != base:
        same: Iterable[str] = (
            parent for parent in parents.get(current, []) if name not in apart[current, parent]
        )
        before = next(iter(same), "")
        if not before:
            return current if current in parents else ""
        current = before
    return ""
