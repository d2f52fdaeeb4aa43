"""Since I looked: what a reader saw, or what was approved, beside this version."""

from collections.abc import Callable

import pytest
from django.test import Client

from publisher import artifacts, clock
from publisher.models import Job
from reviews.models import Approval, Shown
from reviews.presenters import diff_rows, line_diff, since
from reviews.presenters.content import FileView
from tests.support import jobs, page_rows
from tests.support.page_rows import Rows
from tests.support.reading_rows import FIRST, SECOND, article, look, revised, tabs, view

Login = Callable[[str], Client]


def texts(found: FileView) -> list[tuple[str, str]]:
    lines = [line for block in found.blocks or () for line in block.lines]
    return [
        (line.sign, "".join(segment.text for segment in line.segments))
        for line in lines
        if line.kind != "same"
    ]


def test_who_has_not_looked_yet_gets_the_text(rows: Rows, at: Login) -> None:
    request = article(rows.site)
    assert tabs(look(at("mei"), request)) == ["Rendered", "Diff", "Raw"]
    assert tabs(look(at("rui"), revised(request))) == ["Rendered", "Diff", "Raw"]


def test_who_looked_gets_what_changed_since_first(rows: Rows, at: Login) -> None:
    client, request = at("rui"), article(rows.site)
    look(client, request)
    second = revised(request)
    page = look(client, second)
    assert tabs(page) == ["Since I looked", "Rendered", "Diff", "Raw"]
    assert 'href="?tab=since" aria-current="page"' in page
    assert "What changed since you read version 1" in page
    changed = texts(view(client, second))
    assert ("−", "date: 2026-03-02") in changed
    assert ("+", "The lower floor is dry, and it is open to everyone.") in changed
    assert not [text for _sign, text in changed if text.startswith("Helpers")]


def test_each_text_is_compared_with_the_last_one_that_was_read(rows: Rows, at: Login) -> None:
    client, request = at("rui"), article(rows.site)
    look(client, request)
    second = revised(request)
    unread = revised(second, SECOND.replace("Eleven", "Twelve"))
    assert view(client, unread).base_sha256 == request.parts[0]["sha256"]
    look(client, second, "?tab=rendered")  # an older one, which no longer shows its text
    assert view(client, unread).base_sha256 == request.parts[0]["sha256"]
    look(client, unread, "?tab=raw")
    third = revised(unread, SECOND)
    assert view(client, third).base_sha256 == unread.parts[0]["sha256"]


def test_a_difference_is_no_reading_of_the_whole_text(rows: Rows, at: Login) -> None:
    client, request = at("rui"), article(rows.site)
    look(client, request)
    second = revised(request)
    page = look(client, second)
    assert "1 part is left to read." in page
    assert not second.shown.exists()
    assert "Shown in full to its end" not in page


def test_a_text_that_differs_in_every_line_is_read_there(rows: Rows, at: Login) -> None:
    client, request = at("rui"), article(rows.site, text="# One\n\nAlpha.\n")
    look(client, request)
    second = revised(request, "# Two\nBeta.\n")
    look(client, second)
    row = second.shown.get()
    assert (row.view, row.base_sha256) == ("since", request.parts[0]["sha256"])


def test_parts_beside_different_texts_never_add_up(rows: Rows, at: Login) -> None:
    long = "".join(f"Line {number}.\n" for number in range(2_000))
    client, request = at("rui"), article(rows.site, text=long)
    look(client, request)
    second = revised(request, long.replace("Line", "Row"))
    for part in (1, 2, 3):
        assert not view(client, second, f"?tab=since&part={part}").is_full
    assert not second.shown.exists()


def test_a_text_that_is_the_same_says_so_and_is_not_read_by_that(rows: Rows, at: Login) -> None:
    client, request = at("rui"), article(rows.site)
    look(client, request)
    second = revised(revised(request), FIRST)
    page = look(client, second, "?tab=since")
    assert "Nothing changed in this file since you read it." in page
    assert not second.shown.exists()


def test_who_is_asked_about_the_same_text_again_gets_it_in_full(rows: Rows, at: Login) -> None:
    client, request = at("rui"), article(rows.site)
    look(client, request)
    second = revised(revised(request), FIRST)
    assert 'href="?tab=rendered" aria-current="page"' in look(client, second)
    assert second.shown.exists()


