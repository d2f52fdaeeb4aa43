"""Hidden characters and misleading hosts: what is marked, and what plain writing may hold."""

import pytest

from publisher.domain.findings import Severity
from publisher.prepare.hidden import MAX_MARKS, check, scan_hidden
from tests.support.growth import no_explosion


@pytest.mark.parametrize(
    ("char", "kind"),
    [
        ("\u202e", "bidi"),
        ("\u2066", "bidi"),
        ("\u200b", "zero_width"),
        ("\u2028", "zero_width"),
        ("\ufeff", "zero_width"),
        ("\U000e0041", "tag"),
        ("\x07", "control"),
        ("\x85", "control"),
    ],
)
def test_each_kind_is_marked_with_its_place(char: str, kind: str) -> None:
    (mark,) = scan_hidden(f"one\ntwo {char} three")
    assert (mark.kind, mark.line, mark.column, mark.index) == (kind, 2, 5, 8)
    assert mark.codepoint == f"U+{ord(char):04X}"


def test_reordered_numbers_and_isolates_are_found() -> None:
    names = [mark.name for mark in scan_hidden("Pay to \u202e54321\u202c and \u2066safe\u2069")]
    assert names == [
        "RIGHT-TO-LEFT OVERRIDE",
        "POP DIRECTIONAL FORMATTING",
        "LEFT-TO-RIGHT ISOLATE",
        "POP DIRECTIONAL ISOLATE",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "مرحبا بالعالم",
        "שלום עולם",
        "می\u200cخواهم",
        "क्\u200dष",
        "\U0001f468\u200d\U0001f469\u200d\U0001f467 \u2764\ufe0f\u200d\U0001f525",
        "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
        "中文，标点。\tTabs\r\nand lines",
    ],
)
def test_plain_writing_of_any_script_has_no_mark(text: str) -> None:
    assert scan_hidden(text) == []


def test_a_joiner_between_latin_letters_is_marked() -> None:
    assert [mark.kind for mark in scan_hidden("pass\u200dword")] == ["zero_width"]


@pytest.mark.parametrize(
    "url",
    [
        "https://ex\u0430mple.invalid/",
        "[bank](//www.p\u0430ypal.invalid)",
        "https://\u0430\u0440\u0440\u04cf\u0435.invalid",
        "https://user@g\u03bfogle.invalid",
        "https://xn--exmple-4nf.invalid/",
    ],
)
def test_a_host_that_mixes_scripts_or_passes_for_latin_is_marked(url: str) -> None:
    (finding,) = check("a.md", url)
    assert (finding.severity, finding.rule) == (Severity.WARN, "misleading_link")


@pytest.mark.parametrize(
    "url",
    [
        "https://example.invalid/\u043f\u0443\u0442\u044c",
        "https://中文abc.invalid/",
        "https://пример.invalid/",
        "https://münchen.invalid/",
        "https://xn--fiqs8s.invalid/",
        "https://xn--.invalid/",
    ],
)
def test_honest_hosts_have_no_mark(url: str) -> None:
    assert scan_hidden(url) == []


def test_findings_say_hidden_character_with_line_and_column() -> None:
    (finding,) = check("a.md", "a\nb\u202ec")
    assert (finding.rule, finding.line, finding.column) == ("hidden_character", 2, 2)
    assert "U+202E" in finding.message


def test_a_byte_order_mark_is_told_elsewhere_at_the_very_beginning_alone() -> None:
    assert check("a.md", "\ufeff# Title") == []
    assert [found.column for found in check("a.md", "\ufeff\ufeff# \ufeff")] == [2, 5]


@pytest.mark.parametrize(
    ("reference", "codepoint"),
    [
        ("&#x202E;", "U+202E"),
        ("&#X00202e;", "U+202E"),
        ("&#8238;", "U+202E"),
        ("&#8238", "U+202E"),
        ("&ZeroWidthSpace;", "U+200B"),
        ("&lrm;", "U+200E"),
        ("&#xFEFF;", "U+FEFF"),
        ("&#xE0041;", "U+E0041"),
    ],
)
def test_what_a_reference_stands_for_is_found_where_the_reference_is(
    reference: str, codepoint: str
) -> None:
    (finding,) = check("a.md", f"Fish &amp;\n&#10;chips &gt;{reference} now &lt;")
    assert (finding.rule, finding.line, finding.column) == ("hidden_character", 2, 16)
    assert codepoint in finding.message


@pytest.mark.parametrize(
    ("url", "column"),
    [("https://ex&#1072;mple.com", 11), ("a &amp; https&colon;&#47;&#x2F;ex&#1072;mple.com", 34)],
)
def test_a_host_that_is_written_with_references_is_read_as_it_leads(url: str, column: int) -> None:
    (finding,) = check("a.md", url)
    assert (finding.rule, finding.column) == ("misleading_link", column)


@pytest.mark.parametrize(
    "text",
    [
        "&amp;#x202E;",
        "&#110000000;",
        "&#xD7FF;",
        "&nonsense;",
        "می&zwnj;خواهم",
        "R&D; &nbsp;&copy;",
    ],
)
def test_other_references_have_no_mark(text: str) -> None:
    assert check("a.md", text) == []


@pytest.mark.parametrize(
    "piece",
    ["\u200b", "//", "http://\u0430.b ", "\U0001f3f4", "//a@", "x", "&lt;", "&#8203;", "&#0"],
)
def test_five_mebibytes_cost_what_their_length_costs(piece: str) -> None:
    text = piece * (5 * 1024 * 1024 // len(piece.encode()))
    with no_explosion():
        assert len(check("a.md", text)) <= MAX_MARKS
