"""Bodies of the API: one that says nothing, or one thing twice, is refused by name."""

from typing import Any

import pytest
from django.test import Client

from publisher.models import Job
from tests.support import jobs, people
from tests.support.requests import As

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _people_and_site(everybody: people.People) -> None:
    jobs.site()


def posted(body: bytes, path: str = "/jobs") -> Any:
    headers = {**As("ada").headers, "Idempotency-Key": "k1"}
    return Client().post(f"/api/v1{path}", body, content_type="application/json", headers=headers)


@pytest.mark.parametrize(
    ("body", "field"),
    [
        (b'{"site": "blog", "source": "one", "source": "two"}', "source"),
        (b'{"site": "blog", "sources": [{"id": "a", "text": "x", "text": "y"}]}', "sources"),
        (b'{"site": "blog", "content": "x", "set_front_matter": {"a": 1, "a": 2}}',
         "set_front_matter"),
    ],
)  # fmt: skip
def test_a_key_that_stands_twice_is_named(body: bytes, field: str) -> None:
    response = posted(body)
    assert (response.status_code, response.json()["code"]) == (422, "invalid")
    assert response.json()["field"] == field
    assert "twice" in response.json()["detail"]
    assert not Job.objects.exists()


@pytest.mark.parametrize("path", ["/jobs", "/jobs/validate", "/topics/s/open"])
def test_no_body_at_all_is_told_as_that(path: str) -> None:
    response = posted(b"", path)
    assert response.status_code == 422
    assert response.json()["field"] == "body"
    assert "JSON object" in response.json()["detail"]


@pytest.mark.parametrize("moment", [b"17", b"17.5", b"true", b'"17"', b'"2026-05-03T18:00"'])
def test_a_time_is_a_text_with_its_zone(moment: bytes) -> None:
    response = posted(b'{"site": "blog", "source": "x", "not_before": %s}' % moment)
    assert (response.status_code, response.json()["field"]) == (422, "not_before")
    assert not Job.objects.exists()


@pytest.mark.parametrize(
    ("field", "length", "limit"),
    [("topic", 3000, 300), ("title", 301, 200), ("summary", 20_001, 2000), ("site", 3000, 2000)],
)
def test_a_text_that_is_too_long_is_told_its_limit_in_characters(
    field: str, length: int, limit: int
) -> None:
    body = {"site": "blog", "content": "x", "target_path": "content/a.md", field: "x" * length}
    answer = As("ada").post("/jobs/validate", body).json()
    assert answer["field"] == field
    assert f"{limit} characters" in answer["detail"]
    assert "horten it" in answer["detail"]
    assert "items" not in answer["detail"]


@pytest.mark.parametrize("number", [b"12345678901234567890", b"-9007199254740992", b"1e999"])
def test_a_number_that_cannot_be_kept_is_named_by_its_key_with_a_way_out(number: bytes) -> None:
    change = b'{"site": "blog", "target_path": "content/a.md", "action": "update", '
    kept = b'"set_front_matter": {"weight": 1, "number": ["x", %s]}}' % number
    answer = posted(change + kept).json()
    assert answer["field"] == "set_front_matter"
    assert "“number”" in answer["detail"]
    assert "in quotes" in answer["detail"]
    assert "canonical" not in answer["detail"]


def test_half_a_surrogate_in_front_matter_is_told_as_that() -> None:
    change = b'{"site": "blog", "target_path": "content/a.md", "action": "update", '
    answer = posted(change + b'"set_front_matter": {"a": "\\ud800"}}').json()
    assert answer["field"] == "set_front_matter"
    assert "not valid Unicode" in answer["detail"]


@pytest.mark.parametrize("body", [b"[1]", b'"text"', b"5", b"null", b"true"])
def test_a_body_that_is_no_object_is_named(body: bytes) -> None:
    response = posted(body)
    assert (response.status_code, response.json()["field"]) == (422, "body")
    assert "JSON object" in response.json()["detail"]


@pytest.mark.parametrize(
    ("body", "where"),
    [
        (b'{\n "site": x}', "line 2, column 10"),
        (b"{", "line 1, column 2"),
        (b'{"a": "\xff"}', "UTF-8"),
    ],
)
def test_a_body_that_is_no_json_is_told_where_it_breaks(body: bytes, where: str) -> None:
    response = posted(body)
    assert (response.status_code, response.json()["code"]) == (400, "bad_request")
    assert where in response.json()["detail"]
