"""The conflict page shows what differs, whatever the lines begin with and however long they are."""

import html
import re
from collections.abc import Callable
from unittest import mock

import pytest
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from publisher import artifacts, clock, selectors
from publisher.domain.errors import NotAllowed
from publisher.domain.states import State
from publisher.models import Conflict
from reviews.presenters import conflict, conflict_diff, marks, texts
from reviews.presenters.conflict import Version
from reviews.presenters.diff_rows import Raw
from reviews.services import work
from tests.support import jobs, page_rows, people
from tests.support.page_rows import Rows
from tests.support.planted import stored_file

Login = Callable[[str], Client]


def lines(found: conflict_diff.Difference, kind: str) -> list[str]:
    return [
        "".join(segment.text for segment in line.segments)
        for block in found.blocks
        for line in block.lines
        if line.kind == kind
    ]


def left_out(found: conflict_diff.Difference) -> int:
    return sum(block.gap for block in found.blocks if block.kind == "cut")


def clash(rows: Rows, base: str, theirs: str, ours: str) -> str:
    """The address of a conflict between these three."""
    now = clock.now()

    def put(text: str) -> str:
        return artifacts.store(text.encode(), kind="content", now=now)

    site = jobs.site("other")
    job = page_rows.clashing(at=site, now=now, base=put(base), theirs=put(theirs), ours=put(ours))
    return f"/conflicts/{job.conflicts.get().pk}/"


def changed(page: str) -> list[str]:
    found = re.findall(
        r'diff__row--(?:added|removed)".*?<td class="diff__text[^>]*>(.*?)</td>', page, re.DOTALL
    )
    return [html.unescape(re.sub(r"<[^>]+>", "", line)).strip() for line in found]


def test_lines_that_look_like_headers_are_shown() -> None:
    found = conflict_diff.of("a\n-- Seneca\nb\n", "a\n++ Cicero\nb\n")
    assert lines(found, "removed") == ["-- Seneca"]
    assert lines(found, "added") == ["++ Cicero"]
    assert lines(conflict_diff.of("-- x\n", ""), "removed") == ["-- x"]


def test_lines_have_their_numbers_and_a_gap_says_how_many_are_between() -> None:
    old = "".join(f"{n}\n" for n in range(1, 41))
    found = conflict_diff.of(old, old.replace("10\n", "ten\n").replace("30\n", "thirty\n"))
    assert [block.gap for block in found.blocks if block.kind == "gap"] == [6, 13]
    shown = [line for block in found.blocks for line in block.lines if line.kind != "same"]
    assert [(line.old, line.new) for line in shown] == [
        (10, None),
        (None, 10),
        (30, None),
        (None, 30),
    ]


def test_a_line_feed_at_the_end_alone_differs() -> None:
    assert lines(conflict_diff.of("a\nb\n", "a\nb"), "added") == ["b"]
    assert conflict_diff.of("a\n", "a\n").blocks == []


@given(st.lists(st.sampled_from("abc")), st.lists(st.sampled_from("abc")))
def test_no_change_is_lost(old: list[str], new: list[str]) -> None:
    found = conflict_diff.of("".join(f"{x}\n" for x in old), "".join(f"{x}\n" for x in new))
    assert left_out(found) == 0
    removed, added = lines(found, "removed"), lines(found, "added")
    assert len(old) - len(removed) == len(new) - len(added)
    assert sorted([*old, *added]) == sorted([*new, *removed])


def test_a_change_late_in_a_long_text_is_shown() -> None:
    long = "x" * 79 + "\n"
    found = conflict_diff.of(long * 60_000 + "end\n", long * 60_000 + "OURS\n")
    assert (lines(found, "removed"), lines(found, "added")) == (["end"], ["OURS"])
    assert not found.is_coarse


