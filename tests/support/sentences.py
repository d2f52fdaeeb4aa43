"""Sentences: every text for people that the layers below the pages can give, read from the sources."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SPEAKERS = (
    "publisher/domain",
    "publisher/services",
    "publisher/prepare",
    "publisher/engine",
    "publisher/adapters",
    "publisher/artifacts.py",
    "publisher/envelopes.py",
    "publisher/selectors.py",
    "publisher/wiring.py",
    "reviews/services",
    "reviews/views",
    "reviews/authority.py",
    "reviews/permissions.py",
    "reviews/selectors.py",
    "reviews/setup_link.py",
)
SAMPLE = "Xq7"
"""Stands where an f-string puts a value in."""

INTERNAL = (
    "publisher/domain/envelope.py",
    "publisher/domain/keys.py",
    "publisher/domain/manifest.py",
    "publisher/domain/secret_rules.py",
    "publisher/domain/trailers.py",
    "publisher/engine/audit",
    "publisher/adapters/git/commit.py",
    "publisher/adapters/git/locks.py",
    "publisher/adapters/git/objects.py",
    "publisher/adapters/git/refs.py",
    "publisher/adapters/git/seed.py",
)
"""What speaks to programmers and at the console alone."""

_SENTENCE = re.compile(r".* .*[.?]|(?!Xq7)[A-Z“][^_/]* [^_/]* .*Xq7[)“]?", re.DOTALL)


def said() -> list[tuple[str, str]]:
    """(place, sentence) of each string that reads as a sentence, values as ``SAMPLE``."""
    found = []
    for speaker in SPEAKERS:
        path = ROOT / speaker
        for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
            place = str(file.relative_to(ROOT))
            if place.startswith(INTERNAL):
                continue
            found += [(f"{place}:{line}", text) for line, text in _sentences(file)]
    return found


def _sentences(file: Path) -> Iterator[tuple[int, str]]:
    tree = ast.parse(file.read_text())
    silent = {id(node) for one in ast.walk(tree) for node in _silent(one)}
    for node in ast.walk(tree):
        if id(node) in silent or not isinstance(node, ast.Constant | ast.JoinedStr):
            continue
        text = _text(node)
        if text is not None and " " in text and _SENTENCE.fullmatch(text):
            yield node.lineno, text


def _silent(node: ast.AST) -> Iterator[ast.AST]:
    """Docstrings, parts of f-strings, and what goes through gettext already."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        yield node.value
    elif isinstance(node, ast.JoinedStr):
        yield from (inner for inner in ast.walk(node) if inner is not node)
    elif isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("_", "ngettext"):
        yield from node.args


def _text(node: ast.AST) -> str | None:
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    parts = node.values if isinstance(node, ast.JoinedStr) else []
    return "".join(str(part.value) if isinstance(part, ast.Constant) else SAMPLE for part in parts)
