"""Every page: open to the right role, closed to the rest, and never changed by a GET."""

import re
from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import URLPattern, get_resolver

from publisher.models import Job, JobEvent
from reviews.models import Approval
from reviews.urls import urlpatterns
from tests.support import jobs, page_rows
from tests.support.page_rows import Rows

Login = Callable[[str], Client]

PLAIN = {
    "/": "rui",
    "/jobs/": "rui",
    "/conflicts/": "rui",
    "/effects/": "omar",
    "/submit/": "ada",
    "/sites/": "rui",
    "/sites/blog/": "rui",
    "/connect/": "omar",
    "/people/": "rui",
    "/policies/": "rui",
    "/policies/change/?scope=default": "omar",
    "/delegations/": "rui",
    "/health/": "rui",
    "/audit/": "ivy",
    "/me/": "zoe",
}
REFUSED = {
    "/effects/": "rui",
    "/submit/": "rui",
    "/connect/": "ada",
    "/audit/": "rui",
    "/jobs/": "zoe",
    "/people/": "zoe",
    "/policies/change/?scope=default": "rui",
    "/delegations/": "zoe",
}


def pages_of(rows: Rows) -> list[str]:
    conflict = rows.conflict.conflicts.get()
    found = [f"/conflicts/{conflict.pk}/", f"/jobs/{rows.review.pk}/review/"]
    for job in Job.objects.all():
        found += [f"/jobs/{job.pk}/", f"/jobs/{job.pk}/?all", f"/jobs/{job.pk}/review/"]
    for approval in Approval.objects.all():
        found += [f"/approvals/{approval.pk}/?tab={tab}" for tab in ("rendered", "diff", "raw")]
        found.append(f"/approvals/{approval.pk}/?tab=diff&side=1")
    return found


@pytest.mark.parametrize(("path", "who"), PLAIN.items())
def test_a_page_opens_for_who_has_the_role(path: str, who: str, rows: Rows, at: Login) -> None:
    response = at(who).get(path)
    assert response.status_code == 200
    assert "<h1" in response.content.decode()


@pytest.mark.parametrize("who", ["ada", "rui", "omar", "ivy"])
def test_pages_of_each_situation_open_for_all_roles(who: str, rows: Rows, at: Login) -> None:
    client = at(who)
    for path in pages_of(rows):
        assert client.get(path).status_code == 200, path


@pytest.mark.parametrize(("path", "who"), REFUSED.items())
def test_without_the_role_a_page_says_whom_to_ask(
    path: str, who: str, rows: Rows, at: Login
) -> None:
    response = at(who).get(path)
    assert response.status_code == 403
    assert "An admin can give it to you" in response.content.decode()


def test_without_a_login_every_page_leads_to_the_login(rows: Rows) -> None:
    for path in [*PLAIN, *pages_of(rows)]:
        response = Client().get(path)
        assert response.status_code == 302, path
        assert response["Location"].startswith("/login/?next="), path


def test_rows_of_another_space_are_not_found(rows: Rows, at: Login) -> None:
    elsewhere = jobs.site("diary", scope="private")
    job = page_rows.new_article(at=elsewhere, now=jobs.NOW, path="content/secret.md")
    approval = jobs.request_of(job)
    for path in (
        f"/jobs/{job.pk}/",
        f"/jobs/{job.pk}/review/",
        f"/jobs/{job.pk}/live/",
        f"/approvals/{approval.pk}/",
        "/sites/diary/",
    ):
        assert at("omar").get(path).status_code == 404, path
    assert at("omar").post(f"/approvals/{approval.pk}/decide/").status_code == 404


def test_no_get_changes_anything(rows: Rows, at: Login) -> None:
    before = (JobEvent.objects.count(), list(Job.objects.values_list("pk", "state_version")))
    request = jobs.request_of(rows.waiting)
    conflict = rows.conflict.conflicts.get()
    for who in ("rui", "omar"):
        client = at(who)
        for path in pages_of(rows):
            client.get(path)
        for path in (
            f"/approvals/{request.pk}/decide/",
            f"/jobs/{rows.review.pk}/edit/",
            f"/jobs/{rows.review.pk}/override/",
            f"/jobs/{rows.review.pk}/act/cancel/",
            f"/conflicts/{conflict.pk}/resolve/",
            f"/conflicts/{conflict.pk}/give-up/",
            "/sites/blog/pause/",
            "/me/zone/",
            "/me/tokens/",
        ):
            assert client.get(path).status_code == 302, path
    after = (JobEvent.objects.count(), list(Job.objects.values_list("pk", "state_version")))
    assert after == before


def test_every_address_names_its_right() -> None:
    """A page that forgot its permission would be closed to all; better that a test says so."""
    for pattern in urlpatterns:
        if isinstance(pattern, URLPattern):
            assert hasattr(pattern.callback, "right"), pattern


def test_links_of_every_page_lead_somewhere(rows: Rows, at: Login) -> None:
    client = at("omar")
    resolver = get_resolver()
    for path in [*PLAIN, *pages_of(rows)]:
        page = client.get(path).content.decode()
        for link in set(re.findall(r'href="(/[^"#?]*)', page)):
            if not link.startswith("/static/"):
                resolver.resolve(link)


def test_an_unknown_address_has_a_page_with_the_way_on(rows: Rows, at: Login) -> None:
    response = at("rui").get("/nowhere/")
    assert response.status_code == 404
    assert "There is nothing here" in response.content.decode()


@pytest.mark.parametrize("who", ["ada", "rui", "omar"])
def test_every_page_speaks_chinese(who: str, rows: Rows, at: Login) -> None:
    client = at(who)
    client.cookies["django_language"] = "zh-hans"
    for path in [*(path for path, role in PLAIN.items() if role == who), *pages_of(rows)]:
        page = client.get(path).content.decode()
        assert '<html lang="zh-hans">' in page, path
        assert "跳到正文" in page, path
