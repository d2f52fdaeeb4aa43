"""Cutting: the parts of a long text render as the whole does, and none of them takes long."""

import re

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from reviews import cutting, sanitize, unseen
from tests.support.growth import calls_of

FENCE = (
    "```js\n" + "\n\n".join(f"const a{n} = x[{n}]; // *b* # h" for n in range(4_000)) + "\n```\n"
)
TABLE = "| a | b |\n|---|---|\n" + "".join(f"| {n} | x |\n" for n in range(3_000))
DEAR = ["*a* ", "***a** b* ", "_a_ ", "~~x~~ ", "*_", "a_b ", "&", '"', "[a](b) ", "`a` ", "# a\n"]
WEIGHT = 16 * 1024
MOST_CALLS = 360_000
"""For a part of that weight; plain prose with links takes half of them."""


def texts(body: str) -> list[str]:
    return [part.text for part in sanitize.parts(body).parts]


def pages(body: str) -> list[str]:
    cut = sanitize.parts(body)
    return [str(sanitize.part(cut, number)) for number in range(1, len(cut.parts) + 1)]


def joined(markup: str) -> str:
    """Without notes, and the seams at which a table or a fence ends and begins again."""
    noteless = re.sub(r"(?:<hr>\s*)?<section>.*?</section>\s*", "", markup, flags=re.DOTALL)
    noteless = re.sub(r"<sup>.*?</sup>|\[\^[nmk]\]", "", noteless)
    noteless = re.sub(r"<p>\s*</p>\s*", "", noteless)
    seamless = re.sub(r"</code></pre>\s*<pre><code>", "", noteless)
    again = re.compile(
        r"</tbody>\s*</table>\s*<table>\s*<thead>.*?</thead>\s*<tbody>\s*", re.DOTALL
    )
    return again.sub("", seamless)


WORD = st.sampled_from(
    [
        "a",
        "*b*",
        "`c`",
        "[x][r]",
        "[r]",
        "d | e",
        "<i>",
        "1",
        "字",
        "[l](m)",
        "\\*",
        "b[^n]",
        "c[^m]",
    ]
)
LINE = st.lists(WORD, min_size=1, max_size=6).map(" ".join)
LINES = st.lists(LINE, min_size=1, max_size=4)
ROWS = st.lists(WORD, min_size=1, max_size=12).map(
    lambda cells: [f"| {one} | z |" for one in cells]
)
BLOCK = st.one_of(
    LINES.map("\n".join),
    LINE.map("## {}".format),
    LINES.map(lambda lines: "```\n" + "\n\n# ".join(lines) + "\n```"),
    LINES.map(lambda lines: "~~~ x\n" + "\n".join(lines * 3) + "\n~~~"),
    LINES.map(lambda lines: "\n".join(f"- {line}" for line in lines)),
    LINES.map(lambda lines: "\n\n".join(f"1. {line}\n   more" for line in lines)),
    LINES.map(lambda lines: "\n".join(f"> {line}" for line in lines)),
    LINES.map(lambda lines: "\n\n".join(f"    {line}" for line in lines)),
    ROWS.map(lambda rows: "\n".join(["| a | b |", "|---|:-:|", *rows])),
    LINES.map(lambda lines: "<div>\n" + "\n".join(lines) + "\n</div>"),
    st.sampled_from(
        ["[r]: https://h.org/r 'T'", "[r]: /other", "---", "Title\n===", "import a from 'b'"]
    ),
    st.tuples(st.sampled_from("nmk"), LINES).map(
        lambda note: f"[^{note[0]}]: told of {note[0]} " + "\n\n    ".join(note[1])
    ),
)
NOTES = ("told of n", "told of m", "told of k")
BODY = st.lists(
    st.tuples(BLOCK, st.sampled_from(["\n\n", "\n", "\n\n\n", "\r\n\r\n"])), max_size=14
).map(lambda blocks: "".join(block + end for block, end in blocks))


@given(BODY)
@settings(max_examples=120, deadline=None)
def test_parts_render_as_the_whole_does(body: str) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(cutting, "PART_WEIGHT", 480)
        cut = cutting.cut(body, sanitize._parser())
    assert "".join(part.text for part in cut.parts) == body
    assert all(part.text.strip() or part.head for part in cut.parts) or not body.strip()
    assume(not any(part.is_plain for part in cut.parts))
    rendered = [str(sanitize.part(cut, number)) for number in range(1, len(cut.parts) + 1)]
    assert joined("".join(rendered)) == joined(str(sanitize.markdown(body)))
    missing = [
        note for note in NOTES if note in body and not any(note in page for page in rendered)
    ]
    assert not missing or unseen.in_body(cut, sanitize._parser(), sanitize.DEEPEST)


