"""Front matter as checked: what blocks, what is only told, and what is no front matter at all."""

import pytest

from publisher.domain.findings import Severity
from publisher.prepare.frontmatter import check, is_bare


def test_a_byte_order_mark_is_told_and_blocks_nothing() -> None:
    (finding,) = check("a.md", b"\xef\xbb\xbf---\ntitle: a\n---\n", required=("title",))
    assert (finding.severity, finding.rule) == (Severity.INFO, "bom")


def test_invalid_utf_8_blocks_with_its_line() -> None:
    (finding,) = check("a.md", b"---\ntitle: a\n---\nok\n\xff\n", required=())
    assert (finding.severity, finding.rule, finding.line) == (Severity.BLOCK, "utf8", 5)


def test_a_missing_required_key_blocks_by_name() -> None:
    (finding,) = check("a.md", b"---\ntitle: a\ndate:\n---\n", required=("title", "date"))
    assert finding.rule == "front_matter_required"
    assert "date" in finding.message


@pytest.mark.parametrize(
    "text",
    [
        "---\ntitle: a\n\nBody\n", "--- \r\n标题: x\r\n\r\nBody\r\n", "---\n标题: x\n\nBody\n",
        '---\n"title": x\n\nBody\n', "---\n'my title': x\n\nBody\n", "---\n# c\ntitle: x\n\nBody\n",
        "---\r\n  # 注释\r\n标题: x\r\n\r\nBody\r\n", "---\n\ntitle: x\n\nBody\n",
        '---\n\n# c\n"title": x\n\nBody\n', "---\nTitle:\n  x\n", "\ufeff---\ntitle: a\n\nBody\n",
        "+++\ntitle = 'a'\n\nBody\n", "+++\n\n# c\ntitle = 'a'\n",
    ],
)  # fmt: skip
def test_front_matter_that_is_never_closed_blocks(text: str) -> None:
    *_bom, finding = check("a.md", text.encode(), required=())
    assert (finding.severity, finding.rule) == (Severity.BLOCK, "front_matter_unclosed")


@pytest.mark.parametrize(
    "text",
    [
        "---\n\nBody after a rule.\n", "---\n\nNote: the tide turns.\n", "---\n\n注意：今天下雨。\n",
        "---\n\n注意: 今天下雨。\n", "---\n\n# Head\n\nBody: a text.\n", "---\n\n\"So\": he said it.\n",
        "---\nRead this first: the tide turns.\n", "---\nhttps://h.org/a: an address\n",
        "---\n有两种原因会导致组件的渲染:\n\n- a\n", "---\n每个星期六社区中心都开放而且: 免费\n",
        "---\n\nhttp://h.org\n", "---\n\nat 10:30 it rains\n", "---\n\n12:30 it rains\n",
        "---\n\n# Head\n\nnote: hello\n", "---\r\n# Head\r\n\r\nnote: hello\r\n",
        "---\n\n- a: list\n", "---\n\n> quote: a text\n", "---\n\n**Note**: a text\n", "---\n\na:b\n",
    ],
)  # fmt: skip
def test_a_rule_at_the_top_is_not_front_matter(text: str) -> None:
    assert check("a.md", text.encode(), required=()) == []
    assert is_bare(text.encode())