def test_changes_far_apart_are_shown_from_both_sides_and_say_what_is_left_out() -> None:
    old = "first\n" + "same\n" * 10_000 + "last\n"
    new = old.replace("first", "1st").replace("last", "2nd")
    found = conflict_diff.of(old, new)
    assert found.is_coarse
    removed, added = lines(found, "removed"), lines(found, "added")
    assert (removed[0], added[0]) == ("first", "1st")
    assert len(removed) + len(added) + left_out(found) == 20_004


def made(old: str, new: str) -> tuple[conflict_diff.Difference, int, int]:
    """The difference, and how many rows and comparisons it took."""
    with (
        mock.patch.object(conflict_diff, "Raw", wraps=Raw) as raws,
        mock.patch.object(conflict_diff, "_common", wraps=conflict_diff._common) as compared,
    ):
        found = conflict_diff.of(old, new)
    return found, raws.call_count, compared.call_count


def test_rows_that_are_not_shown_are_not_made() -> None:
    olds = "".join(f"old {n}\n" for n in range(20_000))
    found, rows, compared = made(olds, olds.replace("old", "new"))
    assert rows <= 2 * conflict_diff.SHOWN_LINES + 2
    assert compared <= conflict_diff.SHOWN_LINES + 2
    removed, added = lines(found, "removed"), lines(found, "added")
    assert len(removed) == len(added) == conflict_diff.SHOWN_LINES // 2
    assert [block.gap for block in found.blocks if block.kind == "cut"] == [19_500, 19_500]


def test_unchanged_lines_that_are_left_out_are_not_made() -> None:
    same = "same\n" * 10_000
    found, rows, _compared = made(f"{same}old\n{same}", f"{same}new\n{same}")
    assert rows <= 2 * conflict_diff.AROUND + 3
    assert [block.gap for block in found.blocks if block.kind == "gap"] == [9_997]


def test_a_change_deep_in_a_long_line_is_shown() -> None:
    found = conflict_diff.of("x" * 1_000_000 + "old\n", "x" * 1_000_000 + "new\n")
    assert lines(found, "removed")[0].endswith("xold")
    assert lines(found, "added")[0].endswith("xnew")


def test_the_page_shows_each_removed_line(rows: Rows, at: Login) -> None:
    address = clash(rows, "a\n-- Seneca\n", "a\n++ Cicero\n", "a\n")
    page = at("rui").get(address).content.decode()
    assert changed(page) == ["-- Seneca", "++ Cicero", "-- Seneca"]


def test_long_versions_are_cut_with_a_mark_and_a_way_to_the_whole(rows: Rows, at: Login) -> None:
    base = ("x" * 79 + "\n") * 60_000
    address = clash(rows, base + "end\n", base + "THEIRS\n", base + "OURS\n")
    page = at("rui").get(address).content.decode()
    assert len(page.encode()) < 400_000
    assert "in full" not in page
    assert changed(page) == ["end", "THEIRS", "end", "OURS"]
    assert page.count("more characters are in the whole text") == 3
    links = re.findall(r'<a href="(/jobs/[^"]+/files/[^"]+)">Download it whole', page)
    wholes = [at("rui").get(link).content.decode() for link in links]
    assert wholes == [base + "end\n", base + "THEIRS\n", base + "OURS\n"]


def test_a_text_too_large_for_a_form_is_settled_another_way(rows: Rows, at: Login) -> None:
    big = "x" * (texts.LARGEST_EDIT + 1)
    page = at("rui").get(clash(rows, "a\n", "b\n", big)).content.decode()
    assert "too large to be written anew" in page
    assert 'value="content"' not in page
    assert 'value="ours"' in page


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        pytest.param(Version(b"\x00b"), Version(b"\x00" * texts.LARGEST_EDIT * 2), id="an image"),
        pytest.param(Version(b"x" * texts.LARGEST_EDIT * 2), Version(), id="a deletion"),
    ],
)
def test_what_no_form_takes_at_any_size_is_not_called_too_large(
    theirs: Version, ours: Version
) -> None:
    entry = {"path": "a", "kind": "content"}
    found = conflict.clash(
        entry, 0, base=Version(b"a"), theirs=theirs, ours=ours, may_give_up=False
    )
    assert not found.is_too_large
    assert [choice.name for choice in found.choices if choice.name == "content"] == []


