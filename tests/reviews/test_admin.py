"""The admin site: every table is there, and none can be changed or emptied."""

from typing import Any

import pytest
from django.apps import apps
from django.contrib import admin
from django.test import Client
from django.urls import reverse

from publisher import clock
from reviews.models import Principal
from tests.support import jobs, people

pytestmark = pytest.mark.django_db

OURS = [
    model for label in ("publisher", "reviews") for model in apps.get_app_config(label).get_models()
]
NAMES = [f"{model._meta.app_label}_{model._meta.model_name}" for model in OURS]


@pytest.fixture
def omar(everybody: people.People) -> Client:
    """The operator, at the admin site."""
    user = everybody.omar.user
    assert user is not None
    user.is_staff = True
    user.save()
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def root(everybody: people.People, django_user_model: Any) -> Client:
    """A superuser, at the admin site."""
    client = Client()
    client.force_login(django_user_model.objects.create_superuser("root"))
    return client


@pytest.mark.parametrize("model", OURS, ids=NAMES)
def test_every_table_is_shown(model: Any) -> None:
    assert model in admin.site._registry


@pytest.mark.parametrize("name", NAMES)
def test_a_superuser_opens_every_list(root: Client, name: str) -> None:
    jobs.waiting(now=clock.now())
    assert root.get(reverse(f"admin:{name}_changelist")).status_code == 200


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_added_by_hand(root: Client, name: str) -> None:
    assert root.get(reverse(f"admin:{name}_add")).status_code == 403


@pytest.mark.parametrize("model", OURS, ids=NAMES)
def test_nothing_is_changed_or_deleted_even_by_a_superuser(root: Client, model: Any) -> None:
    jobs.waiting(now=clock.now())
    row = model.objects.first()
    name = f"{model._meta.app_label}_{model._meta.model_name}"
    key = row.pk if row is not None else "1"
    posted = root.post(reverse(f"admin:{name}_change", args=[key]), {"state": "PUBLISHED"})
    deleted = root.post(reverse(f"admin:{name}_delete", args=[key]), {"post": "yes"})
    refused = {403} if row is not None else {302, 403}  # an unknown row leads back to the index
    assert {posted.status_code, deleted.status_code} <= refused
    assert model.objects.first() == row


def test_an_operator_sees_the_rows_of_own_scopes_alone(omar: Client) -> None:
    mine = jobs.waiting(now=clock.now())
    theirs = jobs.waiting(at=jobs.site("theirs", scope="elsewhere"), now=clock.now())
    page = omar.get(reverse("admin:publisher_job_changelist")).content.decode()
    assert mine.pk in page
    assert theirs.pk not in page
    foreign = omar.get(reverse("admin:publisher_job_change", args=[theirs.pk]))
    assert foreign.status_code == 302


def test_a_reviewer_has_nothing_to_look_at_there(everybody: people.People) -> None:
    user = everybody.rui.user
    assert user is not None
    user.is_staff = True
    user.save()
    client = Client()
    client.force_login(user)
    assert client.get(reverse("admin:publisher_job_changelist")).status_code == 403


def test_digests_of_tokens_are_shown_nowhere(root: Client, everybody: people.People) -> None:
    people.token("rui", "read")
    row = Principal.objects.get(name="rui").tokens.get()
    page = root.get(reverse("admin:reviews_token_change", args=[row.pk])).content.decode()
    assert row.digest not in page
