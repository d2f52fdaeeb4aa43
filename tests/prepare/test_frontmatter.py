"""Front matter: read strictly, and changed by the line."""

import tomllib
from collections.abc import Callable
from typing import Any, TypeVar

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from publisher.domain.findings import Severity
from publisher.domain.front_matter import Value
from publisher.domain.trailers import one_line
from publisher.prepare.frontmatter import (
    FrontMatterError,
    check,
    is_bare,
    parse,
    quote_yaml,
    set_keys,
    split,
)
from publisher.prepare.index import title_of
from publisher.prepare.values import quote, render
from reviews.presenters import content, fields
from tests.support.growth import no_explosion

T = TypeVar("T")

DATES = (
    b"---\n# kept comment\ndate: 2015-07-03T22:05:10-03:00\nday: 2026-03-29\nnap: 11:30\n"
    b"start: 07:05\nquoted: '2019-09-09T09:09:09+00:00'\ntitle: \"Old\"   # trailing comment\n"
    b"zeta: 1\nalpha: [b,   a]\n---\n\nBody.\n"
)
TOML = (
    b'+++\npath = "2018/06/21"\ntitle = "Old" # note\naliases = [\n    "a", # ]\n    "b",\n]\n'
    b'date = 2026-01-02\n\n[extra]\nrelease = true\ntitle = "other"\n+++\nBody.\n'
)


def answered(read: Callable[[], T]) -> T | str:
    """The answer, or the rule that refused."""
    try:
        return read()
    except FrontMatterError as error:
        return error.rule


def bomb() -> bytes:
    lines = ["a0: &a0 [x,x,x,x,x,x,x,x,x]"]
    lines += [f"a{i}: &a{i} [" + ",".join([f"*a{i - 1}"] * 9) + "]" for i in range(1, 9)]
    return ("---\ntitle: bomb\n" + "\n".join(lines) + "\n---\n\nBody.\n").encode()


# --- split -----------------------------------------------------------------------------------------

_lines = st.sampled_from(
    [b"---", b"+++", b"--- ", b"title: x", b"\xef\xbb\xbf", b"\xff", "标题".encode(), b"", b"----"]
)
_ends = st.sampled_from([b"\n", b"\r\n", b"\r", b""])


@given(st.lists(st.tuples(_lines, _ends), max_size=9))
def test_the_parts_of_a_document_are_its_bytes(lines: list[tuple[bytes, bytes]]) -> None:
    data = b"".join(line + end for line, end in lines)
    assert split(data).data == data


@given(st.binary(max_size=60))
def test_the_parts_of_any_bytes_are_those_bytes(data: bytes) -> None:
    assert split(data).data == data


def test_it_sees_yaml_toml_and_neither() -> None:
    assert split(b"---\na: 1\n---\nx").style == "yaml"
    assert split(b"+++\na = 1\n+++\nx").style == "toml"
    assert split(b"# Title\n---\n").style == "none"
    assert split(b"---\nnever closed\n").style == "none"


def test_it_looks_behind_a_byte_order_mark_and_keeps_crlf() -> None:
    document = split(b"\xef\xbb\xbf---\r\ntitle: a\r\n---\r\n\r\nBody\r\n")
    assert (document.bom, document.style, document.newline) == (b"\xef\xbb\xbf", "yaml", "\r\n")
    assert (document.raw, document.body, document.body_line) == (
        b"title: a\r\n",
        b"\r\nBody\r\n",
        4,
    )


# --- parse -----------------------------------------------------------------------------------------


def test_yaml_is_read_as_version_1_2() -> None:
    values = parse(split(b"---\non: yes\nnap: 11:30\nv: 1.10\n---\n"))
    assert values["on"] == "yes"
    assert values["nap"] == "11:30"