def test_what_was_approved_is_compared_with_this(rows: Rows, at: Login) -> None:
    request = article(rows.site)
    job = page_rows.approved(request.job, clock.now())
    Job.objects.filter(pk=job.pk).update(state="REVIEW")
    second = revised(request)
    page = look(at("mei"), second)
    assert tabs(page)[0] == "Since the approval"
    assert 'href="?tab=rendered&amp;base=approved" aria-current="page"' in page
    page = look(at("mei"), second, "?tab=since")
    assert "What changed since version 1 was approved" in page


def test_a_file_that_is_no_longer_proposed_is_named(rows: Rows, at: Login) -> None:
    client, request = at("rui"), article(rows.site)
    look(client, request)
    second = revised(request)
    gone = {"id": "content/b.md", "path": "content/b.md", "sha256": "sha256:" + "1" * 64}
    Approval.objects.filter(pk=request.pk).update(parts=[*request.parts, gone])
    Shown.objects.create(
        approval=request,
        actor=Shown.objects.get().actor,
        binding_hash=request.binding_hash,
        part=gone["id"],
        at=clock.now(),
    )
    page = look(client, second)
    assert "You read this file, and it is no longer part of it." in page
    assert 'id="file-2"' in page


def test_a_text_from_then_that_is_lost_is_told(
    rows: Rows, at: Login, monkeypatch: pytest.MonkeyPatch
) -> None:
    client, request = at("rui"), article(rows.site)
    look(client, request)
    second = revised(request)
    lost = request.parts[0]["sha256"]
    whole = artifacts.load_whole
    monkeypatch.setattr(artifacts, "load_whole", lambda name: None if name == lost else whole(name))
    assert "The text from then is no longer stored." in look(client, second)


def test_nobody_sees_what_another_scope_read(rows: Rows, at: Login) -> None:
    client, request = at("rui"), article(jobs.site("attic", scope="other"))
    assert client.get(f"/approvals/{request.pk}/?tab=since").status_code == 404


def test_marks_and_white_space_are_chosen_in_the_address(rows: Rows, at: Login) -> None:
    client, request = at("rui"), article(rows.site, text="# T\n\nOne  two three.\n\nStay.\n")
    look(client, request)
    second = revised(request, "# T\n\nOne two three.\n\nStay here.\n")
    page = look(client, second, "?tab=since&words=0&space=0")
    assert "<ins>" not in page
    assert 'href="?tab=since&amp;space=0"' in page
    assert 'href="?tab=raw&amp;words=0&amp;space=0"' in page
    assert [text for _sign, text in texts(view(client, second, "?tab=since&space=0"))] == [
        "Stay.",
        "Stay here.",
    ]


def test_what_looks_away_from_white_space_is_never_read(rows: Rows, at: Login) -> None:
    client, request = at("rui"), article(rows.site)
    look(client, request, "?tab=diff&space=0")
    assert not request.shown.exists()
    look(client, request, "?tab=diff")
    assert request.shown.exists()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("", "a\n"),
        ("a\n", ""),
        ("a\nb\nc\n", "a\nx\nc\n"),
        ("a\n" * 9 + "b\n" + "a\n" * 9, "a\n" * 9 + "c\n" + "a\n" * 9),
        ("a\nb", "a\nb\n"),
        ("1\n2\n3\n4\n", "3\n4\n1\n2\n"),
    ],
)
def test_the_rows_of_a_difference_are_both_texts(old: str, new: str) -> None:
    found = list(since.rows(old, new))
    olds = [row.text for row in found if row.kind in ("removed", "same")]
    news = [row.text for row in found if row.kind in ("added", "same")]
    left_out = sum(int(row.text) for row in found if row.kind == "gap")
    assert len(olds) + left_out <= diff_rows.line_count(old)
    numbered = {row.new: row.text for row in found if row.new is not None}
    assert all(new.split("\n")[at - 1] == text for at, text in numbered.items())
    numbered = {row.old: row.text for row in found if row.old is not None}
    assert all(old.split("\n")[at - 1] == text for at, text in numbered.items())
    assert bool(news or olds) == (old != new)


def test_lines_that_stand_once_hold_a_long_change_in_place() -> None:
    old = "".join(f"line {number}\n" for number in range(3_000))
    new = "".join(
        f"line {number}{' more' if number % 100 == 0 else ''}\n" for number in range(3_000)
    )
    runs = line_diff.changes(old.splitlines(True), new.splitlines(True))
    assert len(runs) == 30
    assert all(b - a == d - c == 1 for a, b, c, d in runs)
