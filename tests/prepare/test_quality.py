"""The quality gate."""

import pytest

from publisher.domain.findings import Severity
from publisher.prepare.quality import check
from tests.support.growth import no_explosion

GOOD = (
    "# Title\n\n" + "".join(f"Sentence number {n} says something new. " for n in range(12)) + "\n"
)
PARAGRAPH = (
    "This paragraph is long enough that nobody would write it twice by chance, or so one hopes."
)


def rules(text: str, *, title: str | None = "Title") -> list[tuple[str, int | None]]:
    return [(finding.rule, finding.line) for finding in check("a.md", text, title=title)]


def test_a_good_text_has_no_finding() -> None:
    assert rules(GOOD) == []


@pytest.mark.parametrize(
    ("text", "rule", "line"),
    [
        ("---\ntitle: a\n---\n\n \n", "empty_body", None),
        ("# Title\n\nShort.\n", "very_short", None),
        (GOOD + "\nLorem ipsum dolor.\n", "placeholder", 5),
        (GOOD + "\nTODO: numbers\n", "placeholder", 5),
        (GOOD + "\n结论待补充。\n", "placeholder", 5),
        (GOOD + f"\n{PARAGRAPH}\n\n{PARAGRAPH}\n", "repeated_paragraph", 7),
        (GOOD + "\n```python\nx = 1\n", "open_fence", 5),
        (GOOD + "\n" + "x" * 6000 + "\n", "long_line", 5),
        ("word " * 1000, "no_heading", None),
    ],
)
def test_it_names_what_a_reader_would_stumble_over(text: str, rule: str, line: int | None) -> None:
    assert (rule, line) in rules(text)


def test_a_missing_title_is_told_unless_the_text_begins_with_one() -> None:
    assert ("no_title", 1) in rules(GOOD.removeprefix("# "), title=None)
    assert rules(GOOD, title=None) == []


@pytest.mark.parametrize(
    "line",
    [
        "A todo list is here.",
        "`TODO` is a word in code.",
        "see [your account](/me)",
        "TODO_LIST = 1",
    ],
)
def test_words_that_only_resemble_placeholders_are_left_alone(line: str) -> None:
    assert rules(GOOD + f"\n{line}\n") == []


def test_code_blocks_are_not_read_as_text() -> None:
    code = f"{PARAGRAPH}\n# TODO\n{PARAGRAPH}\n"
    assert rules(GOOD + f"\n````\n```\n{code}````\n\n- ~~~\n  {PARAGRAPH}\n  ~~~\n") == []


def test_it_never_blocks() -> None:
    findings = check("a.md", "TODO\n```\n" + "x" * 9000, title=None)
    assert Severity.BLOCK not in {finding.severity for finding in findings}


@pytest.mark.parametrize("piece", ["x", "a\n", "```\n", "TODO [your "])
def test_five_mebibytes_cost_what_their_length_costs(piece: str) -> None:
    with no_explosion():
        assert len(check("a.md", piece * (5 * 1024 * 1024 // len(piece)), title="")) < 40