def test_a_text_that_was_typed_keeps_its_form_however_large_ours_is(rows: Rows, at: Login) -> None:
    with mock.patch.object(texts, "LARGEST_EDIT", 1):
        page = (
            at("rui")
            .post(
                f"/conflicts/{rows.conflict.conflicts.get().pk}/resolve/",
                {
                    "choice-0": "content",
                    "text-0": "Typed.",
                    "ours_sha256": "x",
                    "theirs_sha256": "x",
                },
            )
            .content.decode()
        )
    assert "\nTyped.</textarea>" in page


def test_a_damaged_version_is_told_and_another_one_is_chosen(rows: Rows, at: Login) -> None:
    waiting = rows.conflict.conflicts.get()
    stored_file(waiting.files[0]["ours"]).unlink()
    client = at("rui")
    page = client.get(f"/conflicts/{waiting.pk}/").content.decode()
    assert "missing or damaged" in page
    assert 'value="ours"' not in page
    hashes = {"ours_sha256": waiting.ours_sha256, "theirs_sha256": waiting.theirs_sha256}
    address = f"/conflicts/{waiting.pk}/resolve/"
    response = client.post(address, {"choice-0": "ours", **hashes})
    assert response.status_code == 422
    assert "is damaged. Choose another way" in html.unescape(response.content.decode())
    own = {"choice-0": "content", "text-0": page_rows.NEW, **hashes}
    assert client.post(address, own).status_code == 302
    rows.conflict.refresh_from_db()
    assert State(rows.conflict.state) is State.RECEIVED


@pytest.mark.parametrize("kind", ["twin", "in_the_way"])
def test_a_damaged_draft_that_has_no_place_is_left_to_an_operator(
    rows: Rows, at: Login, kind: str
) -> None:
    waiting = rows.conflict.conflicts.get()
    waiting.files[0] |= {"kind": kind, "moved_to": "content/posts/Library.md"}
    waiting.save()
    stored_file(waiting.files[0]["ours"]).unlink()
    page = at("rui").get(f"/conflicts/{waiting.pk}/").content.decode()
    assert 'type="radio"' not in page
    assert "Settle it this way" not in page
    assert "An operator gives the conflict up, or puts the file back" in page
    assert "write your own" not in page
    page = at("omar").get(f"/conflicts/{waiting.pk}/").content.decode()
    assert re.findall(r'name="choice-0" value="(\w+)"', page) == ["theirs"]
    assert "Settle it this way" in page


def test_a_damaged_version_is_not_kept_beside_another_file(rows: Rows, at: Login) -> None:
    waiting = rows.conflict.conflicts.get()
    address = f"/conflicts/{waiting.pk}/"
    lost = artifacts.store(b"Lost.\n", kind="theirs", now=clock.now())
    stored_file(lost).unlink()
    first = waiting.files[0] | {"theirs": lost}
    for others, ways in (([], {"theirs"}), ([first | {"path": "content/posts/b.md"}], set())):
        Conflict.objects.filter(pk=waiting.pk).update(files=[first, *others])
        page = at("omar").get(address).content.decode()
        found = set(re.findall(r'name="choice-0" value="(\w+)"', page))
        assert found == {"ours", "new_path", "content", *ways}


