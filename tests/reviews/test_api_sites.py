"""The API's sites and policies: a role for one site shows nothing of the others of its scope."""

from typing import Any

import pytest

from publisher import clock
from publisher.models import Site
from reviews.models import Membership, Policy, Principal
from reviews.rules import DEFAULT
from tests.support import jobs, people
from tests.support.requests import As

KEY = {"Idempotency-Key": "k1"}
pytestmark = pytest.mark.django_db


@pytest.fixture
def diary(everybody: people.People) -> Site:
    """A site beside the blog, of the same scope; Zoe may review the blog and nothing else."""
    role = {"scope": "default", "site": jobs.site(), "role": "reviewer"}
    Membership.objects.create(principal=everybody.zoe, **role)
    return jobs.site("diary")


def refusal(response: Any) -> tuple[int, str]:
    return response.status_code, response.json().get("code", "")


def test_the_site_of_ones_role_is_read(diary: Site) -> None:
    assert As("zoe").get("/sites/blog").json()["name"] == "blog"


def test_another_site_of_the_same_scope_is_not_found(diary: Site) -> None:
    assert refusal(As("zoe").get("/sites/diary")) == (404, "not_found")
    assert As("rui").get("/sites/diary").json()["name"] == "diary"


def test_a_check_of_another_site_is_not_found(diary: Site) -> None:
    assert refusal(As("zoe").post("/sites/diary/check")) == (404, "not_found")


def test_a_token_that_may_not_read_reads_no_site(diary: Site) -> None:
    assert refusal(As("zoe", "decide").get("/sites/blog")) == (403, "not_allowed")


def test_the_policies_of_another_site_are_not_listed(diary: Site) -> None:
    rule = {"rules": DEFAULT.as_json(), "version": 1, "who": "omar", "created_at": clock.now()}
    Policy.objects.create(scope="default", site=diary, action="*", **rule)
    assert [row["site"] for row in As("zoe").get("/policies").json()["items"]] == [None]
    assert len(As("rui").get("/policies").json()["items"]) == 2


def test_to_who_has_no_role_there_another_site_is_as_one_that_is_not(diary: Site) -> None:
    people_of_one_site = {"scope": "default", "site": jobs.site(), "role": "submitter"}
    Membership.objects.create(principal=Principal.objects.get(name="zoe"), **people_of_one_site)
    draft = {"content": "# Hi\n", "target_path": "content/hi.md", "action": "create"}
    answers = [
        refusal(As("zoe").post(call, {"site": name, **more}, **KEY))
        for name in ("diary", "nosuch")
        for call, more in (("/jobs/validate", {"source": "Text."}), ("/topics/s1/open", {}))
    ]
    assert answers == [(404, "not_found")] * 4
    assert refusal(As("zoe").post("/jobs", {"site": "diary", **draft}, **KEY))[0] == 404
    assert As("zoe", "submit").post("/jobs", {"site": "blog", **draft}, **KEY).status_code == 201
