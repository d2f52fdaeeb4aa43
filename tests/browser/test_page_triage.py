"""Triage by keys: they move through the inbox and lead to a decision's button; none of them decides."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.support.page_server import Served

# One worker starts the server and the browser for all of these.
pytestmark = pytest.mark.xdist_group("browser")

Enter = Callable[..., Any]


def told(page: Any) -> str:
    return str(page.inner_text("[data-keys-told]"))


def focused(page: Any) -> str:
    return str(page.evaluate("document.activeElement.getAttribute('href') || ''"))


def hrefs(page: Any) -> list[str]:
    script = "[...document.querySelectorAll('[data-row]')].map((row) => row.getAttribute('href'))"
    found: list[str] = page.evaluate(script)
    return found


def on_the(page: Any, kind: str) -> None:
    """Go down with the key until a row of this kind has the focus."""
    for _row in hrefs(page):
        page.keyboard.press("j")
        if page.evaluate("document.activeElement.dataset.row") == kind:
            return
    raise AssertionError(kind)


def test_j_and_k_go_through_the_rows_and_stop_at_both_ends(enter: Enter, served: Served) -> None:
    visit = enter("rui")
    page = visit.open("/")
    rows = hrefs(page)
    for wanted in (0, 1, 2):
        page.keyboard.press("j")
        assert focused(page) == rows[wanted]
    assert told(page) == f"Row 3 of {len(rows)}"
    for wanted in (1, 0, 0):
        page.keyboard.press("k")
        assert focused(page) == rows[wanted]
    assert visit.breaches == []


def test_o_opens_the_row_and_needs_one(enter: Enter, served: Served) -> None:
    page = enter("rui").open("/")
    page.keyboard.press("o")
    assert told(page) == "Go to a row first, with j or k."
    page.keyboard.press("j")
    goal = focused(page)
    page.keyboard.press("o")
    page.wait_for_url(f"**{goal}")


@pytest.mark.parametrize(
    ("key", "script", "there"),
    [
        ("a", "document.activeElement.value", "approve"),
        ("r", "document.activeElement.value", "request_changes"),
        ("c", "document.activeElement.id", "comment"),
    ],
)
def test_a_key_opens_the_request_at_its_button_and_decides_nothing(
    enter: Enter, served: Served, key: str, script: str, there: str
) -> None:
    page = enter("rui").open("/")
    on_the(page, "approval")
    page.keyboard.press(key)
    page.wait_for_url("**/approvals/*/#do-*")
    page.wait_for_function(f"{script} === '{there}'")
    page.reload()
    assert "Approve exactly this" in page.inner_text(".bar")


def test_e_opens_the_text_of_a_request(enter: Enter, served: Served) -> None:
    page = enter("rui").open("/")
    on_the(page, "approval")
    page.keyboard.press("e")
    page.wait_for_url("**/jobs/*/review/#edit")


def test_what_is_no_request_is_opened_as_it_is(enter: Enter, served: Served) -> None:
    page = enter("rui").open("/")
    on_the(page, "conflict")
    page.keyboard.press("a")
    page.wait_for_url("**/conflicts/*/")


def test_slash_opens_the_filters_and_letters_are_letters_there(
    enter: Enter, served: Served
) -> None:
    page = enter("rui").open("/")
    page.keyboard.press("/")
    page.keyboard.type("jo?")
    assert page.input_value("[data-search]") == "jo?"
    assert page.locator("dialog[open]").count() == 0


def test_the_keys_are_listed_and_can_be_switched_off(enter: Enter, served: Served) -> None:
    page = enter("rui").open("/")
    page.keyboard.press("?")
    assert "next and previous row" in page.inner_text("dialog[open]")
    page.uncheck("[data-keys-switch]")
    page.keyboard.press("Escape")
    page.reload()
    page.keyboard.press("j")
    page.keyboard.press("?")
    assert focused(page) == ""
    assert page.locator("dialog[open]").count() == 0
    page.click("[data-keys-open]")
    assert page.is_visible("dialog[open]")


def test_the_row_that_has_the_focus_keeps_it_when_the_list_moves(
    enter: Enter, served: Served
) -> None:
    page = enter("rui").open("/")
    page.keyboard.press("j")
    here = focused(page)
    page.evaluate("htmx.ajax('GET', '/inbox/live/?seen=', {target: '#waiting', swap: 'outerHTML'})")
    page.wait_for_function("!document.querySelector('#waiting').matches('.htmx-request')")
    assert focused(page) == here


def test_without_javascript_the_filters_work_and_no_key_is_promised(
    enter: Enter, served: Served
) -> None:
    page = enter("rui", java_script_enabled=False).open("/?kind=conflict")
    assert not page.is_visible("[data-keys-open]")
    assert page.locator(".list__item").count() == 2
    page.click("text=Clear")
    assert page.locator(".list__item").count() > 2
