"""A review page whose version is replaced while it is read: said in sight, and nobody decides by mistake."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.support.page_server import Served

# One worker starts the server and the browser for all of these.
pytestmark = pytest.mark.xdist_group("browser")

Enter = Callable[..., Any]
SIZES = {"desk": {"width": 1280, "height": 700}, "phone": {"width": 375, "height": 740}}


def revise(page: Any, served: Served, name: str) -> None:
    """Somebody changes the text that others are asked about."""
    page.goto(f"{served.address}/jobs/{served.ids[name]}/review/")
    page.fill("[name=text]", page.input_value("[name=text]") + "\nOne line more.\n")
    page.click("main form button:has-text('Save')")
    page.wait_for_load_state()


@pytest.mark.parametrize("size", SIZES)
def test_who_has_scrolled_sees_that_the_version_was_replaced_and_cannot_approve_it(
    enter: Enter, served: Served, size: str
) -> None:
    visit = enter("rui", viewport=SIZES[size])
    page = visit.open(f"/approvals/{served.ids[f'overtaken_{size}_approval']}/")
    page.keyboard.press("c")
    page.keyboard.type("Half a thought")
    page.evaluate("window.scrollTo(0, 435)")
    page.keyboard.type(" and the rest")
    revise(enter("ada").page, served, f"overtaken_{size}")
    page.wait_for_selector("#changed .notice", timeout=15_000)

    box = page.locator("#changed .notice").bounding_box()
    assert 0 <= box["y"] < SIZES[size]["height"] / 3
    said = page.inner_text("#changed")
    assert "This version was replaced on " in said
    assert "Your comment is kept." in said
    assert page.locator("#changed a").is_visible()
    assert "Approve exactly this" not in page.inner_text("body")
    assert "If you approve" not in page.inner_text("body")
    assert page.inner_text("[data-decides=approve]") == "Replaced by a newer version"

    assert page.evaluate("document.activeElement.id") == "comment"
    assert page.input_value("#comment") == "Half a thought and the rest"
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.method))
    page.click("[data-decides=approve]", force=True)
    page.click("[data-decides=request_changes]", force=True)
    assert page.evaluate("document.activeElement.closest('#changed') !== null")
    assert "POST" not in asked
    assert visit.breaches == []
