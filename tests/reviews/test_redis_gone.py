"""With Redis gone the cache holds nothing, and nobody is turned away for it."""

import pytest
from django.conf import settings
from django.core.cache import cache
from django.test import Client, override_settings

from publisher.models import Job
from tests.support import people
from tests.support.requests import As

pytestmark = pytest.mark.django_db
GONE = {
    **settings.CACHES,
    "default": {
        "BACKEND": "publisher.caches.PatientRedisCache",
        "LOCATION": "redis://127.0.0.1:1/0",
    },
}


def test_the_api_answers_programs(job: Job) -> None:
    with override_settings(CACHES=GONE):
        answer = As("ada").get(f"/jobs/{job.pk}")
    assert (answer.status_code, answer.json()["id"]) == (200, job.pk)


def test_a_wrong_token_is_refused_each_time(everybody: people.People) -> None:
    with override_settings(CACHES=GONE):
        asked = [
            Client().get("/api/v1/jobs", headers={"Authorization": "Bearer imp_wrong"})
            for _ in range(2)
        ]
    assert [answer.status_code for answer in asked] == [401, 401]


def test_a_review_page_is_rendered(job: Job) -> None:
    approval, reviewer = job.approvals.get(), people.caller("rui").principal.user
    assert reviewer is not None
    with override_settings(CACHES=GONE):
        client = Client()
        client.force_login(reviewer)
        page = client.get(f"/approvals/{approval.pk}/")
    assert page.status_code == 200
    assert "The tide turns twice a day." in page.content.decode()


def test_what_cannot_be_kept_is_missing() -> None:
    with override_settings(CACHES=GONE):
        cache.set("a", 1)
        assert cache.get("a", "nothing") == "nothing"
        assert cache.add("a", 1) is False
        with pytest.raises(ValueError, match="does not answer"):
            cache.incr("a")
