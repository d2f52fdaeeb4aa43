"""Keys on the review page: they lead, a screen reader hears where, and none of them decides."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.support.page_server import Served

# One worker starts the server and the browser for all of these.
pytestmark = pytest.mark.xdist_group("browser")

Enter = Callable[..., Any]


def diff_of(served: Served) -> str:
    return f"/approvals/{served.ids['update_approval']}/?tab=diff"


def told(page: Any) -> str:
    return str(page.inner_text("[data-keys-told]"))


def test_the_help_opens_by_key_and_by_button_and_lists_the_keys(
    enter: Enter, served: Served
) -> None:
    visit = enter("rui")
    page = visit.open(diff_of(served))
    page.keyboard.press("?")
    assert "next and previous change" in page.inner_text("dialog[open]")
    page.keyboard.press("Escape")
    assert page.locator("dialog[open]").count() == 0
    page.click("[data-keys-open]")
    page.click("dialog button:has-text('Close')")
    assert page.locator("dialog[open]").count() == 0
    assert visit.breaches == []


def test_j_and_k_lead_through_the_changes_and_say_where(enter: Enter, served: Served) -> None:
    page = enter("rui").open(diff_of(served))
    page.keyboard.press("j")
    assert told(page).startswith("Change 1 of ")
    assert page.evaluate("document.activeElement.hasAttribute('data-change')")
    page.keyboard.press("j")
    assert told(page).startswith("Change 2 of ")
    page.keyboard.press("k")
    assert told(page).startswith("Change 1 of ")


def test_side_by_side_has_the_same_changes(enter: Enter, served: Served) -> None:
    page = enter("rui").open(f"{diff_of(served)}&side=1")
    page.keyboard.press("j")
    assert told(page).startswith("Change 1 of ")


def test_where_nothing_changed_j_says_so(enter: Enter, served: Served) -> None:
    page = enter("rui").open(f"/approvals/{served.ids['update_approval']}/?tab=raw")
    page.keyboard.press("j")
    assert "Look under Diff." in told(page)


def test_n_leads_to_what_is_left_to_read(enter: Enter, served: Served) -> None:
    page = enter("rui").open(f"/approvals/{served.ids['large_approvals'][0]}/?tab=raw")
    page.keyboard.press("n")
    assert told(page).startswith("Part left to read: 1 of ")
    assert "Next part" in page.evaluate("document.activeElement.textContent")


@pytest.mark.parametrize(
    ("key", "value"), [("a", "approve"), ("r", "request_changes"), ("x", "reject")]
)
def test_a_key_goes_to_the_button_and_decides_nothing(
    enter: Enter, served: Served, key: str, value: str
) -> None:
    page = enter("rui").open(diff_of(served))
    page.keyboard.press(key)
    assert page.evaluate("document.activeElement.value") == value
    page.reload()
    assert "Approve exactly this" in page.inner_text(".bar")


def test_e_leads_to_the_text_and_u_to_the_inbox(enter: Enter, served: Served) -> None:
    page = enter("rui").open(diff_of(served))
    page.keyboard.press("e")
    page.wait_for_url("**/review/#edit")
    page = enter("rui").open(diff_of(served))
    page.keyboard.press("u")
    page.wait_for_url(f"{served.address}/")


def test_in_a_field_keys_are_letters(enter: Enter, served: Served) -> None:
    page = enter("rui").open(diff_of(served))
    page.keyboard.press("c")
    page.keyboard.type("jar?")
    assert page.input_value("#comment") == "jar?"
    assert page.locator("dialog[open]").count() == 0


def test_the_keys_can_be_switched_off_for_good(enter: Enter, served: Served) -> None:
    page = enter("rui").open(diff_of(served))
    page.keyboard.press("?")
    page.uncheck("[data-keys-switch]")
    page.keyboard.press("Escape")
    page.reload()
    page.keyboard.press("j")
    page.keyboard.press("?")
    assert told(page) == ""
    assert page.locator("dialog[open]").count() == 0
    page.click("[data-keys-open]")
    assert page.is_visible("dialog[open]")


def test_without_javascript_no_key_is_promised(enter: Enter, served: Served) -> None:
    page = enter("rui", java_script_enabled=False).open(diff_of(served))
    assert not page.is_visible("[data-keys-open]")
    assert not page.is_visible("[data-keys]")
