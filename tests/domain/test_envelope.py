"""Envelopes: one canonical spelling, each field bound, and differences that name what changed."""

import copy
import hashlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from publisher.domain.envelope import (
    binding_hash,
    build,
    canonical,
    differences,
    digest,
    without_credentials,
)
from publisher.domain.errors import InvalidInput

ARGUMENTS: dict[str, Any] = {
    "job_id": "0190-1",
    "action": "blog.publish/v1",
    "site": "docs",
    "remote": "https://example.invalid/docs.git",
    "branch": "main",
    "operation": "update",
    "paths": [
        {"path": "content/a.md", "base_sha256": "sha256:" + "1" * 64},
        {"path": "public/a.png", "base_sha256": None},
    ],
    "scope": "default",
    "requester": "ada",
    "input_hash": "sha256:" + "2" * 64,
    "payload_hash": "sha256:" + "3" * 64,
    "derived": [
        {"paths": ["f/a.woff2", "f/b.woff2"], "generator": "fonts", "config_hash": "c"},
        {"paths": ["i/x.json"], "generator": "index", "config_hash": "d"},
    ],
    "commit": {"subject": "Update A", "author": "I <i@localhost>"},
    "memory": {"scope": "default", "revision": 3, "expires_at": "2030-01-01T00:00:00+00:00"},
    "not_before": None,
}


def built(**changes: Any) -> dict[str, Any]:
    return build(**{**ARGUMENTS, **changes})


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"b": 1, "a": [True, None, "x"]}, '{"a":[true,null,"x"],"b":1}'),
        ({"\u20ac": 1, "\r": 2, "\ufb33": 3, "1": 4, "😀": 5, "\x80": 6, "ö": 7},
         '{"\\r":2,"1":4,"\x80":6,"ö":7,"€":1,"😀":5,"\ufb33":3}'),
        ([1e30, 4.5, 2e-3, 1e-27, 1.0, -0.0, 333333333.3333333], None),
        ('\u20ac$\x0f\nA\'B"\\\\"/', '"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"'),
    ],
    ids=["order", "UTF-16 order", "numbers", "escapes"],
)  # fmt: skip
def test_the_canonical_form_is_that_of_the_standard(value: Any, expected: str | None) -> None:
    numbers = "[1e+30,4.5,0.002,1e-27,1,0,333333333.3333333]"
    assert canonical(value).decode() == (numbers if expected is None else expected)


@pytest.mark.parametrize(
    "value",
    [float("nan"), float("inf"), 2**53, "\ud800", {"\ud800": 1}, {1: 2}, {"a": {1, 2}}, b"x"],
    ids=repr,
)
def test_what_has_no_canonical_form_is_refused(value: Any) -> None:
    with pytest.raises(InvalidInput):
        canonical(value)


def test_a_bottomless_value_is_refused() -> None:
    value: list[Any] = []
    for _ in range(100_000):
        value = [value]
    with pytest.raises(InvalidInput):
        canonical(value)


_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.floats(-(2**53) + 1, 2**53 - 1)  # beyond, a float reads back as a refused integer
    | st.text(st.characters(codec="utf-8"), max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(codec="utf-8"), max_size=4), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(value=_JSON)
def test_the_canonical_form_reads_back_and_is_stable(value: Any) -> None:
    text = canonical(value)
    assert json.loads(text) == value
    assert canonical(json.loads(text)) == text


@given(value=st.dictionaries(st.text(st.characters(codec="utf-8"), max_size=4), _JSON, max_size=5))
def test_the_order_of_keys_says_nothing(value: dict[str, Any]) -> None:
    assert canonical(dict(reversed(value.items()))) == canonical(value)


def test_a_digest_is_the_sha256_of_the_canonical_form() -> None:
    assert digest({"b": 1, "a": 2}) == "sha256:" + hashlib.sha256(b'{"a":2,"b":1}').hexdigest()


def test_the_envelope_has_these_fields() -> None:
    envelope = built()
    assert envelope["schema"] == "imprimatur.envelope/v1"
    assert envelope["target"] == {
        "site": "docs",
        "remote": "https://example.invalid/docs.git",
        "branch": "main",
        "operation": "update",
        "paths": ARGUMENTS["paths"],
    }
    top = set(ARGUMENTS) - {"site", "remote", "branch", "operation", "paths"}
    assert set(envelope) == top | {"schema", "target"}


def test_the_binding_hash_of_a_known_envelope_never_changes() -> None:
    assert binding_hash(built()) == KNOWN


def test_the_order_of_lists_is_not_bound() -> None:
    shuffled = built(
        paths=ARGUMENTS["paths"][::-1],
        derived=[{**one, "paths": one["paths"][::-1]} for one in ARGUMENTS["derived"][::-1]],
    )
    assert binding_hash(shuffled) == binding_hash(built())


def test_building_leaves_its_arguments_alone() -> None:
    before = copy.deepcopy(ARGUMENTS)
    built()["target"]["paths"][0]["path"] = "changed"
    assert before == ARGUMENTS


