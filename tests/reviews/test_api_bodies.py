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
