"""Manifests: sorted, without doubles, read back exactly, and hashed for two purposes."""

import hashlib
import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from publisher.domain.errors import InvalidInput, UnsafePath
from publisher.domain.manifest import Entry, Manifest

ONE, TWO = "sha256:" + "1" * 64, "sha256:" + "2" * 64
ARTICLE = Entry("content/a.md", ONE, 10, "content")
IMAGE = Entry("public/a.png", TWO, 20, "content")
FONT = Entry("fonts/a.woff2", ONE, 30, "derived")
GONE = Entry("content/old.md", None, 0, "absent")

_HASHES = st.text("0123456789abcdef", min_size=64, max_size=64).map("sha256:{}".format)
_PATHS = st.text("abcdé中", min_size=1, max_size=8).map("x/{}".format)
_ENTRIES = st.one_of(
    st.builds(
        Entry, _PATHS, _HASHES, st.integers(0, 2**40), st.sampled_from(["content", "derived"])
    ),
    st.builds(Entry, _PATHS, st.none(), st.just(0), st.just("absent")),
)
_MANIFESTS = st.lists(_ENTRIES, max_size=6, unique_by=lambda entry: entry.path).map(
    lambda entries: Manifest(tuple(entries))
)


def test_entries_are_sorted_by_path() -> None:
    assert Manifest((IMAGE, FONT, ARTICLE)).paths == (
        "content/a.md",
        "fonts/a.woff2",
        "public/a.png",
    )


@given(manifest=_MANIFESTS)
def test_a_manifest_is_read_back_exactly(manifest: Manifest) -> None:
    assert Manifest.from_json(manifest.to_json()) == manifest
    assert Manifest.from_json(manifest.to_json()).manifest_hash == manifest.manifest_hash


@given(manifest=_MANIFESTS, data=st.data())
def test_the_order_of_entries_changes_no_hash(manifest: Manifest, data: st.DataObject) -> None:
    shuffled = Manifest(tuple(data.draw(st.permutations(manifest.entries))))
    assert shuffled.manifest_hash == manifest.manifest_hash
    assert shuffled.payload_hash == manifest.payload_hash


def test_the_manifest_hash_is_the_sha256_of_its_json() -> None:
    manifest = Manifest((ARTICLE, FONT))
    assert manifest.manifest_hash == "sha256:" + hashlib.sha256(manifest.to_json()).hexdigest()


@pytest.mark.parametrize(
    "other",
    [
        replace(ARTICLE, path="content/b.md"),
        replace(ARTICLE, sha256=TWO),
        replace(ARTICLE, size=11),
        Entry("content/a.md", None, 0, "absent"),
    ],
)
def test_any_change_of_content_changes_both_hashes(other: Entry) -> None:
    before, after = Manifest((ARTICLE, FONT)), Manifest((other, FONT))
    assert before.manifest_hash != after.manifest_hash
    assert before.payload_hash != after.payload_hash


def test_a_rebuilt_font_changes_the_manifest_hash_alone() -> None:
    before = Manifest((ARTICLE, FONT))
    after = Manifest((ARTICLE, replace(FONT, sha256=TWO, size=31)))
    assert before.manifest_hash != after.manifest_hash
    assert before.payload_hash == after.payload_hash


def test_a_removed_file_is_part_of_the_payload() -> None:
    assert Manifest((ARTICLE, GONE)).payload_hash != Manifest((ARTICLE,)).payload_hash


def test_content_that_is_called_derived_leaves_the_payload() -> None:
    derived = replace(ARTICLE, kind="derived")
    assert Manifest((derived,)).payload_hash == Manifest(()).payload_hash
    assert Manifest((derived,)).payload_hash != Manifest((ARTICLE,)).payload_hash


def test_the_two_hashes_are_never_taken_for_each_other() -> None:
    manifest = Manifest((ARTICLE, IMAGE))
    assert manifest.manifest_hash != manifest.payload_hash


def test_an_entry_is_found_by_its_path() -> None:
    assert Manifest((ARTICLE, IMAGE)).get("public/a.png") == IMAGE
    assert Manifest((ARTICLE,)).get("public/a.png") is None


@pytest.mark.parametrize(
    "others",
    [
        [replace(ARTICLE, sha256=TWO)],
        [Entry("content/a.md", None, 0, "absent")],
        [replace(ARTICLE, path="content/A.md")],
        [replace(ARTICLE, path="content/A.md/b.md")],
        [replace(ARTICLE, path="Content/b.md")],
        [replace(ARTICLE, path="content/a.md/b.md")],
        [replace(ARTICLE, path="content")],
    ],
    ids=[
        "twice",
        "there and absent",
        "by case",
        "as a folder by case",
        "folder by case",
        "as a folder",
        "as a file",
    ],
)
def test_entries_that_cannot_stand_side_by_side_are_refused(others: list[Entry]) -> None:
    with pytest.raises(InvalidInput):
        Manifest((ARTICLE, *others))


def test_a_rename_by_case_is_allowed() -> None:
    gone = Entry("content/A.md", None, 0, "absent")
    assert Manifest((ARTICLE, gone)).paths == ("content/A.md", "content/a.md")


def test_a_file_that_makes_room_for_a_folder_is_allowed() -> None:
    gone = Entry("content", None, 0, "absent")
    assert Manifest((ARTICLE, gone)).paths == ("content", "content/a.md")


@pytest.mark.parametrize("path", ["../x", "/x", ".git/config", "a\u0301"])
def test_an_entry_of_an_unsafe_path_is_refused(path: str) -> None:
    with pytest.raises(UnsafePath):
        Entry(path, ONE, 1, "content")


@pytest.mark.parametrize(
    ("sha256", "size", "kind"),
    [
        (None, 0, "content"),
        ("1" * 64, 1, "content"),
        ("sha256:" + "A" * 64, 1, "content"),
        (ONE + "\n", 1, "content"),
        (ONE, -1, "content"),
        (ONE, True, "content"),
        (ONE, 1.0, "content"),
        (ONE, 1, "other"),
        (ONE, 0, "absent"),
        (None, 1, "absent"),
    ],
)
def test_an_entry_of_the_wrong_shape_is_refused(sha256: Any, size: Any, kind: Any) -> None:
    with pytest.raises(InvalidInput):
        Entry("content/a.md", sha256, size, kind)


def document(**changes: Any) -> dict[str, Any]:
    good: dict[str, Any] = json.loads(Manifest((ARTICLE,)).to_json())
    return {**good, **changes}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        "[" * 100_000,
        b"\xff",
        json.dumps(document(schema="imprimatur.manifest/v2")),
        json.dumps(document(later=1)),
        json.dumps(document(entries={})),
        json.dumps(document(entries=[1])),
        json.dumps(document(entries=[{"path": "a"}])),
        json.dumps(document(entries=[{**document()["entries"][0], "mode": "100755"}])),
        json.dumps(document(entries=[{**document()["entries"][0], "path": 1}])),
        json.dumps(document(entries=[{**document()["entries"][0], "sha256": 1}])),
    ],
    ids=range(13),
)
def test_what_is_no_manifest_is_refused(text: bytes | str) -> None:
    with pytest.raises(InvalidInput):
        Manifest.from_json(text)
