"""The secrets gate."""

from publisher.domain.findings import Severity
from publisher.prepare import secrets


def test_it_blocks_with_line_and_column_and_without_the_value() -> None:
    text = "# Title\n\nUse password=abc12345 now\n"
    (finding,) = secrets.check("content/a.md", text)
    assert (finding.severity, finding.line, finding.column) == (Severity.BLOCK, 3, 14)
    assert "abc12345" not in finding.message + finding.advice


def test_it_blocks_what_a_line_break_parts_from_its_word() -> None:
    text = "# Title\n\nThe password:\n  hunter2X9kZZ\n\nMore.\n"
    (finding,) = secrets.check("content/a.md", text)
    assert (finding.severity, finding.line, finding.column) == (Severity.BLOCK, 4, 3)
    assert "hunter2" not in finding.message + finding.advice


def test_clean_text_has_no_finding() -> None:
    assert secrets.check("content/a.md", "# Title\n\nNothing to hide.\n") == []
