"""Hostile texts in a real browser: nothing runs, nothing leaves, nothing hangs."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.support.page_server import Served

# One worker starts the server and the browser for all of these.
pytestmark = pytest.mark.xdist_group("browser")

Enter = Callable[..., Any]


def hostile_pages(ids: dict[str, Any]) -> list[str]:
    found = ["/", "/jobs/", "/conflicts/", f"/conflicts/{ids['hostile_conflict']}/"]
    for job in ids["hostile"]:
        found += [f"/jobs/{job}/", f"/jobs/{job}/?all", f"/jobs/{job}/review/"]
    for approval in ids["hostile_approvals"]:
        found += [f"/approvals/{approval}/?tab={tab}" for tab in ("rendered", "diff", "raw")]
        found.append(f"/approvals/{approval}/?tab=diff&side=1")
    return [*found, "/sites/", "/sites/attic/", "/people/"]


@pytest.mark.parametrize("who", ["rui", "omar"])
def test_no_text_of_others_runs_or_calls_anywhere(enter: Enter, served: Served, who: str) -> None:
    visit = enter(who)
    for path in hostile_pages(served.ids):
        page = visit.open(path)
        page.evaluate("document.querySelectorAll('details').forEach((one) => one.open = true)")
        for target in page.query_selector_all("main a, main b, main span")[:40]:
            target.dispatch_event("mouseover")
        assert visit.breaches == [], path


def test_the_audit_page_holds_hostile_names_too(enter: Enter) -> None:
    visit = enter("ivy")
    page = visit.open("/audit/")
    assert "alert(18)" in page.content()
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
