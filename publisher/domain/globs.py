"""Globs: which paths a pattern such as ``content/**/*.{md,mdx}`` names, in linear time."""

import re
from functools import lru_cache
from pathlib import PurePosixPath

from publisher.domain.errors import InvalidInput

_MAX_PATTERN = 500
_MAX_ALTERNATIVES = 64


def match_glob(pattern: str, path: str) -> bool:
    """Whether the whole path is named by the pattern.

    ``**`` as a whole part is any number of parts (none too, but at the end at least one name),
    ``*`` is any run of characters within a part, ``?`` is one of them, ``{a,b}`` is either.
    All else stands for itself, brackets too: file names hold them. Case counts.
    Raises InvalidInput for a pattern with unpaired braces, or too many alternatives.
    """
    return compile_glob(pattern).fullmatch(path) is not None


@lru_cache(maxsize=256)
def compile_glob(pattern: str) -> re.Pattern[str]:
    """The pattern as a regular expression that never backtracks over more than one star."""
    if not pattern or len(pattern) > _MAX_PATTERN:
        raise InvalidInput("glob", f"A pattern has 1 to {_MAX_PATTERN} characters.")
    alternatives = _expand(pattern)
    return re.compile("|".join(_translate(one) for one in alternatives), re.DOTALL)


def names_a_path(pattern: str) -> bool:
    """Whether each alternative of the pattern can name a file of a repository at all."""
    return not any({"", ".", ".."} & set(one.split("/")) for one in _expand(pattern))


def _expand(pattern: str) -> list[str]:
    """Write out the braces. Each alternative gets its own expression, because the first match of
    a group of unequal lengths may be the wrong one for what follows it."""
    pending, done = [pattern], []
    while pending:
        text = pending.pop()
        closing = text.find("}")
        opening = text.rfind("{", 0, closing) if closing >= 0 else text.find("{")
        if closing < 0 and opening < 0:
            done.append(text)
            continue
        if closing < 0 or opening < 0:
            raise InvalidInput("glob", f"The braces of the pattern {pattern} are not paired.")
        choices = text[opening + 1 : closing].split(",")
        pending += [text[:opening] + choice + text[closing + 1 :] for choice in choices]
        if len(pending) + len(done) > _MAX_ALTERNATIVES:
            raise InvalidInput("glob", f"A pattern has at most {_MAX_ALTERNATIVES} alternatives.")
    return list(dict.fromkeys(done))


def _translate(pattern: str) -> str:
    """Runs of parts between ``**``: each run is taken at its first place and never tried again.

    The first place is always good enough, since what follows is ``**``, which takes any parts.
    """
    runs = _runs(pattern.split("/"))
    head, tail = runs[0], runs[-1]
    if len(runs) == 1:
        return "/".join(_part(part) for part in head)
    text = "".join(_part(part) + "/" for part in head)
    for run in runs[1:-1]:
        text += "(?>(?:[^/]+/)*?" + "".join(_part(part) + "/" for part in run) + ")"
    ending = "/".join(_part(part) for part in tail) if tail else "[^/]+"
    return f"{text}(?:[^/]+/)*{ending}"


def _runs(parts: list[str]) -> list[list[str]]:
    runs: list[list[str]] = [[]]
    for part in parts:
        if part != "**":
            runs[-1].append(part)
        elif len(runs) == 1 or runs[-1]:  # a second ** in a row says nothing new
            runs.append([])
    return runs


def _part(part: str) -> str:
    """One part; as with runs, each piece between stars is taken at its first place."""
    first, *pieces = [piece for piece in re.split(r"(\*+)", part) if not piece.startswith("*")]
    if not pieces:
        return _literal(first)
    middle = "".join(f"(?>[^/]*?{_literal(piece)})" for piece in pieces[:-1])
    return f"{_literal(first)}{middle}[^/]*{_literal(pieces[-1])}(?=/|\\Z)"


def _literal(text: str) -> str:
    return "".join("[^/]" if char == "?" else re.escape(char) for char in text)


def fixed_part(pattern: str) -> str:
    """The folders of a glob before its first wildcard."""
    parts: list[str] = []
    for part in pattern.split("/")[:-1]:
        if any(sign in part for sign in "*?[{"):
            break
        parts.append(part)
    return "/".join(parts)


def top_folders(pattern: str) -> set[str]:
    """The folders in which all that the pattern names lies; {""} where it may lie anywhere."""
    tops = set()
    for one in _expand(pattern):
        first, slash, _ = one.partition("/")
        tops.add(first if slash and not set(first) & set("*?") else "")
    return {""} if "" in tops else tops


def inner_name(pattern: str) -> str:
    """``/index`` where each article has a folder of its own (``content/**/index.md``), else "".

    Only the ending is left off: in ``content/**/index.en.md`` the name is ``/index.en``.
    """
    places = [one.rpartition("/") for one in _expand(pattern)]
    if any(sign in name for _, _, name in places for sign in "*?"):
        return ""
    open_to_new = [name for folder, _, name in places if "*" in folder or "?" in folder]
    # The braces are written out from the last alternative to the first.
    return "/" + PurePosixPath(open_to_new[-1]).stem if open_to_new else ""
