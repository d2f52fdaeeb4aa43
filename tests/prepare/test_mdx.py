"""The MDX gate: it names what would break or run, proposes what to write, and never takes the worker down."""

import itertools
import json
import re

import mdxjs_py
import pytest

from publisher.domain.findings import Finding, Severity
from publisher.prepare import mdx
from publisher.prepare.mdx_scan import doubted, scan
from publisher.processes.limited import Outcome
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
        "{/* one */} and {/* two */ /* three */}\n",
        "- A list of what they\nexport by sea\n",
        "# a ` b\n{/* c */}\nd `\n",
        "# a ` b\n{' '}\nd `\n",
        "a <b\nclass='c'>d</b>\n",
        "- 1. <Note\n     kind={level}\n     />\n",
        "<p><Note\n  kind={level}\n/></p>\n",
        "`import\nimport {a} from 'a'`\n\n```js {1,3}\nimport {a} from 'a'\n\nexport default {a}\n```\n",
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


def test_warnings_never_hide_what_blocks() -> None:
    warned = "a < b\n\n" * mdx.MAX_FINDINGS
    assert [finding.rule for finding in blocking(warned + "{process.env.SECRET}\n")] == [
        "mdx_expression"
    ]
    assert [finding.rule for finding in blocking(warned + "<Foo>\n")] == ["mdx_syntax"]


def test_code_between_two_comments_is_code() -> None:
    (finding,) = blocking("{/* a */ fetch('x') /* b */}\n")
    assert finding.rule == "mdx_expression"


@pytest.mark.parametrize(
    "before",
    [
        "# T\n",
        "***\n",
        "```\na\n```\n",
        "<Note />\n",
        "text\n \t\n",
        "a\n===\n",
        "a\r\r",
        "> - # T\n",
    ],
)
def test_an_import_is_found_behind_all_that_ends_a_paragraph(before: str) -> None:
    (finding,) = blocking(f"{HEAD}{before}export const x = fetch('y')\n\ntext\n")
    line = 5 + len(before.splitlines())
    assert (finding.rule, finding.line) == ("mdx_esm", line)
    assert "export const x" in finding.message


@pytest.mark.parametrize(
    "text",
    [
        "- ```\n{evil()}\n", "> ~~~\n\n{evil()}\n", "# `a\n{evil()}`\n", "`a\n- {evil()}`\n",
        "a <b\n\n{evil()}\n\n>\n", "a <b then\n\n{evil()}\n\nx > y\n", "`<b\n\n{evil()}\n\n>`\n",
        "a <b\n# {evil()} >\n", "a <b\n- {evil()} >\n", "a\n2) <b\n\n{evil()}\n",
        "a <b.c\n\n{evil()}\n\n<i />\n", "a <b c='\n\n{evil()}\n\n'>\n", "[a]: x '<b'\nc={evil()} d='>\n",
        "<b\nc d = e\n{evil()}\n>\n", "a <b c = d {evil()} >\n",
    ],
)  # fmt: skip
def test_code_ends_where_the_parser_ends_it(text: str) -> None:
    finding, *_ = blocking(text)
    assert finding.rule == "mdx_expression"
    assert "{evil()}" in finding.message


PIECES = (
    "text", "# T", "# `t", "a `b", "c`", "***", "===", "```", "~~~", "> ```", "- ```", "  ```",
    "- a", "> a", "> ~~~", "<Note />", "<Note>", "</Note>", "{1}", "{/* a */}", "a \\", "| a |", "",
    "<b", "a <b", "# <b", "2) <b", "<i />", "export const a = evil()", "{evil()}",
)  # fmt: skip
_STRINGS = re.compile(r'"(?:[^"\\]|\\.)*"')


def _runs(text: str) -> bool | None:
    """Whether the compiled text calls something; None when it is no MDX."""
    try:
        return "evil(" in _STRINGS.sub("", mdxjs_py.compile(text))
    except ValueError:
        return None


def test_whatever_the_parser_takes_for_code_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The real parser, in this process, since thousands of children would take minutes."""

    def parsed(_name: str, data: bytes, **_limits: object) -> Outcome:
        try:
            mdxjs_py.compile(data.decode())
        except ValueError as error:
            return Outcome(0, json.dumps(str(error)).encode())
        return Outcome(0, b"null")

    monkeypatch.setattr(mdx, "run_limited", parsed)
    ran = 0
    for pieces in itertools.product(PIECES, PIECES, PIECES[-2:], ("", "```", "`", ">", "/>")):
        text = "\n".join(pieces) + "\n"
        runs = _runs(text)
        ran += bool(runs)
        if runs is not False:
            assert blocking(text), text
    assert ran


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
        '<a {"',
        "a <b c='\n",
        "x",
    ],
)
def test_hostile_text_of_five_mebibytes_costs_what_its_length_costs(piece: str) -> None:
    text = piece * (5 * 1024 * 1024 // len(piece))
    with no_explosion():
        for place, _ in zip(scan(text), range(mdx.MAX_FINDINGS), strict=False):
            assert place.end > place.start
        assert len(doubted(text[:100_000])) >= 100_000 - len(piece)


@pytest.mark.parametrize(
    ("start", "piece", "end"),
    [("{", " ", "x}"), ("{", '\\"', "}"), ("{", "\\`", "}"), ("{", "/**/ ", "x}"), ("", "`", " `")],
)
def test_a_hostile_middle_costs_what_its_length_costs(start: str, piece: str, end: str) -> None:
    text = start + piece * 1_000_000 + end
    with no_explosion():
        list(scan(text))
        doubted(f"```\n{text}\n```\n")


def test_many_short_lines_without_any_sign_of_mdx_need_no_parser(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr(mdx, "run_limited")
    assert mdx.check("a.mdx", "".join(f"LINE {number}\n" for number in range(200_000))) == []
