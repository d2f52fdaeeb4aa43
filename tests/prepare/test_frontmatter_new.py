"""Front matter written anew: any title comes back as it was, and the text behind it is untouched."""

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from publisher.prepare import values
from publisher.prepare.frontmatter import WrittenStyle, is_bare, parse, put_before, split

titles = st.text(st.characters(codec="utf-8"), max_size=200)
bodies = st.binary(max_size=60) | st.sampled_from(
    [b"", b"---\n", b"+++\r\n", b"\xef\xbb\xbf# A\r\n", b"---\n\ntext\n---\n", b"title: x\n"]
)
styles = st.sampled_from(get_args(WrittenStyle))


@given(title=titles, body=bodies, style=styles)
def test_any_title_reads_back_and_any_text_stays(
    title: str, body: bytes, style: WrittenStyle
) -> None:
    made = put_before(body, {"title": values.quote(title)}, style=style)
    document = split(made)
    assert document.style == style
    assert parse(document) == {"title": title}
    assert document.bom + document.body == body


@pytest.mark.parametrize("text", [b"", b"# A\n", b"\xef\xbb\xbfText", b"---\n\nA rule above.\n"])
def test_a_text_without_front_matter_is_bare(text: bytes) -> None:
    assert is_bare(text)


@pytest.mark.parametrize(
    "text",
    [
        b"---\ntitle: x\n---\n", b"---\r\ntitle: x\r\n---", b"+++\nx = 1\n+++\nText", b"---\n---\n",
        b"\xef\xbb\xbf---\na: b\n---\n", b"---\ntitle: never closed\n", b"+++\ntitle = 1\n",
    ],
)  # fmt: skip
def test_a_text_with_front_matter_even_a_broken_one_is_not_bare(text: bytes) -> None:
    assert not is_bare(text)