@pytest.mark.parametrize(
    ("raw", "rule", "line"),
    [
        ("title: Tea or coffee: both", "front_matter_yaml", 2),
        ("a: 1\nb: 2\na: 3", "front_matter_duplicate", 4),
        ("a: &x 1\nb: *x", "front_matter_alias", 3),
        ("a: !!python/object:os.system x", "front_matter_tag", 2),
        ("a: [[[[[[[[1]]]]]]]]", "front_matter_depth", 2),
        ("a: [" + "1," * 600 + "]", "front_matter_nodes", 2),
        ("- a\n- b", "front_matter_yaml", 2),
        ("a: " + "x" * 40_000, "front_matter_too_large", 1),
        ("d: 2026-99-99", "front_matter_yaml", 1),
        ("\ta: 1", "front_matter_yaml", 2),
        ("a: 1\nb: " + "1" * 301, "front_matter_number", 3),
        ("a: 1\nb: " + "1" * 5000, "front_matter_number", 3),
        ("a: 0x" + "f" * 6000, "front_matter_number", 2),
        ("a: 1\n? 0x" + "f" * 6000 + "\n: 1", "front_matter_number", 3),
        (r'a: ["x", "\ud83c"]', "front_matter_character", 2),
        (r'"\udf89\ud83c": 1', "front_matter_character", 2),
        ('"\\0": 1\n"\\0": 2', "front_matter_duplicate", 3),
        ("1: a\n'1': b", "front_matter_duplicate", 1),
        ("true: a\n'True': b", "front_matter_duplicate", 1),
    ],
)
def test_it_refuses_what_is_not_plain_yaml(raw: str, rule: str, line: int) -> None:
    with pytest.raises(FrontMatterError) as caught:
        parse(split(f"---\n{raw}\n---\n".encode()))
    assert (caught.value.rule, caught.value.line) == (rule, line)


def test_an_alias_bomb_is_refused_at_once() -> None:
    with no_explosion():
        (finding,) = check("content/bomb.mdx", bomb(), required=())
    assert (finding.severity, finding.rule) == (Severity.BLOCK, "front_matter_alias")


@pytest.mark.parametrize("piece", ["[", "{", "- ", "a:\n ", "? ", "'", "a: |\n", "#\n", "!", "&a "])
def test_hostile_front_matter_is_answered(piece: str) -> None:
    raw = (piece * 32768)[:32000]
    with no_explosion():
        findings = check("content/a.md", f"---\n{raw}\n---\n".encode(), required=())
    assert all(finding.rule.startswith("front_matter") for finding in findings)


def test_toml_errors_name_their_line_in_the_file() -> None:
    (finding,) = check("content/a.md", b"+++\na = 1\nb = nope\n+++\n", required=())
    assert (finding.rule, finding.line) == ("front_matter_toml", 3)


@pytest.mark.parametrize("number", ["1" * 301, "1" * 5000, "0x" + "f" * 6000, "[[1], [0b%s]]"])
def test_a_number_that_no_program_prints_is_refused_in_toml(number: str) -> None:
    data = f"+++\ntitle = 'a'\nid = {number.replace('%s', '1' * 9999)}\n+++\n\n# Head\n".encode()
    (finding,) = check("content/a.md", data, required=())
    assert (finding.rule, finding.advice[:16]) == ("front_matter_number", "Put it in quotes")
    assert finding.message == "A number has more than 300 digits."
    assert title_of(data) == "Head"


def test_a_number_of_three_hundred_digits_is_read() -> None:
    number = "9" * 300
    assert parse(split(f"---\na: {number}\n---\n".encode())) == {"a": int(number)}
    assert parse(split(f"+++\na = {number}\n+++\n".encode())) == {"a": int(number)}


def test_a_character_in_two_escapes_is_that_character() -> None:
    data = rb"""---
title: "Party \ud83c\udf89"
"\uD83C\uDF89": ["\ud83d\ude00", {a: "\U0001f600"}]
---
"""
    assert parse(split(data)) == {"title": "Party 🎉", "🎉": ["😀", {"a": "😀"}]}
    assert title_of(data) == "Party 🎉"
    assert content.rendered(data, 1)["front_matter"][0] == ("title", "Party 🎉")


def test_one_key_in_two_spellings_is_a_duplicate() -> None:
    (finding,) = check("a.md", '---\n"\\ud83c\\udf89": 1\n🎉: 2\n---\n'.encode(), required=())
    assert (finding.rule, finding.line) == ("front_matter_duplicate", 3)


def test_what_is_told_of_a_key_is_one_line_without_secrets() -> None:
    data = b'---\n"a\\0\\nb": "password: \\x68unter2X9kZZ"\n"a\\0\\nb": 2\n---\n'
    (finding,) = check("a.md", data, required=())
    assert finding.rule == "front_matter_duplicate"
    assert "hunter2X9kZZ" not in finding.message
    assert one_line(finding.message) == finding.message


