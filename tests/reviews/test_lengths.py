"""What a form or a body lets through fits into the column that keeps it, on every database."""

from typing import Any

import pytest
from django import forms
from django.db.models import Model

from publisher.models import Job, Site, TopicCursor
from reviews.api import bodies
from reviews.edit_form import PlacedForm
from reviews.forms import LiveForm, SetupForm, SiteForm, TokenForm
from reviews.models import Comment, Principal, Token
from reviews.submit_form import SubmitForm
from tests.support import jobs, people
from tests.support.requests import As

FORMS: dict[type[forms.Form], type[Model]] = {
    SiteForm: Site, LiveForm: Site, TokenForm: Token, SetupForm: Principal, SubmitForm: Job,
    PlacedForm: Job,
}  # fmt: skip


def columns(model: type[Model]) -> dict[str, int]:
    fields = model._meta.concrete_fields
    return {f.name: most for f in fields if (most := getattr(f, "max_length", None))}


def pairs() -> list[Any]:
    return [
        pytest.param(field.max_length, columns(model)[name], id=f"{form.__name__}.{name}")
        for form, model in FORMS.items()
        for name, field in form.base_fields.items()
        if isinstance(field, forms.CharField) and name in columns(model)
    ]


@pytest.mark.parametrize(("allowed", "kept"), pairs())
def test_what_a_form_lets_through_fits_its_column(allowed: int | None, kept: int) -> None:
    assert allowed is not None
    assert allowed <= kept


def test_the_forms_are_compared() -> None:
    assert len(pairs()) > 10


def test_what_a_comment_lets_through_fits_its_column() -> None:
    allowed = bodies.CommentBody.model_json_schema()["properties"]
    for name, most in columns(Comment).items():
        assert allowed[name]["maxLength"] <= most


@pytest.mark.django_db
def test_a_comment_on_a_path_that_no_repository_has_is_refused_by_name(
    everybody: people.People,
) -> None:
    asked = jobs.request_of(jobs.waiting())
    response = As("rui", "decide", "read").post(
        f"/approvals/{asked.pk}/decision",
        {
            "decision": "approve", "reviewed_hash": asked.binding_hash, "request_id": "r",
            "comments": [{"path": "x" * 1001, "line": 1, "text": "t"}],
        },
    )  # fmt: skip
    assert (response.status_code, response.json()["field"]) == (422, "comments.0.path")


@pytest.mark.django_db
def test_a_session_that_no_column_holds_is_refused(everybody: people.People) -> None:
    jobs.site()
    most = columns(TopicCursor)["session"]
    response = As("ada").post(f"/topics/{'s' * (most + 1)}/open", {"site": "blog"})
    assert response.status_code == 422
