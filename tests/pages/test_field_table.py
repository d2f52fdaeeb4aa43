"""Front matter that changes: a table of fields, as they were and as they will be."""

from collections.abc import Callable

import pytest
from django.test import Client

from publisher import clock
from reviews.presenters import fields, marks
from reviews.presenters.hidden import Segment
from tests.support import jobs, page_rows
from tests.support.page_rows import Rows
from tests.support.reading_rows import look, view

Login = Callable[[str], Client]


def said(found: list[Segment] | None) -> str:
    return "absent" if found is None else "".join(one.text or one.codepoint for one in found)


def table(old: str, new: str) -> list[tuple[str, str, str]]:
    found = fields.changed(old.encode(), new.encode(), marks.Budget())
    return [(one.name, said(one.was), said(one.will_be)) for one in found]


def test_only_fields_that_differ_are_listed() -> None:
    old = "---\ntitle: A b c\ndate: 2026-01-01\ntags: [x, y]\nold: 1\n---\nBody.\n"
    new = "---\ntitle: A b d\ndate: 2026-01-01\ntags: [y, x]\nnew: 2\n---\nOther.\n"
    assert table(old, new) == [
        ("title", "A b c", "A b d"),
        ("tags", "x, y", "y, x"),
        ("new", "absent", "2"),
        ("old", "1", "absent"),
    ]


def test_words_are_marked_within_a_field() -> None:
    old, new = "---\ntitle: One long title\n---\n", "---\ntitle: One short title\n---\n"
    (field,) = fields.changed(old.encode(), new.encode(), marks.Budget())
    assert [one.text for one in field.was or [] if one.mark] == ["long"]
    assert [one.text for one in field.will_be or [] if one.mark] == ["short"]


def test_values_that_read_alike_and_are_not_name_their_kind() -> None:
    found = table('---\ndraft: "true"\nn: 1\n---\n', "---\ndraft: true\nn: 1\n---\n")
    assert found[0][0] == "draft"
    assert len(found) == 1
    assert found[0][1] != found[0][2]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("---\na: 1\n---\nx\n", "---\na: 1\n---\ny\n"),
        ("no front matter\n", "none either\n"),
        ("---\na: [1\n---\n", "---\na: 1\n---\n"),
    ],
)
def test_where_no_field_differs_or_one_cannot_be_read_there_is_no_table(old: str, new: str) -> None:
    assert table(old, new) == []


@pytest.mark.parametrize("tab", ["diff", "rendered"])
def test_the_table_stands_above_the_text(tab: str, rows: Rows, at: Login) -> None:
    new = page_rows.NEW.replace("date: 2026-03-02", "date: 2026-03-09\ndraft: false")
    job = page_rows.update(at=rows.site, now=clock.now(), new=new, path="content/b.md")
    client, request = at("rui"), jobs.request_of(job)
    page = look(client, request, f"?tab={tab}")
    found = [one.name for one in view(client, request, f"?tab={tab}").fields]
    assert found == ["date", "draft"]
    assert page.index('data-field="date"') < page.index("lent books for ninety years")
    assert "not there" in page


def test_a_later_part_does_not_repeat_it(rows: Rows, at: Login) -> None:
    old = "---\ntitle: a\n---\n" + "".join(f"line {number}\n" for number in range(2_000))
    new = old.replace("title: a", "title: b").replace("line", "LINE")
    job = page_rows.update(at=rows.site, now=clock.now(), old=old, new=new, path="content/b.md")
    client, request = at("rui"), jobs.request_of(job)
    assert view(client, request, "?tab=diff").fields
    assert not view(client, request, "?tab=diff&part=2").fields
