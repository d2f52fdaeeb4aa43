"""Outside text as HTML: nothing runs, nothing loads, nothing is lost, and it ends soon."""

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reviews import sanitize
from tests.support.growth import no_explosion

VECTORS = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg onload=alert(1)>",
    '<math><mi xlink:href="javascript:alert(1)">x</mi></math>',
    "[a](javascript:alert(1))",
    "[b](JaVaScRiPt&#58;alert(1))",
    "[c](java&#x09;script:alert(1))",
    "[d](data:text/html,<script>alert(1)</script>)",
    "<javascript:alert(1)>",
    '![pic\\" onerror=alert(1) y](z)',
    '![x](x "\\"onerror=alert(1)")',
    '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
    '<a href="//xss.invalid" target=_top>t</a>',
    '```"><img/src=x/onerror=alert(1)>\ncode\n```',
    '# h {#"><img src=x onerror=alert(1)>}',
    "<details open ontoggle=alert(1)>",
    '<form action="javascript:alert(1)"><button>x</button></form>',
    '<base href="//xss.invalid/">',
    '<meta http-equiv=refresh content="0;url=//xss.invalid">',
    "<style>@import '//xss.invalid'</style>",
    "<a href=javascript&colon;alert(1)>x</a>",
    "[x]: javascript:alert(1)\n\n[x]",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>",
    "<table><td background=javascript:alert(1)>",
    "<object data=javascript:alert(1)></object><embed src=javascript:alert(1)>",
    "| a |\n|---|\n| <img src=x onerror=alert(1)> |",
    "text[^1]\n\n[^1]: <img src=x onerror=alert(1)>",
    "<!--><img src=x onerror=alert(1)>-->",
    "<![CDATA[<img src=x onerror=alert(1)>]]>",
    "[vb](vbscript:msgbox(1)) [f](file:///etc/passwd)",
    "<p style='background:url(//xss.invalid)'>x</p>",
    '<Component onClick={() => alert(1)} dangerouslySetInnerHTML={{__html: "<img>"}} />',
    'import x from "//xss.invalid/x.js"',
]


class Reader(HTMLParser):
    """Collects tags, attributes and text."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str, str]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]

    def handle_data(self, data: str) -> None:
        self.text += data


def read(source: str) -> Reader:
    reader = Reader()
    reader.feed(sanitize.markdown(source))
    reader.close()
    return reader


def check(reader: Reader) -> None:
    assert reader.tags <= set(sanitize.TAGS)
    for tag, name, value in reader.attributes:
        assert name in {*sanitize.ATTRIBUTES.get(tag, []), "rel"}, (tag, name)
        if name == "href":
            scheme = re.match(r"\s*([a-z][a-z0-9+.-]*):", value, re.IGNORECASE)
            assert scheme is None or scheme[1].lower() in sanitize.SCHEMES, value
        if name == "class":
            assert value in sanitize.CLASSES


@pytest.mark.parametrize("vector", VECTORS)
def test_no_vector_becomes_markup(vector: str) -> None:
    check(read(vector))
    check(read(f"before {vector} after"))
    check(read(f"> - {vector}\n"))


@given(st.text(alphabet="<>&\"'`[]()!#*_-=:/ \n\tabjsx{}|^\\", max_size=200))
@settings(max_examples=150, deadline=None)
def test_no_text_becomes_other_markup(source: str) -> None:
    check(read(source))


def test_markup_is_shown_as_text_and_not_dropped() -> None:
    text = read('<Note type="warn">\n**bold**\n</Note>\n').text
    assert '<Note type="warn">' in text
    assert "</Note>" in text
    assert "bold" in text


def test_an_image_is_named_and_never_loaded() -> None:
    reader = read("![The long table](https://tracker.invalid/pixel.gif)")
    assert "img" not in reader.tags
    assert "The long table (https://tracker.invalid/pixel.gif)" in reader.text


def test_ordinary_markdown_keeps_its_shape() -> None:
    reader = read("# A\n\n- b\n\n| c |\n|---|\n| d |\n\n`e` **f** [g](https://h.org)\n\n1. x\n")
    assert {"h1", "ul", "table", "code", "strong", "a", "ol"} <= reader.tags
    assert ("a", "rel", "noopener noreferrer nofollow") in reader.attributes


def test_hidden_characters_are_spelled_out() -> None:
    assert "⟦U+202E⟧654321" in read("Pay to account \u202e654321\u202c today.").text


def test_what_a_character_reference_stands_for_is_spelled_out_where_it_is_rendered() -> None:
    page = read(
        "# &#x202E;54&#x202C;\n\nPay &#x202E;1&#x202C; to *[&#8203;](https://h.org)*, &lrm;now.\n\n"
        "| &#xFEFF;a |\n|---|\n| b&zwj;c |\n\n![&ZeroWidthSpace;](a.png '&#8237;x')[^n]\n\n"
        "[^n]: A note&#x2066;.\n"
    ).text
    assert re.findall("⟦U[+]([0-9A-F]+)⟧", page) == [
        "202E", "202C", "202E", "202C", "200B", "200E", "FEFF", "200D", "200B", "202D", "2066",
    ]  # fmt: skip
    assert not set(page) & set("\u202e\u202c\u200b\u200e\ufeff\u200d\u202d\u2066")


def test_a_reference_is_what_it_is_in_code_and_in_scripts_that_need_the_character() -> None:
    code = "`a &#x202E;`\n\n```\nb &#x202E;\n```\n\n    c &#x202E;\n\n<b title='&#x202E;'>d</b>\n"
    page = read(code).text
    assert "⟦" not in page
    assert page.count("&#x202E;") == 4
    assert "می\u200cخواهم" in read("می&zwnj;خواهم").text
    assert "⟦" not in read("مرحبا بالعالم").text


@pytest.mark.parametrize(
    "deep", ["> " * 300 + "end", "".join(f"{'  ' * i}- a{i}\n" for i in range(90))]
)
def test_what_nests_too_deep_is_shown_as_text_and_not_dropped(deep: str) -> None:
    text = read(deep).text
    assert ("end" in text) or ("a89" in text)


@pytest.mark.parametrize(
    "hostile",
    ["[" * 20_000, "`" * 20_000, "> " * 5_000, "<" * 20_000, "*a " * 9_000, "<a\n" * 9_000],
)
def test_hostile_text_ends_soon(hostile: str) -> None:
    with no_explosion():
        sanitize.markdown(hostile)