@settings(max_examples=200)
@given(st.text(alphabet="ab:-[]{}'\"#&*!|>%@`,?\n \t0é中\x00\x85", max_size=60))
def test_any_text_as_front_matter_is_read_or_refused_by_name(raw: str) -> None:
    document = split(f"---\n{raw}\n---\n".encode())
    assert isinstance(answered(lambda: parse(document)), dict | str)


# --- quote -----------------------------------------------------------------------------------------


@given(st.text())
def test_a_quoted_string_reads_back_as_itself_in_yaml(value: str) -> None:
    assert YAML(typ="safe", pure=True).load(f"title: {quote_yaml(value)}\n")["title"] == value


@given(st.text())
def test_a_quoted_string_reads_back_as_itself_in_toml(value: str) -> None:
    assert tomllib.loads(f"title = {quote(value)}\n")["title"] == value


# --- set_keys --------------------------------------------------------------------------------------


def test_only_the_line_of_the_key_changes() -> None:
    assert set_keys(DATES, {"title": "New"}) == DATES.replace(b'"Old"', b'"New"')


def test_a_date_stays_a_date() -> None:
    assert set_keys(DATES, {"day": "2026-04-01"}) == DATES.replace(b"2026-03-29", b"2026-04-01")


def test_a_title_full_of_signs_is_read_back_exactly() -> None:
    title = "Tea or coffee: a \"test\" for 'guests' # not a comment \\ end -- {x}"
    made = set_keys(b"Body only.\n", {"title": title})
    assert parse(split(made)) == {"title": title}
    assert split(made).body == b"\nBody only.\n"


def test_crlf_and_byte_order_mark_stay() -> None:
    data = b"\xef\xbb\xbf---\r\ntitle: a # c\r\nx: 1\r\n---\r\nBody\r\n"
    expected = b'\xef\xbb\xbf---\r\ntitle: "b" # c\r\nx: 1\r\nnew: true\r\n---\r\nBody\r\n'
    assert set_keys(data, {"title": "b", "new": True}) == expected


def test_a_value_on_lines_of_its_own_is_replaced_as_a_whole() -> None:
    data = (
        b"---\ntags: # which\n  - a\n  - b # last\n# between\nsum: |\n  one\n  two\n\nz: 1\n---\n"
    )
    made = set_keys(data, {"tags": ["c"], "sum": "three"})
    assert made == b'---\ntags: ["c"] # which\n# between\nsum: "three"\n\nz: 1\n---\n'


def test_an_empty_value_gets_one() -> None:
    assert set_keys(b"---\ntitle:\nx: 1\n---\n", {"title": "a"}) == b'---\ntitle: "a"\nx: 1\n---\n'


def test_a_list_without_indentation_is_replaced_as_a_whole() -> None:
    assert set_keys(b"---\nt:\n- a\n- b\nx: 1\n---\n", {"t": 5}) == b"---\nt: 5\nx: 1\n---\n"


def test_toml_keys_change_in_place_and_new_ones_stay_out_of_tables() -> None:
    made = set_keys(TOML, {"title": "New", "aliases": ["c"], "draft": False, "date": "2026-02-03"})
    assert made == (
        b'+++\npath = "2018/06/21"\ntitle = "New" # note\naliases = ["c"]\n'
        b'date = 2026-02-03\ndraft = false\n\n[extra]\nrelease = true\ntitle = "other"\n+++\nBody.\n'
    )


def test_front_matter_that_does_not_parse_is_not_changed() -> None:
    with pytest.raises(FrontMatterError):
        set_keys(b"---\ntitle: a: b\n---\n", {"title": "x"})


@pytest.mark.parametrize("number", [1.5, 1e16, 1e-7, -2.5e300, 0.0])
def test_a_number_is_one_in_both_languages_and_for_old_readers_of_yaml(number: float) -> None:
    text = render(number)
    assert "." in text
    assert tomllib.loads(f"n = {text}") == YAML(typ="safe", pure=True).load(f"n: {text}")
    assert tomllib.loads(f"n = {text}") == {"n": number}


@pytest.mark.parametrize("value", [None, {"a": 1}, [None], [["a"]], float("inf")], ids=str)
@pytest.mark.parametrize("data", [DATES, TOML, b"no front matter\n"], ids=["yaml", "toml", "none"])
def test_a_value_of_another_kind_is_refused_by_its_key(data: bytes, value: Any) -> None:
    with pytest.raises(FrontMatterError, match="“title”") as refused:
        set_keys(data, {"title": value})
    assert refused.value.rule == "front_matter_value"


