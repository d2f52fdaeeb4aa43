"""Hostile texts in a real browser: nothing runs, nothing leaves, nothing hangs."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.support import vectors
from tests.support.page_server import Served

# One worker starts the server and the browser for all of these.
pytestmark = pytest.mark.xdist_group("browser")

Enter = Callable[..., Any]


HANDLE = """() => {
  for (const one of document.querySelectorAll("details")) one.open = true;
  for (const one of document.querySelectorAll("main a, main b, main span, #content a"))
    for (const name of ["mouseover", "focus"]) one.dispatchEvent(new Event(name, {bubbles: true}));
}"""
"""Open what is folded, and go over everything that might listen."""


def test_no_text_of_others_runs_or_calls_on_any_page(enter: Enter, served: Served) -> None:
    """Case 63: each page that the resolver knows, once, with all the vectors that fit its fields."""
    visit = enter("root")
    seen, opened = "", 0
    for path in served.ids["hostile_pages"]:
        page = visit.open(path)
        page.evaluate(HANDLE)
        if visit.status in (
            403,
            404,
        ):  # no such row, or none for people; the console calls that an error
            visit.errors.clear()
        assert (visit.breaches, visit.errors) == ([], []), path
        opened += visit.status == 200
        seen += page.inner_text("body")
    assert opened > len(served.ids["hostile_pages"]) / 2
    shown = {int(number) for number in re.findall(r"alert\((\d+)\)", seen)}
    assert len(vectors.texts()) >= 40
    running = {number for number, one in enumerate(vectors.TEXTS, 1) if "alert" in one}
    assert running - shown == set()


def test_no_text_of_others_runs_before_a_reviewer(enter: Enter, served: Served) -> None:
    """The buttons of a decision are on no page of somebody who may only read."""
    visit = enter("rui")
    for approval in served.ids["hostile_approvals"]:
        visit.open(f"/approvals/{approval}/").evaluate(HANDLE)
        assert (visit.breaches, visit.errors) == ([], [])


def test_the_audit_page_holds_hostile_names_too(enter: Enter) -> None:
    visit = enter("ivy")
    page = visit.open("/audit/")
    assert "alert(101)" in page.inner_text("main")
    assert visit.breaches == []


def test_djangos_admin_works_under_the_same_policy(enter: Enter, served: Served) -> None:
    visit = enter("root")
    for path in (
        "/admin/",
        "/admin/publisher/job/",
        f"/admin/publisher/job/{served.ids['hostile'][0]}/change/",
        "/admin/publisher/jobevent/",
        "/admin/reviews/approval/",
        "/admin/reviews/decision/",
    ):
        page = visit.open(path)
        assert page.title(), path
        assert visit.breaches == [], path


def test_an_image_of_a_draft_is_named_and_not_loaded(enter: Enter, served: Served) -> None:
    visit = enter("rui")
    page = visit.open(f"/approvals/{served.ids['waiting_approval']}/")
    assert page.locator(".prose img").count() == 0
    assert "The long table (/images/table.jpg)" in page.inner_text(".prose")


@pytest.mark.parametrize("tab", ["rendered", "diff", "raw"])
def test_huge_texts_answer_and_stay_small(enter: Enter, served: Served, tab: str) -> None:
    visit = enter("rui")
    for approval in served.ids["large_approvals"]:
        answer = visit.page.request.get(f"{served.address}/approvals/{approval}/?tab={tab}")
        length = len(answer.body())
        assert answer.status == 200
        assert length < 2 * 1024 * 1024, (approval, tab)
        page = visit.open(f"/approvals/{approval}/?tab={tab}")
        assert page.locator("h1").count() == 1
        assert visit.breaches == []


def test_each_part_of_a_huge_text_is_reached_by_links(enter: Enter, served: Served) -> None:
    page = enter("rui").open(f"/approvals/{served.ids['large_approvals'][0]}/?tab=raw")
    assert "Part 1 of" in page.inner_text(".parts")
    page.click("text=Next part")
    assert "Part 2 of" in page.inner_text(".parts")
