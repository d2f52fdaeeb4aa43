"""The MDX gate: it names what would break or run, proposes what to write, and never takes the worker down."""

import pytest

from publisher.domain.findings import Finding, Severity
from publisher.prepare import mdx
from publisher.prepare.mdx_scan import scan
from tests.support.growth import no_explosion

HEAD = '---\ntitle: "b"\n---\n\n'
BRACES = (
    HEAD + "- Pick {one cup/two cups/a pot} per guest.\n\n"
    "if a < b then <1 ms, see <https://example.invalid>.\n\n"
    "$\\frac{1}{\\sigma}$ <br> <!-- note -->\n"
)


def blocking(text: str) -> list[Finding]:
    return [finding for finding in mdx.check("a.mdx", text) if finding.severity is Severity.BLOCK]


@pytest.mark.parametrize(
    ("written", "rule", "instead"),
    [
        ("Pick {one cup/two cups} now", "mdx_expression", "\\{one cup/two cups\\}"),
        ("in <1 ms", "mdx_less_than", "\\<"),
        ("$\\frac{1}{\\sigma}$", "mdx_expression", "\\{\\sigma\\}"),
        ("one<br>two", "mdx_void", "<br />"),
        ('<img src="a.png">', "mdx_void", '<img src="a.png" />'),
        ("<!-- note -->", "mdx_comment", "{/* note */}"),
        ("see <https://example.invalid>", "mdx_autolink", "[https://example.invalid]"),
        ("see <ada@example.invalid>", "mdx_autolink", "(mailto:ada@example.invalid)"),
        ("import fs from 'fs'", "mdx_esm", "fence"),
        ("export const a = 1", "mdx_esm", "fence"),
        ("{fetch('x')}", "mdx_expression", "\\{fetch('x')\\}"),
        ("never {closed", "mdx_syntax", "\\{"),
    ],
)
def test_it_blocks_and_proposes_what_to_write(written: str, rule: str, instead: str) -> None:
    (finding,) = blocking(written + "\n")
    assert finding.rule == rule
    assert instead in finding.advice


def test_a_plain_less_than_is_a_warning_with_a_proposal() -> None:
    (finding,) = mdx.check("a.mdx", "if a < b\n")
    assert (finding.severity, finding.column) == (Severity.WARN, 6)
    assert "&lt;" in finding.advice


def test_every_place_is_reported_with_its_line_and_column_in_the_file() -> None:
    places = [(finding.line, finding.column) for finding in mdx.check("a.mdx", BRACES)]
    assert places == [(5, 8), (7, 6), (7, 15), (7, 26), (9, 10), (9, 20), (9, 25)]


def test_the_proposals_together_make_valid_mdx() -> None:
    assert mdx.check("a.mdx", mdx.proposal(BRACES)) == []


def test_code_spans_and_fences_are_left_alone() -> None:
    text = (
        HEAD
        + "`{a}` and `a < b` and ``<br> ` {x y}``\n\n```js\nif (a < b) { return {x: 1} }\n```\n"
    )
    assert mdx.check("a.mdx", text) == []


@pytest.mark.parametrize(
    "text",
    [
        "## 标题 {/*heading-id*/}\n",
        "one{' '}two {1} {`plain`}\n",
        '<Note kind={level} {...rest} style={{color: "}"}}>\n\ntext\n\n</Note>\n',
        "<Sandpack>\n\n```js src/App.js\nexport default <p>{a}</p>\n```\n\n</Sandpack>\n",
        "> ```js\n> {a b}\n> ```\n",
        "- ~~~\n  {a b} <br>\n  ~~~\n",
        "escaped \\{a b\\} and \\<1\n",
        "To import goods is fine.\nimport duties rose.\n",
    ],
)
def test_components_comments_literals_and_escapes_pass(text: str) -> None:
    assert mdx.check("a.mdx", text) == []


def test_the_parser_has_the_last_word_with_a_position_in_characters() -> None:
    (finding,) = blocking(HEAD + "中文 <b>粗体\n")
    assert (finding.rule, finding.line, finding.column) == ("mdx_syntax", 5, 9)


def test_windows_line_ends_change_no_position() -> None:
    text = BRACES + "\nimport a from 'a'\n"
    with_crlf = mdx.check("a.mdx", text.replace("\n", "\r\n"))
    assert with_crlf == mdx.check("a.mdx", text)


def test_markdown_files_are_not_mdx() -> None:
    assert mdx.check("content/a.md", BRACES) == []


def test_a_parser_that_crashes_is_a_finding() -> None:
    (finding,) = blocking("> " * 5000)
    assert finding.rule == "mdx_validator_died"
    assert "validator died" in finding.message


def test_findings_of_one_file_are_limited() -> None:
    assert len(mdx.check("a.mdx", "<1 " * 5000)) == mdx.MAX_FINDINGS


@pytest.mark.parametrize(
    "piece",
    [
        "{",
        "<",
        "` ",
        '<a "',
        "<a ",
        "{'",
        "{`",
        "<!--",
        "```\n",
        "import x\n",
        "\\",
        " ",
        '{"a"}',
        "x",
    ],
)
def test_hostile_text_of_five_mebibytes_costs_what_its_length_costs(piece: str) -> None:
    text = piece * (5 * 1024 * 1024 // len(piece))
    with no_explosion():
        for place, _ in zip(scan(text), range(mdx.MAX_FINDINGS), strict=False):
            assert place.end > place.start


def test_many_short_lines_without_any_sign_of_mdx_need_no_parser(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr(mdx, "run_limited")
    assert mdx.check("a.mdx", "".join(f"LINE {number}\n" for number in range(200_000))) == []