UNREAD = {
    "dots": b"---\ntitle: Old\n...\n\nBody.\n",
    "dots behind a comment": b'---\n# kept\n"title": Old\n...\n\nBody.\n',
    "dots behind chinese": "---\n标题: 旧\n...\n\nBody.\n".encode(),
    "never closed chinese": "---\n标题: 旧\n\nBody.\n".encode(),
    "never closed": b"---\ntitle: Old\n\nBody.\n",
    "carriage returns": b"---\rtitle: Old\r---\r\rBody.\r",
    "carriage returns in toml": b"+++\rtitle = 'Old'\r+++\r\rBody.\r",
    "json": b'{\n  "title": "Old"\n}\n\nBody.\n',
    "json in fences": b'---json\n{"title": "Old"}\n---\n\nBody.\n',
    "below an empty line": b"\n---\ntitle: Old\n---\n\nBody.\n",
    "behind a mark": b"\xef\xbb\xbf---\ntitle: Old\n...\n\nBody.\n",
}
BARE = {
    "a rule": b"---\n\nBody after a rule.\n",
    "two rules": b"---\n\n# Head\n\nBody: a text.\n",
    "braces": b"{/* a comment of MDX */}\n\nBody.\n",
    "text": b"title: no front matter\n",
    "nothing": b"",
}


@pytest.mark.parametrize("data", UNREAD.values(), ids=UNREAD)
def test_a_second_front_matter_is_put_on_no_other(data: bytes) -> None:
    with pytest.raises(FrontMatterError) as refused:
        set_keys(data, {"title": "New"})
    assert refused.value.rule == "front_matter_unread"
    assert not is_bare(data)


@pytest.mark.parametrize("data", BARE.values(), ids=BARE)
def test_a_text_without_any_gets_its_first(data: bytes) -> None:
    assert is_bare(data)
    assert parse(split(set_keys(data, {"title": "New"}))) == {"title": "New"}


@pytest.mark.parametrize(
    "piece",
    ["{", '{"a":', "[", "---\n", "...\n", "a:\n", "\r", "---\n...", "#\n", " \n", "'", "a",
     "#\r\n", "# a\r\n", "\r\n", " \r\n# a\r\n", "# ", " "],
)  # fmt: skip
@pytest.mark.parametrize("before", ["", "---\n", "---\r\n", "---\nx\n"])
def test_a_hostile_start_is_answered(before: str, piece: str) -> None:
    data = (before + piece * 50_000 + "Prose.\r\n").encode()
    with no_explosion():
        is_bare(data)
        check("a.md", data, required=())


