"""Notes: what a check found stands under its line, and the list of findings leads there."""

import re
from collections.abc import Callable

import pytest
from django.test import Client

from publisher import clock
from reviews.presenters import notes, texts, words
from tests.support import jobs, page_rows
from tests.support.page_rows import Rows
from tests.support.reading_rows import article, found_at, look, revised

Login = Callable[[str], Client]
FOUND = "Eleven drills, four ladders"
"""What line 14 says."""


def rail_link(page: str) -> str:
    (link,) = re.findall(r'<a href="([^"]*)">line \d+</a>', page)
    return str(link).replace("&amp;", "&")


@pytest.mark.parametrize("query", ["?tab=raw", "?tab=diff", "?tab=diff&side=1"])
def test_a_finding_stands_under_its_line(query: str, rows: Rows, at: Login) -> None:
    request = article(rows.site)
    finding = found_at(request, 14)
    page = look(at("rui"), request, query)
    (anchor,) = re.findall(r'id="(at-finding-\d+)"', page)
    assert anchor == f"at-finding-{finding.pk}"
    before, after = page.split(f'id="{anchor}"')
    assert FOUND in before
    assert "Helpers check each tool" in after
    assert after.index("This sentence is long.") < after.index("Helpers check each tool")
    assert rail_link(page) == f"#{anchor}"


def test_where_the_line_is_not_shown_the_link_leads_to_it_raw(rows: Rows, at: Login) -> None:
    client, request = at("rui"), article(rows.site)
    finding = found_at(request, 14)
    link = rail_link(look(client, request))
    assert link == f"?tab=raw&file=1&part=1#at-finding-{finding.pk}"
    assert f'id="at-finding-{finding.pk}"' in look(client, request, link.split("#")[0])


def test_in_a_long_text_it_leads_to_the_part_with_the_line(rows: Rows, at: Login) -> None:
    long = "".join(f"Line {number}.\n\n" for number in range(1, 2_001))
    client, request = at("rui"), article(rows.site, text=long)
    finding = found_at(request, 3_001)
    link = rail_link(look(client, request))
    page = look(client, request, link.split("#")[0])
    assert "Line 1501.<" in page.split(f'id="at-finding-{finding.pk}"')[0]


def test_a_line_begins_in_its_first_part() -> None:
    text = "a\n" + "x" * 300_000 + "\nend\n"
    parts = [texts.part_of(text, line) for line in (1, 2, 3, 99)]
    assert parts == [1, 2, 4, 4]


def test_a_fold_with_a_note_is_open(rows: Rows, at: Login) -> None:
    old = "".join(f"Line {number}.\n" for number in range(60))
    new = old.replace("Line 59.", "The end.")
    context = "@@ -1,60 +1,60 @@\n" + "".join(f" Line {n}.\n" for n in range(59))
    job = page_rows.update(
        at=rows.site, now=clock.now(), old=old, new=new, path="content/b.md",
        diff=f"{context}-Line 59.\n+The end.\n",
    )  # fmt: skip
    page = look(at("rui"), jobs.request_of(job), "?tab=diff")
    assert '<details class="diff__fold" data-unseen open>' in page
    assert page.count("at-finding-") == 2  # the rail's link, and the note itself


def test_a_line_that_goes_away_has_no_note_of_the_new_text(rows: Rows, at: Login) -> None:
    client, request = at("rui"), article(rows.site, text="One.\nTwo.\nThree.\n")
    look(client, request)
    second = revised(request, "One.\nThree.\n")
    found_at(second, 2)
    page = look(client, second)
    before = page.split('id="at-finding-')[0]
    assert "Three." in before


def test_blocking_ones_come_first(rows: Rows, at: Login) -> None:
    request = article(rows.site)
    found_at(request, 3)
    found_at(request, 9, severity="block")
    page = look(at("rui"), request)
    assert page.index("Blocks</span>") < page.index("Warning</span>")


def test_a_note_has_a_place_on_either_side() -> None:
    label = words.of(words.SEVERITIES, "warn")
    placed = {
        ("a.md", notes.OLD, 3): [notes.Note("x", label, "gone")],
        ("b.md", notes.NEW, 3): [notes.Note("y", label, "here")],
    }
    assert list(notes.of_file(placed, "a.md")) == [("old", 3)]
