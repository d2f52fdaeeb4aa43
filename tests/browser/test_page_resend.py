"""The back button after a decision, and the same form sent once more, in a real browser."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.support.page_server import Served

# One worker starts the server and the browser for all of these.
pytestmark = pytest.mark.xdist_group("browser")

Enter = Callable[..., Any]
YES = "button:has-text('Approve exactly this')"
TAKEN = "Approved. It leaves by itself within a minute."


@pytest.mark.parametrize("has_script", [True, False])
def test_back_and_once_more_is_the_same_decision_with_the_same_answer(
    enter: Enter, served: Served, has_script: bool
) -> None:
    """Case 67: back shows what was decided, and the same form again gets the first answer."""
    name = "resend" if has_script else "resend_plain"
    address = f"/approvals/{served.ids[f'{name}_approval']}/"
    visit = enter("rui", java_script_enabled=has_script)
    page = visit.open(address)
    names = ("csrfmiddlewaretoken", "reviewed_hash", "request_id")
    form = {one: page.input_value(f"form [name={one}] >> nth=-1") for one in names}
    page.click(YES)
    assert TAKEN in page.inner_text("main")
    page.go_back()
    assert page.locator(YES).count() == 0
    again = page.request.post(
        f"{served.address}{address}decide/",
        form={**form, "decision": "approve"},
        headers={"Referer": f"{served.address}{address}"},
    )
    assert (again.status, again.url) == (200, f"{served.address}{address}")
    assert TAKEN in again.text()
    assert visit.breaches == []
