"""A NUL in an address or a form is refused in words, on either database, and no text is lost."""

from collections.abc import Callable

import pytest
from django.test import Client

from reviews.models import Decision
from tests.support import jobs
from tests.support.page_rows import Rows

Login = Callable[[str], Client]
TYPED = "请把第二段改短\x00，并补充来源。"


@pytest.mark.parametrize(
    "address",
    ["/jobs/?after=%00", "/jobs/live/?after=%00a", "/jobs/%00/", "/jobs/x%00/live/",
     "/jobs/?q=%00", "/audit/?actor=%00", "/sites/?x=%00"],
)  # fmt: skip
def test_an_address_with_a_nul_leads_nowhere(address: str, rows: Rows, at: Login) -> None:
    response = at("ivy").get(address)
    assert response.status_code == 404
    assert "There is nothing here" in response.content.decode()


@pytest.mark.parametrize("field", ["comment", "acknowledged", "request_id"])
def test_a_decision_with_a_nul_is_refused_and_the_comment_is_handed_back(
    field: str, rows: Rows, at: Login
) -> None:
    approval = jobs.request_of(rows.waiting)
    form = {
        "decision": "request_changes", "reviewed_hash": approval.binding_hash,
        "request_id": "r-nul", "comment": TYPED.replace("\x00", ""), "acknowledged": "a",
    }  # fmt: skip
    form[field] = TYPED
    response = at("rui").post(f"/approvals/{approval.pk}/decide/", form)
    page = response.content.decode()
    assert response.status_code == 400
    assert f"The field {field} holds a NUL character" in page
    assert "请把第二段改短，并补充来源。</textarea>" in page
    assert not Decision.objects.filter(approval=approval).exists()


def test_an_act_with_a_nul_is_refused_and_its_reason_is_handed_back(rows: Rows, at: Login) -> None:
    response = at("omar").post(f"/jobs/{rows.review.pk}/act/skip/", {"reason": "no\x00t now"})
    assert response.status_code == 400
    assert "\nnot now</textarea>" in response.content.decode()
    assert jobs.reloaded(rows.review).state == "REVIEW"


def test_giving_up_with_a_nul_is_refused_and_its_reason_is_handed_back(
    rows: Rows, at: Login
) -> None:
    address = f"/conflicts/{rows.conflict.conflicts.get().pk}/give-up/"
    response = at("omar").post(address, {"reason": "no\x00t now"})
    assert response.status_code == 400
    assert "\nnot now</textarea>" in response.content.decode()
    assert jobs.reloaded(rows.conflict).state == "CONFLICT"


def test_a_field_whose_name_holds_a_nul_is_refused(rows: Rows, at: Login) -> None:
    response = at("omar").post(f"/jobs/{rows.review.pk}/act/skip/", {"rea\x00son": "x"})
    assert response.status_code == 400


def test_a_form_with_a_nul_that_came_without_a_login_is_handed_back(rows: Rows) -> None:
    response = Client().post(f"/jobs/{rows.review.pk}/act/skip/", {"reason": "no\x00t now"})
    assert response.status_code == 400
    assert "\nnot now</textarea>" in response.content.decode()
