"""Globs: what a pattern names, against a slow and plain reading of the same rules."""

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from publisher.domain.errors import InvalidInput
from publisher.domain.globs import inner_name, top_folders
from publisher.domain.paths import match_glob
from tests.support.growth import no_explosion


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("content/**/*.{md,mdx}", "content/a.md"),
        ("content/**/*.{md,mdx}", "content/posts/2024/中文 🙂.mdx"),
        ("content/**/*.{md,mdx}", "content/posts/b[1].mdx"),
        ("content/**/*.{md,mdx}", "content/posts/:(exclude)x.mdx"),
        ("content/**/*.{md,mdx}", "content/posts/*.mdx"),
        ("public/**", "public/a.png"),
        ("public/**", "public/x/y/.well-known"),
        ("**", "a"),
        ("**/**/x", "x"),
        ("a/**/b/**/c", "a/b/c"),
        ("a/**/b/**/c", "a/x/b/y/b/c"),
        ("{a,b{c,d}}/*.md", "bd/x.md"),
        ("*{ab,a}*b", "ab"),
        ("x?.md", "xé.md"),
        ("line\nbreak*", "line\nbreak\n"),
    ],
)
def test_a_pattern_names_the_path(pattern: str, path: str) -> None:
    assert match_glob(pattern, path)


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("content/**/*.{md,mdx}", "content/a.txt"),
        ("content/**/*.{md,mdx}", "xcontent/a.md"),
        ("content/**/*.{md,mdx}", "Content/a.md"),
        ("content/**/*.{md,mdx}", "content/a.md/x"),
        ("content/**/*.{md,mdx}", "content/a.md\n"),
        ("content/*.md", "content/posts/a.md"),
        ("public/**", "public"),
        ("public/**", "public/"),
        ("public/**", "publicity/a"),
        ("a/**/b/**/c", "a/b"),
        ("a/**/b", "a/xb"),
        ("b[1].mdx", "b1.mdx"),
        ("a.md", "axmd"),
        ("?", "/"),
    ],
)
def test_a_pattern_does_not_name_the_path(pattern: str, path: str) -> None:
    assert not match_glob(pattern, path)


@pytest.mark.parametrize("pattern", ["", "{a", "a}", "a}{b", "{a,{b}", "x" * 501, "{a,b}" * 7])
def test_a_pattern_that_cannot_be_read_is_refused(pattern: str) -> None:
    with pytest.raises(InvalidInput):
        match_glob(pattern, "a")


_PIECES = st.lists(st.sampled_from(["a", "b", "?", "*", ".", "ab"]), max_size=6).map("".join)
_PARTS = st.one_of(st.just("**"), _PIECES.filter(lambda part: part and "**" not in part))
_NAMES = st.text("ab.", min_size=1, max_size=5)


@given(
    parts=st.lists(_PARTS, min_size=1, max_size=6), names=st.lists(_NAMES, min_size=1, max_size=6)
)
def test_it_agrees_with_a_plain_reading_of_the_rules(parts: list[str], names: list[str]) -> None:
    path = "/".join(names)
    expected = _names_parts(tuple(parts), tuple(names))
    assert match_glob("/".join(parts), path) == expected


@given(
    choices=st.lists(_PIECES, min_size=1, max_size=4),
    before=_PIECES,
    after=_PIECES,
    name=st.text("ab.", max_size=8),
)
def test_braces_mean_any_of_the_written_out_patterns(
    choices: list[str], before: str, after: str, name: str
) -> None:
    written_out = any(_names_part(before + choice + after, name) for choice in choices)
    pattern = f"{before}{{{','.join(choices)}}}{after}"
    if "**" not in {before + choice + after for choice in choices}:
        assert match_glob(pattern, name) == written_out


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("*a" * 200 + "b", "a" * 20_000),
        ("**/a/" * 60 + "b", "a/" * 5_000 + "c"),
        ("**/*a*a*a*a/" * 20 + "b", ("a" * 50 + "/") * 200),
    ],
    ids=["stars", "double stars", "both"],
)
def test_a_hostile_pattern_takes_no_more_than_linear_time(pattern: str, path: str) -> None:
    with no_explosion():
        assert not match_glob(pattern, path)


def _names_parts(parts: tuple[str, ...], names: tuple[str, ...]) -> bool:
    if not parts:
        return not names
    if parts[0] == "**":
        if all(part == "**" for part in parts):
            return bool(names)
        return any(_names_parts(parts[1:], names[skip:]) for skip in range(len(names) + 1))
    return bool(names) and _names_part(parts[0], names[0]) and _names_parts(parts[1:], names[1:])


@cache
def _names_part(part: str, name: str) -> bool:
    if not part:
        return not name
    if part[0] == "*":
        return any(_names_part(part[1:], name[skip:]) for skip in range(len(name) + 1))
    return bool(name) and part[0] in ("?", name[0]) and _names_part(part[1:], name[1:])


@pytest.mark.parametrize(
    ("pattern", "name"),
    [
        ("content/**/index.{md,mdx}", "/index"),
        ("content/**/index.en.md", "/index.en"),
        ("content/**/index.{en,zh}.md", "/index.en"),
        ("{about.md,posts/**/index.md}", "/index"),
        ("{posts/**/index.md,about.md}", "/index"),
        ("content/*/README", "/README"),
        ("content/**/*.md", ""),
        ("{notes/*.md,posts/**/index.md}", ""),
        ("about.md", ""),
    ],
)
def test_the_name_that_articles_with_a_folder_each_have_is_that_of_the_pattern(
    pattern: str, name: str
) -> None:
    assert inner_name(pattern) == name


@pytest.mark.parametrize(
    ("pattern", "tops"),
    [
        ("content/**/*.{md,mdx}", {"content"}),
        ("{content,notes}/**/*.md", {"content", "notes"}),
        ("{content/a,notes/b}/*.md", {"content", "notes"}),
        ("src/[lang]/**/*.md", {"src"}),
        ("**/*.md", {""}),
        ("c*/**/*.md", {""}),
        ("{content/*,about}.md", {""}),
        ("about.md", {""}),
    ],
)
def test_all_that_a_pattern_names_lies_in_its_top_folders(pattern: str, tops: set[str]) -> None:
    assert top_folders(pattern) == tops
