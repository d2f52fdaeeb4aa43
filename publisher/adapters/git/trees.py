"""Trees: what two of them hold differently, from the process that reads objects anyway."""

from collections.abc import Iterator

from publisher.adapters.git.objects import Objects, Tree, parse_tree

Entry = tuple[str, str]
"""Mode and id."""

Difference = tuple[bytes, Entry, Entry]
"""A path, what it was and what it is; a folder's ends with a slash."""

ABSENT: Entry = ("000000", "")
"""Where one of the two holds nothing."""

_FOLDER = "040000"
_STEP = 1 << 14
"""Bytes that are compared at once; a power of two."""


def differences(objects: Objects, old: str, new: str) -> Iterator[Difference]:
    """Each path that is not the same in two trees, in git's order.

    A tree's id stands for all that it holds, so only folders that differ are read; of those, which
    may hold 100,000 files, only the part in which they differ is taken apart.
    """
    # Not by calls within calls: somebody's folders may lie a thousand deep.
    left = [(b"", (_FOLDER, old), (_FOLDER, new))]
    while left:
        path, was, is_now = left.pop()
        if path and not path.endswith(b"/"):
            yield path, was, is_now
        else:
            left.extend(reversed(_within(objects, path, was[1], is_now[1])))


def _within(objects: Objects, above: bytes, old: str, new: str) -> list[Difference]:
    """What one folder holds differently, itself alone; "" stands for no folder."""
    size = len(old or new) // 2
    one, other = (objects.get(tree, "tree") if tree else b"" for tree in (old, new))
    before, after = (parse_tree(data, size) for data in _apart(one, other, size))
    pairs = sorted(_side_by_side(before, after).items())
    return [(above + name, was, is_now) for name, (was, is_now) in pairs if was != is_now]


def _side_by_side(before: Tree, after: Tree) -> dict[bytes, list[Entry]]:
    """Both entries of each name. A folder's ends with a slash, as git sorts it."""
    pairs: dict[bytes, list[Entry]] = {}
    for side, tree in enumerate((before, after)):
        for name, entry in tree.items():
            key = name + b"/" if entry[0] == _FOLDER else name
            pairs.setdefault(key, [ABSENT, ABSENT])[side] = entry
    return pairs


def _apart(one: bytes, other: bytes, size: int) -> tuple[bytes, bytes]:
    """Two trees without the entries that both begin with, and without those that both end with."""
    start, begin = 0, _alike(one, other)
    while start < begin and (after := _after(one, size, start)) <= begin:
        start = after
    end = _alike(one[start:][::-1], other[start:][::-1])
    at = its = start
    # The last bytes are the same, but the entries there need not begin at the same ones.
    while (left := len(one) - at) != (its_left := len(other) - its) or left > end:
        if left >= its_left:
            at = _after(one, size, at)
        else:
            its = _after(other, size, its)
    return one[start:at], other[start:its]


def _alike(one: bytes, other: bytes) -> int:
    """How many bytes both begin with."""
    at, step = 0, _STEP
    while step:
        piece = one[at : at + step]
        if len(piece) == step and piece == other[at : at + step]:
            at += step
        else:
            step //= 2
    return at


def _after(data: bytes, size: int, at: int) -> int:
    """Where the entry that begins here ends: mode, name, a zero byte, and the id's bytes."""
    return data.index(b"\x00", at) + 1 + size
