"""The admin site: every table is there, whichever app's, and none can be changed or emptied."""

from typing import Any

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.admin.utils import quote
from django.contrib.auth import get_user_model
from django.contrib.sessions.models import Session
from django.core.management import call_command
from django.test import Client, RequestFactory
from django.urls import reverse

from publisher import clock
from reviews.models import Principal
from tests.support import admin_rows, jobs, people, reviewing_rows

pytestmark = pytest.mark.django_db

ALL = list(apps.get_models())
NAMES = [f"{model._meta.app_label}_{model._meta.model_name}" for model in ALL]
SECRET = "rust never sleeps"
NOTHING = {"add": False, "change": False, "delete": False, "view": True}


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
    user = django_user_model.objects.create_superuser("root")
    user.password = SECRET
    user.save()
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def rows(root: Client, everybody: people.People) -> None:
    """A row in the tables of this project and of all others."""
    now = clock.now()
    reviewing_rows.assignment(jobs.waiting(now=now), by="omar", person="rui", now=now)
    reviewing_rows.delegation("rui", "mei", now=now)
    admin_rows.plant(SECRET)


def name_of(model: Any) -> str:
    return f"{model._meta.app_label}_{model._meta.model_name}"


def ways(model: Any) -> list[str]:
    """The addresses at which Django's admin site takes something for a table, and of a row."""
    row = model._default_manager.first()
    key = quote(row.pk if row is not None else "1")
    name = name_of(model)
    return [
        reverse(f"admin:{name}_changelist"),
        reverse(f"admin:{name}_add"),
        reverse(f"admin:{name}_change", args=[key]),
        reverse(f"admin:{name}_delete", args=[key]),
    ]


@pytest.mark.parametrize("model", ALL, ids=NAMES)
def test_every_table_is_shown_and_has_no_ways_of_its_own(model: Any) -> None:
    page = admin.site.get_model_admin(model)
    kinds = ("changelist", "add", "history", "delete", "change")
    named = {way.name for way in page.get_urls()} - {None}
    assert named == {f"{name_of(model)}_{kind}" for kind in kinds}


@pytest.mark.parametrize("model", ALL, ids=NAMES)
def test_a_superuser_opens_every_list_and_every_row(root: Client, rows: None, model: Any) -> None:
    listed, _add, row, _delete = ways(model)
    assert root.get(listed).status_code == 200
    assert root.get(row).status_code == (200 if model._default_manager.exists() else 302)


@pytest.mark.parametrize("model", ALL, ids=NAMES)
def test_not_even_a_superuser_may_change_anything(
    rf: RequestFactory, root: Client, model: Any
) -> None:
    request = rf.get("/admin/")
    request.user = get_user_model().objects.get(username="root")
    page = admin.site.get_model_admin(model)
    assert page.get_model_perms(request) == NOTHING
    assert page.get_actions(request) == {}


@pytest.mark.parametrize("model", ALL, ids=NAMES)
def test_forms_are_refused_and_whatever_is_sent_changes_nothing(
    root: Client, rows: None, model: Any
) -> None:
    before = list(model._default_manager.order_by("pk").values())
    keys = [row[model._meta.pk.attname] for row in before]
    sent = {"post": "yes", "func": "os.getcwd", "name": "x", "state": "PUBLISHED", "index": "0"}
    listed, *forms = ways(model)
    for action in ("delete_selected", "resubmit_task"):
        root.post(listed, {**sent, "action": action, "_selected_action": keys})
    refused = {403} if before else {302, 403}  # an unknown row leads back to the index
    assert {root.post(way, sent).status_code for way in forms} <= refused
    assert list(model._default_manager.order_by("pk").values()) == before


@pytest.mark.parametrize("model", ALL, ids=NAMES)
def test_what_could_be_used_is_not_shown(root: Client, rows: None, model: Any) -> None:
    listed, _add, row, _delete = ways(model)
    texts = root.get(listed).content.decode() + root.get(row).content.decode()
    assert SECRET not in texts
    session = Session.objects.get()
    assert session.session_data not in texts
    assert session.session_key not in root.get(listed).content.decode()


@pytest.mark.parametrize(
    "asked", ["auth/user/?password__startswith=p", "sessions/session/?session_key__startswith=a"]
)
def test_what_is_not_shown_is_not_asked_for(root: Client, asked: str) -> None:
    assert root.get(f"/admin/{asked}").status_code == 400


def test_an_operator_sees_the_rows_of_own_scopes_alone(omar: Client) -> None:
    mine = jobs.waiting(now=clock.now())
    theirs = jobs.waiting(at=jobs.site("theirs", scope="elsewhere"), now=clock.now())
    page = omar.get(reverse("admin:publisher_job_changelist")).content.decode()
    assert mine.pk in page
    assert theirs.pk not in page
    foreign = omar.get(reverse("admin:publisher_job_change", args=[theirs.pk]))
    assert foreign.status_code == 302


def test_a_filter_names_the_sites_of_own_scopes_alone(omar: Client, root: Client) -> None:
    jobs.waiting(now=clock.now())
    jobs.waiting(at=jobs.site("second"), now=clock.now())
    jobs.waiting(at=jobs.site("theirs", scope="elsewhere"), now=clock.now())
    jobs.waiting(at=jobs.site("hidden", scope="elsewhere"), now=clock.now())
    jobs_list = reverse("admin:publisher_job_changelist")
    mine = omar.get(jobs_list).content.decode()
    assert "site__id__exact" in mine
    assert ">blog</a>" in mine
    assert "theirs" not in mine
    assert ">theirs</a>" in root.get(jobs_list).content.decode()


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


def test_tables_are_named_as_people_name_them(root: Client) -> None:
    page = root.get(reverse("admin:index")).content.decode()
    for name in ("Memory", "Outbox", "Shown parts"):
        assert f">{name}</a>" in page
    assert "Memorys" not in page
    assert "Outboxs" not in page
    assert "Showns" not in page


def test_the_names_of_tables_ask_for_no_migration() -> None:
    call_command("makemigrations", "--check", "--dry-run", "publisher", "reviews")


@pytest.mark.parametrize(
    ("language", "at"), [("en", "3 May 2026, 12:00 UTC"), ("zh-hans", "2026年5月3日 12:00 UTC")]
)
def test_times_are_told_with_their_zone(root: Client, language: str, at: str) -> None:
    job = jobs.received()
    headers = {"accept-language": language}
    for address in ("admin:publisher_job_changelist", "admin:publisher_jobevent_changelist"):
        assert at in root.get(reverse(address), headers=headers).content.decode()
    address = reverse("admin:publisher_job_change", args=[quote(job.pk)])
    assert at in root.get(address, headers=headers).content.decode()


def test_an_old_remotes_password_is_shown_nowhere(root: Client) -> None:
    site = jobs.site()
    type(site).objects.update(remote="https://bot:sec/retSECRET0017@h.example/r.git")
    for address in (
        reverse("admin:publisher_site_changelist"),
        reverse("admin:publisher_site_change", args=[site.pk]),
    ):
        found = root.get(address).content.decode()
        assert "SECRET0017" not in found
        assert "https://h.example/r.git" in found
    asked = root.get(reverse("admin:publisher_site_changelist"), {"remote__startswith": "https"})
    assert asked.status_code == 400