def leaves(value: Any, where: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The way to each scalar of a nested value."""
    if isinstance(value, dict):
        return [way for key in value for way in leaves(value[key], (*where, key))]
    if isinstance(value, list):
        return [way for index, one in enumerate(value) for way in leaves(one, (*where, index))]
    return [where]


def holder(envelope: Any, way: tuple[Any, ...]) -> Any:
    """What holds the last key of a way."""
    for key in way[:-1]:
        envelope = envelope[key]
    return envelope


@pytest.mark.parametrize("way", leaves(built()), ids=lambda way: ".".join(map(str, way)))
def test_each_flipped_field_voids_and_is_named(way: tuple[Any, ...]) -> None:
    old, new = built(), built()
    before = holder(new, way)[way[-1]]
    after = holder(new, way)[way[-1]] = "flipped"
    assert binding_hash(new) != binding_hash(old)
    named = differences(old, new)
    if way[-1] == "path":  # entries are told apart by it, so one went and one came
        assert len(named) == 2
    elif "paths" in way or "derived" in way:
        assert len(named) == 1
    else:
        assert named == [{"field": ".".join(way), "old": before, "new": after}]


@pytest.mark.parametrize("way", leaves(built()), ids=lambda way: ".".join(map(str, way)))
def test_each_removed_field_voids_and_is_named(way: tuple[Any, ...]) -> None:
    old, new = built(), built()
    del holder(new, way)[way[-1]]
    assert binding_hash(new) != binding_hash(old)
    assert differences(old, new)


@pytest.mark.parametrize("where", [(), ("target",), ("commit",), ("memory",)])
def test_an_unknown_field_binds_and_is_named(where: tuple[str, ...]) -> None:
    new = built()
    holder(new, (*where, "x"))["later"] = None
    assert binding_hash(new) != binding_hash(built())
    field = ".".join([*where, "later"])
    assert differences(built(), new) == [{"field": field, "old": None, "new": None}]


def test_an_unknown_key_of_a_path_binds() -> None:
    paths = [{**ARGUMENTS["paths"][0], "mode": "100755"}, ARGUMENTS["paths"][1]]
    assert binding_hash(built(paths=paths)) != binding_hash(built())


def test_a_changed_base_is_named_by_its_path() -> None:
    paths = [{**ARGUMENTS["paths"][0], "base_sha256": None}, ARGUMENTS["paths"][1]]
    assert differences(built(), built(paths=paths)) == [
        {
            "field": "target.paths[content/a.md].base_sha256",
            "old": "sha256:" + "1" * 64,
            "new": None,
        }
    ]


def test_an_added_path_is_one_difference() -> None:
    added = {"path": "content/0.md", "base_sha256": None}
    assert differences(built(), built(paths=[added, *ARGUMENTS["paths"]])) == [
        {"field": "target.paths[content/0.md]", "old": None, "new": added}
    ]


def test_memory_that_came_is_one_difference() -> None:
    assert differences(built(memory=None), built()) == [
        {"field": "memory", "old": None, "new": ARGUMENTS["memory"]}
    ]


def test_true_is_not_one() -> None:
    assert differences({"a": True}, {"a": 1}) == [{"field": "a", "old": True, "new": 1}]


_OBJECTS = st.dictionaries(st.sampled_from(["a", "path", "c"]), _JSON, max_size=3)
_LISTED = st.fixed_dictionaries({"list": st.lists(_OBJECTS, max_size=3)}) | _OBJECTS


@given(old=_LISTED, new=_LISTED)
def test_there_are_differences_exactly_when_the_hashes_differ(
    old: dict[str, Any], new: dict[str, Any]
) -> None:
    assert bool(differences(old, new)) == (binding_hash(old) != binding_hash(new))
    assert differences(old, old) == []


def test_paths_in_another_order_are_a_difference_when_they_come_unsorted() -> None:
    old = {"paths": [{"path": "a"}, {"path": "b"}]}
    new = {"paths": [{"path": "b"}, {"path": "a"}]}
    assert [one["field"] for one in differences(old, new)] == ["paths"]


@pytest.mark.parametrize(
    ("remote", "expected"),
    [
        ("https://host/x.git", "https://host/x.git"),
        ("https://user:token@host/x.git", "https://host/x.git"),
        ("https://token@host:8443/x.git", "https://host:8443/x.git"),
        ("https://u:p@ss@host/x", "https://host/x"),
        ("https://u:p/w@host/x", "https://host/x"),
        ("https://host/@scope/x", "https://host/@scope/x"),
        ("https://host:8443/@scope/x", "https://host:8443/@scope/x"),
        ("https://[::1]:80/@x", "https://[::1]:80/@x"),
        ("https://host/x?access_token=t#f", "https://host/x"),
        ("https://u:t?x@host/x", "https://host/x"),
        ("ssh://git@host:22/x", "ssh://host:22/x"),
        ("git@host:team/x.git", "host:team/x.git"),
        ("host:team/x.git", "host:team/x.git"),
        ("file:///srv/a@b.git", "file:///srv/a@b.git"),
        ("/srv/a@b:c.git", "/srv/a@b:c.git"),
    ],
)
def test_a_remote_is_bound_without_its_credentials(remote: str, expected: str) -> None:
    assert without_credentials(remote) == expected
    assert built(remote=remote)["target"]["remote"] == expected


@given(secret=st.text("abc:@", min_size=1, max_size=12).map(lambda text: f"q{text}9"))
def test_no_user_info_is_left_in_a_remote(secret: str) -> None:
    assert without_credentials(f"https://u:{secret}@host/x") == "https://host/x"


def test_a_subject_is_bound_as_the_one_line_that_is_committed() -> None:
    commit = {"subject": "Hello\n\nBlog-Job-Id: x", "author": "A\n<a@b>"}
    assert built(commit=commit)["commit"] == {
        "subject": "Hello Blog-Job-Id: x",
        "author": "A <a@b>",
    }


def test_what_cannot_be_bound_is_refused_when_it_is_built() -> None:
    with pytest.raises(InvalidInput):
        built(requester="\ud800")


KNOWN = "sha256:5e19e79cbba46238e2c2ccdd0e3a00c79f46dc74bbaf9fbb9774cf52a50315e9"
