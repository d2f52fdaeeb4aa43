"""Articles as files: bytes that read back, and names that paths can bear."""

import tomllib
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from publisher.domain.slugs import slug
from publisher.ports import DraftResult
from publisher.prepare.article import render_article
from publisher.prepare.frontmatter import parse, split

TITLE = "Tea or coffee: a \"test\" for 'guests' # not a comment \\ end -- {x}"
DRAFT = DraftResult(TITLE, "It: says\nmuch.", ("a: b", "茶"), ("One",), "## One\n\nBody.\n", "en")


def test_the_front_matter_reads_back_as_what_was_drafted() -> None:
    values = parse(split(render_article(DRAFT, date="2026-05-01")))
    assert (values["title"], values["summary"]) == (TITLE, "It: says\nmuch.")
    assert values["tags"] == ["a: b", "茶"]
    assert str(values["date"]) == "2026-05-01"


def test_toml_is_written_when_the_site_uses_it() -> None:
    data = render_article(DRAFT, front_matter_style="toml", date="2026-05-01")
    assert split(data).style == "toml"
    assert tomllib.loads(split(data).raw.decode())["title"] == TITLE


@pytest.mark.parametrize("style", ["yaml", "toml"])
def test_the_body_follows_unchanged(style: Literal["yaml", "toml"]) -> None:
    data = render_article(DRAFT, front_matter_style=style, date="soon: maybe")
    assert split(data).body == b"\n## One\n\nBody.\n"
    assert parse(split(data))["date"] == "soon: maybe"


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Larkspur 3.4 is out", "larkspur-3-4-is-out"),
        ("Où déjeuner à Zürich?", "ou-dejeuner-a-zurich"),
        ("中文文章：第二篇", "中文文章-第二篇"),
        ("React 编译器 v1.0", "react-编译器-v1-0"),
        ("..//..\\x", "x"),
        ("  ", "article"),
        ("🙂", "article"),
        ("かな", "かな"),
        ("CON_aux", "con-aux"),
    ],
)
def test_a_slug_is_short_safe_and_keeps_real_characters(title: str, name: str) -> None:
    assert slug(title) == name


@given(st.text(max_size=300))
def test_any_title_has_a_slug_that_a_path_can_bear(title: str) -> None:
    name = slug(title)
    assert 0 < len(name.encode()) <= 180
    assert not set(name) & set('/\\:*?"<>| .\x00')
    assert name == name.strip("-")
