"""The API's lists: each is paged by keyset, and a parameter that is none is refused by its name."""

from typing import Any

import pytest
from django.test import Client

from publisher import clock
from publisher.models import Site
from reviews.models import Policy
from reviews.rules import DEFAULT
from tests.support import jobs, people
from tests.support.page_rows import clashing
from tests.support.requests import As

pytestmark = pytest.mark.django_db
LISTS = ("/jobs", "/approvals", "/conflicts", "/sites", "/policies", "/effects")


@pytest.fixture(autouse=True)
def _rows(everybody: people.People) -> None:
    """Three of each, at least."""
    for name in ("blog", "diary", "magazine"):
        site = jobs.site(name)
        waiting = jobs.waiting(at=site)
        rule = {"rules": DEFAULT.as_json(), "version": 1, "who": "omar", "created_at": clock.now()}
        Policy.objects.create(scope="default", site=site, action="*", **rule)
        jobs.with_intent(waiting)
        clashing(at=site, now=jobs.NOW)


def pages(path: str, limit: int) -> list[list[Any]]:
    found: list[list[Any]] = []
    query: dict[str, Any] = {"limit": limit}
    while True:
        body = As("rui").get(path, **query).json()
        found.append([row["id"] for row in body["items"]])
        if body["next"] is None:
            return found
        query["after"] = body["next"]


@pytest.mark.parametrize("path", LISTS)
def test_a_list_is_read_in_pages_without_a_gap(path: str) -> None:
    (whole,) = pages(path, 200)
    assert len(whole) >= 3
    cut = pages(path, 2)
    assert [each for page in cut for each in page] == whole
    assert [len(page) for page in cut[:-1]] == [2] * (len(cut) - 1)


@pytest.mark.parametrize("path", LISTS)
@pytest.mark.parametrize("limit", ["abc", "-1", "0", "201"])
def test_a_limit_that_is_none_is_refused_by_name(path: str, limit: str) -> None:
    response = As("rui").get(path, limit=limit)
    assert (response.status_code, response.json()["field"]) == (422, "limit")


@pytest.mark.parametrize(
    ("path", "field", "value"),
    [
        ("/jobs", "after", "zzz"),
        ("/jobs", "state", "zz"),
        ("/jobs", "q", "\x00"),
        ("/approvals", "after", "zzz"),
        ("/approvals", "after", "9" * 30),
        ("/approvals", "status", "zz"),
        ("/conflicts", "after", "zzz"),
        ("/conflicts", "after", "9" * 30),
        ("/effects", "after", "-1"),
        ("/policies", "after", "zzz"),
        ("/sites", "after", "a\x00"),
    ],
)
def test_a_parameter_that_is_none_is_refused_by_name(path: str, field: str, value: str) -> None:
    response = As("rui").get(path, **{field: value})
    assert (response.status_code, response.json()["field"]) == (422, field)


def test_events_after_none_are_refused_by_name() -> None:
    response = As("rui").get(f"/jobs/{jobs.waiting().pk}/events", after="-1")
    assert (response.status_code, response.json()["field"]) == (422, "after")


@pytest.mark.parametrize("path", LISTS)
def test_a_parameter_that_nothing_reads_is_refused_with_those_that_are_known(path: str) -> None:
    response = As("rui").get(path, foo="1")
    assert (response.status_code, response.json()["field"]) == (422, "foo")
    assert "known: " in response.json()["detail"]
    assert "limit" in response.json()["detail"]


@pytest.mark.parametrize("path", LISTS)
def test_a_parameter_that_stands_twice_is_refused_by_name(path: str) -> None:
    response = As("rui").get(path, limit=["1", "2"])
    assert (response.status_code, response.json()["field"]) == (422, "limit")
    assert response.json()["detail"] == "limit stands 2 times. Give it once."


def test_other_calls_read_no_stray_parameter_either() -> None:
    response = As("ada").post(f"/jobs/{jobs.waiting().pk}/cancel?reason=late", {})
    assert (response.status_code, response.json()["field"]) == (422, "reason")
    assert "takes none" in response.json()["detail"]


def test_who_is_not_known_is_told_so_before_anything_else(client: Client) -> None:
    assert client.get("/api/v1/jobs?foo=1").status_code == 401


def test_an_unknown_kind_is_refused_with_the_known_ones() -> None:
    response = As("rui").get("/jobs", kind="zzz")
    assert (response.status_code, response.json()["field"]) == (422, "kind")
    assert "blog.publish/v1" in response.json()["detail"]
    assert As("rui").get("/jobs", kind="blog.publish/v1").json()["items"]


def test_an_unknown_site_is_answered_as_one_out_of_reach() -> None:
    jobs.waiting(at=jobs.site("secret", scope="elsewhere"))
    answers = [As("rui").get("/jobs", site=name) for name in ("zzz", "secret")]
    assert [answer.status_code for answer in answers] == [404, 404]
    told = [answer.json()["detail"].replace("secret", "zzz") for answer in answers]
    assert told == ["There is no site zzz that you may see."] * 2
    assert answers[0].json()["field"] == "site"


def test_jobs_of_a_removed_site_are_still_found_by_its_name() -> None:
    Site.objects.filter(name="diary").update(removed_at=clock.now())
    assert As("rui").get("/jobs", site="diary").json()["items"]
