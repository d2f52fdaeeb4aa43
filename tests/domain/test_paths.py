"""Paths: what a job may name, what it may not and by which rule, and which names are twins."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from publisher.domain.errors import InvalidInput, UnsafePath
from publisher.domain.paths import check_path, check_side_by_side, check_spelling, folders, twins

ROOTS = ("content/**/*.{md,mdx}", "public/**")


def refusal(path: str, roots: tuple[str, ...] = ("**",)) -> UnsafePath:
    with pytest.raises(UnsafePath) as caught:
        check_path(path, field="target_path", roots=roots)
    return caught.value


@pytest.mark.parametrize(
    "path",
    [
        "content/a.md",
        "content/posts/第二篇 🙂.mdx",
        "content/posts/中文文章.mdx",
        "content/posts/café.mdx",
        "content/posts/b[1].mdx",
        "content/posts/:(exclude)x.mdx",
        "content/posts/*.mdx",
        "content/posts/-draft.mdx",
        "content/posts/...x.mdx",
        "content/posts/مقال.mdx",
        "content/posts/console.mdx",
        "content/posts/git.mdx",
        "content/posts/git~x.mdx",
        "public/.well-known/security.txt",
        "public/❤️.png",
        "public/" + "中" * 66 + ".x",
    ],
)
def test_an_honest_path_comes_back_unchanged(path: str) -> None:
    assert check_path(path, field="target_path", roots=ROOTS) == path


@pytest.mark.parametrize(
    ("path", "rule"),
    [
        ("", "empty"),
        ("/etc/passwd", "absolute"),
        ("C:/x.md", "absolute"),
        ("c:", "absolute"),
        ("content\\a.md", "backslash"),
        ("\\\\host\\share", "backslash"),
        ("../x.md", "traversal"),
        ("content/../../x.md", "traversal"),
        ("content/..", "traversal"),
        ("content/./a.md", "empty_part"),
        ("content//a.md", "empty_part"),
        ("content/a.md/", "empty_part"),
        (".", "empty_part"),
        (".git", "git_folder"),
        (".git/config", "git_folder"),
        ("content/.GIT/hooks/x", "git_folder"),
        ("content/.Git./x", "git_folder"),
        ("content/.git . ./x", "git_folder"),
        ("content/.g\u200cit/config", "git_folder"),
        ("content/\ufeff.git/config", "git_folder"),
        ("content/git~1/config", "git_folder"),
        ("content/GIT~12/config", "git_folder"),
        ("content/.git::$INDEX_ALLOCATION/config", "git_folder"),
        ("content/．ｇｉｔ/config", "git_folder"),
        ("content\\.git\\config", "git_folder"),
        ("content/.gitattributes", "git_file"),
        (".gitmodules", "git_file"),
        ("content/.GitIgnore", "git_file"),
        ("content/GITMOD~1", "git_file"),
        ("content/gi7eba~1", "git_file"),
        ("content/a\x00.md", "control"),
        ("content/a\n.md", "control"),
        ("content/a\x7f.md", "control"),
        ("content/a\x9b.md", "control"),
        ("content/a\u2028.md", "line_separator"),
        ("content/a\u2029.md", "line_separator"),
        ("content/a\u202edm.exe", "hidden"),
        ("content/a\u2066.md", "hidden"),
        ("content/a\u200b.md", "hidden"),
        ("content/a\u00ad.md", "hidden"),
        ("content/a\u3164.md", "hidden"),
        ("content/a\U000e0041.md", "hidden"),
        ("content/cafe\u0301.md", "not_nfc"),
        ("content/\u212b.md", "not_nfc"),
        ("content/con.md", "reserved"),
        ("content/NUL", "reserved"),
        ("content/Com1.tar.gz", "reserved"),
        ("content/lpt².md", "reserved"),
        ("content/aux .md", "reserved"),
        ("aux/a.md", "reserved"),
        ("content/a.md.", "trailing"),
        ("content/posts /a.md", "trailing"),
        ("-rf.md", "leading_dash"),
        ("content/" + "中" * 67, "part_too_long"),
        ("content/" + "x" * 201, "part_too_long"),
        ("/".join(["x" * 99] * 11), "too_long"),
        ("/".join(["a"] * 21), "too_deep"),
        ("content/\ud800.md", "invalid_unicode"),
    ],
)
def test_an_unsafe_path_is_refused_by_its_rule(path: str, rule: str) -> None:
    assert refusal(path).rule == rule


@pytest.mark.parametrize(
    "path", ["README.md", "content/a.txt", "Content/a.md", "public", "src/content/a.md"]
)
def test_a_path_outside_the_roots_is_refused(path: str) -> None:
    assert refusal(path, ROOTS).rule == "outside_roots"


def test_no_roots_allow_nothing() -> None:
    assert refusal("content/a.md", ()).rule == "outside_roots"


def test_the_limits_themselves_are_allowed() -> None:
    deepest = "/".join(["a"] * 20)
    longest = "/".join(["x" * 199] * 5)
    assert len(longest) == 999
    for path in (deepest, longest, longest + "x", "x" * 200):
        assert check_spelling(path, field="path") == path


def test_a_root_spelled_in_nfd_names_the_same_files() -> None:
    assert check_path("café/a.md", field="path", roots=["cafe\u0301/*.md"]) == "café/a.md"


def test_a_refusal_names_the_field_and_the_path() -> None:
    refused = refusal("content/../x.md")
    assert (refused.field, refused.path) == ("target_path", "content/../x.md")
    assert "content/../x.md" in str(refused)


def test_a_refusal_of_nfd_names_the_nfc_spelling() -> None:
    assert '"content/café.md"' in str(refusal("content/cafe\u0301.md"))


def test_a_refusal_shows_hidden_characters_as_code_points() -> None:
    message = str(refusal("content/a\u202egpj.md"))
    assert "<U+202E>" in message
    assert "\u202e" not in message


def test_a_refusal_of_a_huge_path_stays_short() -> None:
    assert len(str(refusal("a" * 1_000_000))) < 300


@given(path=st.text(st.characters(), max_size=60))
def test_whatever_passes_is_safe_and_whatever_fails_can_be_stored(path: str) -> None:
    try:
        checked = check_path(path, field="path", roots=["**"])
    except UnsafePath as refused:
        stored = f"{refused.path} {refused}"
        assert stored.encode()
        return
    assert checked == path == unicodedata.normalize("NFC", path)
    assert all(part not in ("", ".", "..") for part in path.split("/"))
    assert not any(unicodedata.category(char) == "Cc" for char in path)


_NOISE = st.text(st.sampled_from("\u200b\u200c\u200d\u200e\u202a\u2060\u206f\ufeff"), max_size=2)
_CASES = st.tuples(*[st.sampled_from(pair) for pair in ("..", "gG", "iI", "tT")])


@given(
    letters=_CASES,
    noise=st.tuples(_NOISE, _NOISE, _NOISE, _NOISE, _NOISE),
    ending=st.text(st.sampled_from(". "), max_size=3),
    before=st.sampled_from(["", "content/", "public/x/"]),
    after=st.sampled_from(["", "/", "/config", "/hooks/post-checkout"]),
)
def test_no_disguise_of_gits_folder_gets_through(
    letters: tuple[str, ...], noise: tuple[str, ...], ending: str, before: str, after: str
) -> None:
    disguised = "".join(a + b for a, b in zip(("", *letters), noise, strict=True))
    assert refusal(before + disguised + ending + after).rule == "git_folder"


@pytest.mark.parametrize(
    ("name", "existing"),
    [
        ("cafe\u0301.mdx", "café.mdx"),
        ("café.mdx", "cafe\u0301.mdx"),
        ("Readme.md", "README.md"),
        ("straße.md", "STRASSE.md"),
        ("ﬁle.md", "file.md"),
        ("ａ.md", "a.md"),
        ("a\u200b.md", "a.md"),
        ("❤️.md", "❤.md"),
        ("content/Posts/a.md", "content/posts/a.md"),
    ],
)
def test_names_that_pass_for_each_other_are_twins(name: str, existing: str) -> None:
    assert twins(name, [existing, "other.md"]) == [existing]
    assert twins(existing, [name, "other.md"]) == [name]


def test_a_name_is_no_twin_of_itself() -> None:
    assert twins("a.md", ["a.md", "b.md"]) == []


def test_twins_are_sorted_and_named_once() -> None:
    assert twins("a.md", ["a.MD", "A.md", "A.md", "a.md"]) == ["A.md", "a.MD"]


@given(name=st.text(max_size=20))
def test_other_case_and_other_composition_are_always_seen(name: str) -> None:
    for other in (name.upper(), unicodedata.normalize("NFD", name)):
        assert twins(name, [other]) == ([] if other == name else [other])


def test_folders_are_listed_from_the_top() -> None:
    assert folders("a/b/c.md") == ["a", "a/b"]
    assert folders("c.md") == []


@pytest.mark.parametrize(
    ("paths", "told"),
    [
        (["public/zz", "public/ZZ/a.png"], "public/zz"),
        (["public/Qq/a.png", "public/qQ/b.png"], "public/Qq of public/Qq/a.png"),
        (["public/Qq/deep/a.png", "public/qQ/b.png"], "public/Qq of public/Qq/deep/a.png"),
        (["public/a.png", "Public/b.png"], "Public of Public/b.png"),
        (["public/\u212a/a.png", "public/k/b.png"], "public/k of public/k/b.png"),
        (["public/a.png", "public/A.png"], "public/A.png and public/a.png are one file"),
        (["public/a", "public/a/b"], "public/a cannot be a file and the folder of public/a/b"),
    ],
    ids=" ".join,
)
def test_paths_that_share_a_name_on_some_systems_do_not_stand_side_by_side(
    paths: list[str], told: str
) -> None:
    for order in (paths, paths[::-1]):
        with pytest.raises(InvalidInput) as refused:
            check_side_by_side(order, field="assets")
        assert refused.value.field == "assets"
        assert told in refused.value.message


def test_paths_in_one_folder_stand_side_by_side() -> None:
    check_side_by_side(["public/a/a.png", "public/a/b.png", "public/b", "content/a"], field="x")