_keys = st.sampled_from(["title", "date", "tags", "note", "list", "flow"])
_values = st.one_of(
    st.text(max_size=20),
    st.integers(-9, 9),
    st.booleans(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.lists(
        st.text(max_size=5) | st.integers(-9, 9) | st.booleans() | st.floats(0, 9), max_size=3
    ),
)
_YAML = b"""---
title: Old # c
date: 2026-01-01
tags:
  - a
  # in
  - b
note: >-
  x

  y

# c
list:
- {a: 1}
- [2]
flow: {a: [1, 'x']} # f
---
Body
"""
_TOML = b"""+++
title = '''a
"]"'''
"date" = 2026-01-01
tags = [ # [
 "]" ]
flow = {a = 1}
[note]
x = 1
+++
"""
_DOCUMENTS = [
    _YAML,
    _TOML,
    b"---\n---\nBody\n",
    b"---\n# only a comment\n---\n",
    b"---\n\"title\" : 'it''s'\n'date':   \nflow: [\n  a, # one\n  b ]\n---\n",
    b"+++\n# c\n[x]\na = 1\n+++\n",
    b"no front matter\n",
]


@settings(max_examples=300)
@given(st.sampled_from(_DOCUMENTS), st.booleans(), st.dictionaries(_keys, _values, max_size=4))
def test_set_keys_sets_those_and_changes_no_other_value(
    data: bytes, is_crlf: bool, values: dict[str, Value]
) -> None:
    if is_crlf:
        data = data.replace(b"\n", b"\r\n")
    made = answered(lambda: set_keys(data, values))
    if isinstance(made, str):
        # Only the TOML table that would become a value is refused, by its name.
        assert (made, "note" in values, data[:3]) == ("front_matter_edit", True, b"+++")
        return
    assert split(made).body.endswith(split(data).body)
    before, after = parse(split(data)), parse(split(made))
    assert {k: v for k, v in after.items() if k not in values} == {
        k: v for k, v in before.items() if k not in values
    }
    assert all(after[key] == value for key, value in values.items())


@pytest.mark.parametrize(
    ("old", "new", "written"),
    [
        ("2026-01-01", "2026-02-03", "2026-02-03"),
        ("2026-01-01", "2026-02-31", '"2026-02-31"'),
        ("2026-01-01", "2026-02-03 # late", '"2026-02-03 # late"'),
        ("2026-01-01", "1" * 5000, f'"{"1" * 5000}"'),
        ("2026-01-01", "[" * 5000, f'"{"[" * 5000}"'),
    ],
)
def test_only_a_day_takes_the_place_of_a_day_without_quotes(
    old: str, new: str, written: str
) -> None:
    for data in (f"---\ndate: {old}\n---\n", f"+++\ndate = {old}\n+++\n"):
        assert set_keys(data.encode(), {"date": new}) == data.replace(old, written).encode()


@pytest.mark.parametrize(
    ("data", "key"),
    [
        ("---\n? \n---\n", "a"),
        ("---\n0x10: a\n---\n", "0x10"),
        ("---\ntrue: a\n---\n", "true"),
        ('+++\na = ["""x"""", """]\n"\\u0022" = 1\n"""]\n+++\n', "b"),
        ('+++\na = ["""x"""", """]\n"\\\\q" = 1\n"""]\n+++\n', "b"),
    ],
)
def test_where_the_place_of_a_key_cannot_be_told_nothing_is_changed(data: str, key: str) -> None:
    with pytest.raises(FrontMatterError, match="cannot be changed safely"):
        set_keys(data.encode(), {key: "x"})


_pieces = st.sampled_from([
    *"ab:-[]{}'\"#&*!|>%@`,?=.\\ \n\t\r0é~", "\na: ", "\nb = ", "\n? ", "\n[a]", "\n<<: {a: 1}",
    "\\ud83c", "\\udf89", "\\0", "0x", "1e9", "2026-01-01", "12:30", "true", "'" * 3, '"' * 3, "f" * 400,
])  # fmt: skip


def with_words(read: Callable[[], T]) -> tuple[T | None, str]:
    """The answer, or none and the words of the refusal."""
    try:
        return read(), ""
    except FrontMatterError as error:
        return None, error.message


@settings(max_examples=400)
@given(
    st.sampled_from(["---", "+++"]),
    st.lists(_pieces, max_size=20).map("".join),
    st.dictionaries(
        st.sampled_from(["a", "b", "0x10", "true", "~", ""]), _values, min_size=1, max_size=2
    ),
)
@example("---", r'title: "Party \ud83c\udf89"', {"title": "x"})
@example("---", r'title: "Half \ud83c"', {"title": "x"})
@example("---", '"\\ud83c": 1\n"\\ud83c": 2', {"x": 1})
@example("---", '"\\0": 1\n"\\0": 2', {"x": 1})
@example("---", "id: 0x" + "f" * 6000, {"id": 1})
@example("---", "? 0x" + "f" * 6000 + "\n: 1", {"id": 1})
@example("---", "id: " + "1" * 5000, {"id": 1})
@example("+++", "id = 0x" + "f" * 6000, {"id": 1})
@example("+++", "id = " + "1" * 5000, {"id": 1})
@example("---", "date: 2026-01-01", {"date": "1" * 5000})
@example("---", "date: 2026-01-01", {"date": "[" * 5000})
@example("---", "? ", {"": 1})
@example("---", "0x10: a", {"0x10": 1})
@example("---", "a: 1", {"a": "\ud83c"})
def test_reading_and_editing_end_well_or_in_words(
    fence: str, raw: str, values: dict[str, Value]
) -> None:
    data = f"{fence}\n{raw}\n{fence}\nBody\n".encode()
    found, refusal = with_words(lambda: parse(split(data)))
    made, other = with_words(lambda: set_keys(data, values))
    for text in (refusal, other):
        assert one_line(text) == text
    for name, value in fields.table(found or {}):
        assert (name + value).encode()
    assert made is None or parse(split(made))
