"""docs/guarantees.md names tests that exist, so that no promise points to nothing."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NAMED = re.compile(r"`(test_\w+)`")
DEFINED = re.compile(r"^def (test_\w+)\(", re.MULTILINE)


def missing(page: str, sources: list[str]) -> list[str]:
    """Tests that the page names and no source defines."""
    defined = {name for source in sources for name in DEFINED.findall(source)}
    return sorted(set(NAMED.findall(page)) - defined)


def test_every_named_test_exists() -> None:
    sources = [path.read_text("utf-8") for path in (ROOT / "tests").rglob("test_*.py")]
    assert missing((ROOT / "docs" / "guarantees.md").read_text("utf-8"), sources) == []


def test_a_name_without_a_test_is_found() -> None:
    assert missing("| A1 | `test_nobody_wrote` |", ["def test_there() -> None:"]) == [
        "test_nobody_wrote"
    ]
