"""docs/guarantees.md names tests that exist, and each requirement of the parts that are whole."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NAMED = re.compile(r"`(test_\w+)`")
DEFINED = re.compile(r"^def (test_\w+)\(", re.MULTILINE)
ROW = re.compile(r"([A-Z])(\d+)(?:–[A-Z](\d+))?")
WHOLE = {"T": 23, "C": 25, "R": 44, "A": 11, "S": 38}
"""How many requirements parts A and D have, by their letter."""


def rows(page: str) -> set[str]:
    """The requirements in the first column, each of a span by itself."""
    cells = [line.split("|")[1] for line in page.splitlines() if line.startswith("|")]
    return {
        f"{letter}{number}"
        for letter, first, last in ROW.findall(" ".join(cells))
        for number in range(int(first), int(last or first) + 1)
    }


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


def test_each_requirement_of_the_whole_parts_has_a_row() -> None:
    wanted = {f"{letter}{n + 1}" for letter, most in WHOLE.items() for n in range(most)}
    assert sorted(wanted - rows((ROOT / "docs" / "guarantees.md").read_text("utf-8"))) == []


def test_a_requirement_without_a_row_is_found() -> None:
    assert rows("| S1–S3, S5 | `test_s4` | S6 |") == {"S1", "S2", "S3", "S5"}
