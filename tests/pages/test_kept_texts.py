"""A refusal hands back whatever a person typed, however short, and nothing that a page put in."""

import re
from collections.abc import Callable
from typing import Any
from unittest import mock

import pytest
from django.test import Client

from publisher.domain.errors import Clash
from publisher.models import Conflict, Finding, Job
from reviews.models import Principal
from tests.support import jobs
from tests.support.page_rows import Rows
from tests.support.planted import stored_file

Login = Callable[[str], Client]
SHORT = "请把第二段改短，并补充来源。"


def checked(name: str) -> Client:
    client = Client(enforce_csrf_checks=True)
    user = Principal.objects.get(name=name).user
    assert user is not None
    client.force_login(user)
    return client


def decision(rows: Rows, **fields: str) -> tuple[str, dict[str, str]]:
    approval = jobs.request_of(rows.waiting)
    form = {"decision": "request_changes", "reviewed_hash": approval.binding_hash,
            "request_id": "r-1", "comment": SHORT, **fields}  # fmt: skip
    return f"/approvals/{approval.pk}/decide/", form


def test_a_short_comment_survives_a_form_that_was_too_old(rows: Rows) -> None:
    address, form = decision(rows, csrfmiddlewaretoken="of-another-login")
    response = checked("rui").post(address, form)
    page = response.content.decode()
    assert response.status_code == 403
    assert f"\n{SHORT}</textarea>" in page
    assert "of-another-login" not in page
    assert form["reviewed_hash"] not in page
    assert "request_changes" not in page


def test_a_short_comment_survives_a_refusal_of_ones_own_work(rows: Rows, at: Login) -> None:
    address, form = decision(rows)
    response = at("ada").post(address, form)
    assert response.status_code == 403
    assert f"\n{SHORT}</textarea>" in response.content.decode()


@pytest.mark.parametrize("field", ["password", "old_password", "password1"])
def test_a_password_is_never_handed_back(field: str, rows: Rows) -> None:
    form = {"username": "rui", field: "open sesame, and wide", "kept.comment": SHORT}
    page = checked("rui").post("/login/", form).content.decode()
    assert "open sesame" not in page
    assert f"\n{SHORT}</textarea>" in page


@pytest.mark.parametrize("act", ["resolve", "give-up"])
def test_a_conflict_that_somebody_else_settled_shows_what_was_written(
    act: str, rows: Rows, at: Login
) -> None:
    conflict = rows.conflict.conflicts.get()
    form = {"ours_sha256": conflict.ours_sha256, "theirs_sha256": conflict.theirs_sha256,
            "choice-0": "content", "text-0": "Both, in an hour's work.", "reason": SHORT}  # fmt: skip

    def settled(*_args: object, **_facts: object) -> None:
        Conflict.objects.filter(pk=conflict.pk).update(
            settled_at=conflict.created_at, settled_by="grace"
        )
        raise Clash("The conflict was settled meanwhile.")

    service = {"resolve": "settle", "give-up": "give_up"}[act]
    with mock.patch(f"reviews.views.conflicts.work.{service}", side_effect=settled):
        response = at("omar").post(f"/conflicts/{conflict.pk}/{act}/", form)
    page = response.content.decode()
    assert response.status_code == 409
    assert "Both, in an hour&#x27;s work.</textarea>" in page
    assert f"\n{SHORT}</textarea>" in page
    assert page.count(conflict.ours_sha256) <= 1


def test_a_body_over_the_limit_is_told_the_limit_and_the_way_back_to_the_form(
    rows: Rows, at: Login
) -> None:
    response = at("ada").post("/submit/", {"mode": "content", "text": "x" * 17 * 1024 * 1024})
    page = response.content.decode()
    assert response.status_code == 413
    assert "all together 16 MiB" in page
    assert "Go back in your browser: the form is still filled in there." in page


@pytest.mark.parametrize(
    ("reason", "problem"),
    [(SHORT * 200, "at most 2000 characters"), ("", "Say why the finding may be overruled.")],
    ids=["too long", "empty"],
)
def test_a_reason_to_overrule_that_does_not_fit_is_named_and_handed_back(
    reason: str, problem: str, rows: Rows, at: Login
) -> None:
    page = at("omar").get(f"/jobs/{rows.review.pk}/review/").content.decode()
    assert 'name="reason" rows="2" maxlength="2000"' in page
    finding = re.search(r'name="finding" value="(\d+)"', page)
    assert finding is not None
    form = {"finding": finding[1], "reason": reason}
    response = at("omar").post(f"/jobs/{rows.review.pk}/override/", form)
    page = response.content.decode()
    assert response.status_code == 400
    assert problem in page
    assert reason in page
    assert jobs.reloaded(rows.review).state == "REVIEW"


def test_an_invalid_edit_of_a_job_that_moved_on_hands_the_text_back(rows: Rows, at: Login) -> None:
    form = {"text": "An hour of work.", "base_revision": 1, "why": "w" * 501}
    response = at("rui").post(f"/jobs/{rows.published.pk}/edit/", form)
    assert response.status_code == 422
    assert "An hour of work.</textarea>" in response.content.decode()


def test_an_edit_of_a_text_too_large_for_the_page_is_handed_back(rows: Rows, at: Login) -> None:
    form = {"text": "An hour of work.", "base_revision": "x"}
    with mock.patch("reviews.presenters.texts.LARGEST_EDIT", 1):
        response = at("rui").post(f"/jobs/{rows.review.pk}/edit/", form)
    assert "An hour of work.</textarea>" in response.content.decode()


def test_a_reason_to_overrule_survives_a_job_that_moved_on(rows: Rows, at: Login) -> None:
    client = at("omar")
    form = {"finding": Finding.objects.get(step__job=rows.review).pk, "reason": SHORT}
    real = Finding.objects.filter

    def later(**named: Any) -> Any:
        Job.objects.filter(pk=rows.review.pk).update(generation=rows.review.generation + 1)
        return real(**named)

    with mock.patch.object(Finding.objects, "filter", later):
        response = client.post(f"/jobs/{rows.review.pk}/override/", form)
    assert response.status_code == 409
    assert f"\n{SHORT}</textarea>" in response.content.decode()


def test_a_comment_on_a_draft_whose_list_is_lost_is_handed_back(rows: Rows, at: Login) -> None:
    stored_file(rows.waiting.manifest_artifact).unlink()
    address, form = decision(rows, decision="approve")
    response = at("rui").post(address, form)
    assert response.status_code == 500
    assert f"\n{SHORT}</textarea>" in response.content.decode()