def test_code_stays_code_in_each_part_of_a_fence() -> None:
    found = pages(f"Intro.\n\n{FENCE}\nAfter the *code*, prose.\n")
    assert len(found) > 2
    assert all("<em>b</em>" not in page and "<h1>" not in page for page in found)
    assert "<em>code</em>" in found[-1]
    code = re.findall(r"<code>(.*?)</code>", "".join(found), re.DOTALL)
    assert "".join(code).count("// *b* # h") == 4_000


def test_each_part_of_a_table_has_its_header() -> None:
    found = pages(f"Intro.\n\n{TABLE}\nAfter it.\n")
    assert len(found) > 2
    assert all(page.count("<th>a</th>") == 1 for page in found)
    assert sum(page.count("<tr>") for page in found) == 3_000 + len(found)
    assert "<p>After it.</p>" in found[-1]


def test_a_link_is_one_wherever_its_target_is_defined() -> None:
    found = pages(
        "See [the rules][r].\n\n" + ("word " * 400 + "\n\n") * 60 + "[r]: https://h.org/r\n"
    )
    assert len(found) > 1
    assert '<a href="https://h.org/r"' in found[0]


def test_a_note_stands_under_each_part_that_names_it() -> None:
    note = "[^n]: Said by *Mei*.\n"
    found = pages("It is so.[^n]\n\n" + ("word " * 400 + "\n\n") * 60 + note)
    assert len(found) > 1
    assert "<em>Mei</em>" in found[0]


def test_notes_that_fit_behind_no_part_are_shown_where_they_stand() -> None:
    named = "".join(f"Paragraph {n} {'word ' * 220}[^n{n}].\n\n" for n in range(80))
    notes = "".join(f"[^n{n}]: Note number {n}: {'see there ' * 30}.\n" for n in range(80))
    found = pages(named + notes)
    assert len(found) > 1
    assert all(any(f"Note number {n}:" in page for page in found) for n in range(80))
    assert not sanitize.parts(named + notes).leaves_out


def test_a_note_longer_than_what_fits_behind_a_part_is_shown() -> None:
    body = f"See.[^a]\n\n{('word ' * 30 + chr(10) * 2) * 900}[^a]: {'told ' * 8_000}\n\nEnd.\n"
    found = pages(body)
    assert sum(page.count("told") for page in found) == 8_000
    assert not sanitize.parts(body).leaves_out


def test_notes_behind_a_fence_that_goes_on_are_no_code() -> None:
    found = pages(f"It is so.[^n]\n\n{FENCE}\n[^n]: Said by *Mei*.\n")
    assert len(found) > 2
    assert "<em>Mei</em>" in found[0]
    code = re.findall(r"<pre><code>(.*?)</code></pre>", "".join(found), re.DOTALL)
    assert "".join(code) == FENCE.removeprefix("```js\n").removesuffix("```\n")


@pytest.mark.parametrize(
    "block",
    ["- an item of a list\n" * 6_000, "> quoted\n" * 9_000, "字" * 250_000, "a\n" * 20_000],
    ids=["list", "quote", "line", "paragraph"],
)
def test_a_block_too_long_for_a_part_is_plain_text_to_its_end(block: str) -> None:
    body = f"# Before\n\n{block}\n\n# After\n"
    cut = sanitize.parts(body)
    assert "".join(part.text for part in cut.parts) == body
    kinds = [part.is_plain for part in cut.parts]
    assert kinds == [False, *[True] * (len(kinds) - 2), False]
    assert "<h1>After</h1>" in str(sanitize.part(cut, len(kinds)))
    assert str(sanitize.part(cut, 2)).startswith('<pre class="user-markup">')


def test_no_part_is_empty() -> None:
    for body in ("\n" + "x" * 1_000_000, "\n\n\n" + TABLE + "\n" * 200, "\n" * 300_000, ""):
        found = texts(body)
        assert "".join(found) == body
        assert len(found) == 1 or all(text.strip() for text in found), len(found)


def test_short_paragraphs_are_cut_between_them() -> None:
    body = "".join(f"Paragraph {number} of a long article.\n\n" for number in range(12_000))
    found = texts(body)
    assert len(found) > 2
    assert "".join(found) == body
    assert all(text.endswith("\n\n") for text in found)
    assert max(map(len, found)) <= cutting.PART_WEIGHT


@pytest.mark.parametrize("dear", DEAR)
def test_a_part_takes_no_more_work_for_what_it_is_made_of(
    dear: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cutting, "PART_WEIGHT", WEIGHT)
    paragraph = dear * 40 + "\n\n"
    cut = sanitize.parts(paragraph * (2 * WEIGHT // len(paragraph)))
    assert not any(part.is_plain for part in cut.parts)
    longest = max(cut.parts, key=lambda part: len(part.text))
    assert calls_of(lambda: sanitize.markdown(longest.source)) < MOST_CALLS