@pytest.mark.parametrize(
    ("instead", "words"),
    [
        ("link", "a symbolic link to /etc/passwd"),
        ("folder", "a folder"),
        ("submodule", "another repository (a submodule)"),
    ],
)
def test_what_is_no_file_is_told_and_only_left_as_it_is(
    rows: Rows, at: Login, instead: str, words: str
) -> None:
    waiting = rows.conflict.conflicts.get()
    link_to = "/etc/passwd" if instead == "link" else ""
    first = waiting.files[0] | {"theirs": None, "instead": instead, "link_to": link_to}
    for others, ways in (([], {"theirs"}), ([first | {"path": "content/posts/b.md"}], set())):
        Conflict.objects.filter(pk=waiting.pk).update(files=[first, *others])
        page = at("omar").get(f"/conflicts/{waiting.pk}/").content.decode()
        assert f"There is no file here in this version, but {words}." in page
        assert "Leave it removed" not in page
        found = set(re.findall(r'name="choice-0" value="(\w+)"', page))
        assert found == {"new_path", *ways}


@pytest.mark.parametrize(("name", "files"), [("rui", 1), ("rui", 2), ("omar", 2)])
def test_a_removal_where_no_file_stands_is_left_to_an_operator(
    rows: Rows, at: Login, name: str, files: int
) -> None:
    waiting = rows.conflict.conflicts.get()
    gone = {"theirs": None, "ours": None, "instead": "folder", "link_to": ""}
    one = waiting.files[0] | gone
    both = [one, one | {"path": "content/posts/b.md"}]
    Conflict.objects.filter(pk=waiting.pk).update(files=both[:files])
    page = at(name).get(f"/conflicts/{waiting.pk}/").content.decode()
    assert 'type="radio"' not in page
    assert "is no file, so nothing is written over it. An operator gives" in page
    assert "damaged" not in page


@pytest.mark.parametrize("roles", [("operator",), ("reviewer", "operator")], ids="-".join)
def test_what_is_published_is_kept_by_whom_that_is_offered_to(
    rows: Rows, at: Login, roles: tuple[str, ...]
) -> None:
    people.add("ines", *roles)
    client, waiting = at("ines"), rows.conflict.conflicts.get()
    page = client.get(f"/conflicts/{waiting.pk}/").content.decode()
    assert 'name="choice-0" value="theirs"' in page
    hashes = {"ours_sha256": waiting.ours_sha256, "theirs_sha256": waiting.theirs_sha256}
    answer = client.post(f"/conflicts/{waiting.pk}/resolve/", {"choice-0": "theirs", **hashes})
    assert answer.status_code == 302
    last = selectors.events(rows.conflict)[-1]
    assert (last.event, last.actor, last.target) == ("give_up", "operator", "SKIPPED")


def test_who_may_not_give_up_is_told_which_role_keeps_what_is_published(rows: Rows) -> None:
    waiting = rows.conflict.conflicts.get()
    keeping = [work.Choice(waiting.files[0]["path"], "keep")]
    hashes = {"ours_sha256": waiting.ours_sha256, "theirs_sha256": waiting.theirs_sha256}
    with pytest.raises(NotAllowed, match=r"another role for this \(admin, operator\)"):
        work.settle(waiting, files=keeping, caller=people.caller("rui"), now=clock.now(), **hashes)


def test_both_sides_share_what_the_page_may_compare(rows: Rows, at: Login) -> None:
    address = clash(rows, "for three days\n", "for five days\n", "for four days\n")
    assert at("rui").get(address).content.decode().count("<ins>") == 2
    with mock.patch("reviews.presenters.marks.Budget", return_value=marks.Budget(0)) as budget:
        assert "<ins>" not in at("rui").get(address).content.decode()
    assert budget.call_count == 1


def test_all_files_of_a_review_share_it_too(rows: Rows, at: Login) -> None:
    address = f"/approvals/{jobs.request_of(rows.update).pk}/?tab=diff"
    assert "<ins>" in at("rui").get(address).content.decode()
    with mock.patch("reviews.presenters.marks.Budget", return_value=marks.Budget(0)) as budget:
        assert "<ins>" not in at("rui").get(address).content.decode()
    assert budget.call_count == 1
