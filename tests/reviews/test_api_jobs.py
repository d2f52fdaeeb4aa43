"""The API's jobs: what is taken, what is refused by name, and what is not there for others."""

import base64
from typing import Any

import pytest

from publisher import clock
from publisher.domain.retries import DEFAULT_LIMITS as LIMITS
from publisher.models import Job, Outbox
from tests.support import jobs, people
from tests.support.requests import As

pytestmark = pytest.mark.django_db
KEY = {"Idempotency-Key": "k1"}
PROBLEM = "application/problem+json"


@pytest.fixture(autouse=True)
def _people_and_site(everybody: people.People) -> None:
    jobs.site()


def draft(**changes: Any) -> dict[str, Any]:
    ready = {"site": "blog", "content": "# Hi\n", "target_path": "content/hi.md"}
    return {**ready, "action": "create", **changes}


def test_a_source_becomes_a_job() -> None:
    response = As("ada").post("/jobs", {"site": "blog", "source": "The tide turns."}, **KEY)
    assert response.status_code == 201
    job = Job.objects.get(pk=response.json()["job_id"])
    assert (job.state, job.requester) == ("RECEIVED", "ada")


def test_the_same_key_and_request_give_the_same_job() -> None:
    first = As("ada").post("/jobs", draft(), **KEY)
    again = As("ada").post("/jobs", draft(), **KEY)
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json()["job_id"] == again.json()["job_id"]
    assert again.json()["created"] is False


def test_a_key_in_any_script_is_the_same_at_every_door() -> None:
    key = "发布-7".encode()
    first = As("ada").post("/jobs", draft(), **{"Idempotency-Key": key.decode("latin-1")})
    assert first.status_code == 201
    assert Job.objects.get().idempotency_key == "发布-7"
    strange = As("ada").post("/jobs", draft(), **{"Idempotency-Key": "\xe9-7"})
    assert strange.status_code == 422
    assert "Idempotency-Key" in strange.content.decode()


def test_the_same_key_with_another_request_is_refused() -> None:
    As("ada").post("/jobs", draft(), **KEY)
    other = As("ada").post("/jobs", draft(content="# Other\n"), **KEY)
    assert (other.status_code, other.json()["code"]) == (409, "key_reused")


def test_without_a_key_nothing_is_submitted() -> None:
    response = As("ada").post("/jobs", draft())
    assert (response.status_code, response.json()["code"]) == (400, "key_required")
    assert not Job.objects.exists()


@pytest.mark.parametrize(
    ("body", "field"),
    [
        (draft(target_path="../etc/passwd"), "target_path"),
        (draft(target_path="content/.git/config.md"), "target_path"),
        (draft(kind="nothing/v9"), "kind"),
        (draft(unknown=1), "unknown"),
        (draft(title="x" * 5000), "title"),
        (draft(topic="a\x00b"), "topic"),
        (draft(not_before="2026-01-01T00:00:00"), "not_before"),
        (draft(not_before="0001-01-01T00:00:00+14:00"), "not_before"),
        (draft(not_before="9999-12-31T23:59:59-12:00"), "not_before"),
        (draft(not_before="9999-12-31T23:59:59+00:00"), "not_before"),
        (draft(not_before="2026-06-30T23:59:60Z"), "not_before"),
        (draft(not_before="10000-01-01T00:00:00Z"), "not_before"),
        (draft(title="half \ud800"), "title"),
        (draft(content="a\x00b"), "content"),
        (draft(memory_scope="x" * 101), "memory_scope"),
        (draft(content=None, set_front_matter={"a": "\x00"}), "set_front_matter"),
        (draft(content=None, action=None, set_front_matter={}), "set_front_matter"),
        (draft(content=None, action=None, set_front_matter={"a": None}), "set_front_matter"),
        (
            draft(content=None, action="update", set_front_matter={"a": {"b": 1}}),
            "set_front_matter",
        ),
        ({"site": "blog", "source": "a\x00b"}, "source"),
        ({"site": "blog", "sources": [{"id": "s", "text": "a\x00b"}]}, "source"),
        (draft(content=None), "content"),
        (draft(assets=[{"path": "public/a.png", "base64": "%%%"}]), "assets"),
        ({"site": "blog", "source": "  "}, "source"),
        ({"site": "blog", "source": "half \ud800"}, "source"),
        ({"site": "blog", "sources": [{"id": "s", "text": "half \ud800"}]}, "text"),
        (draft(content="half \ud800"), "content"),
    ],
)
def test_what_no_job_may_hold_is_refused_by_the_fields_name(body: Any, field: str) -> None:
    response = As("ada").post("/jobs", body, **KEY)
    assert response.status_code == 422
    assert response.headers["Content-Type"].startswith(PROBLEM)
    assert field in response.json()["field"]
    assert not Job.objects.exists()


def test_assets_come_in_base64() -> None:
    asset = {"path": "public/a.png", "base64": base64.b64encode(b"\x89PNG").decode()}
    response = As("ada").post("/jobs", draft(assets=[asset]), **KEY)
    assert response.status_code == 201


def test_a_text_over_its_limit_is_413() -> None:
    response = As("ada").post("/jobs", draft(content="x" * (LIMITS.text_bytes + 1)), **KEY)
    assert (response.status_code, response.json()["code"]) == (413, "too_large")


def test_validate_says_the_same_and_stores_nothing() -> None:
    assert As("ada").post("/jobs/validate", draft()).json() == {"valid": True}
    assert As("ada").post("/jobs/validate", draft(target_path="/x")).status_code == 422
    assert not Job.objects.exists()


def test_a_site_of_another_scope_is_not_there() -> None:
    jobs.site("theirs", scope="elsewhere")
    response = As("ada").post("/jobs", draft(site="theirs"), **KEY)
    assert (response.status_code, response.json()["code"]) == (404, "not_found")


@pytest.mark.parametrize(("name", "status"), [("rui", 403), ("zoe", 404), ("omar", 201)])
def test_only_who_may_submits(name: str, status: int) -> None:
    assert As(name).post("/jobs", draft(), **KEY).status_code == status


def test_a_token_narrows_what_the_roles_give() -> None:
    response = As("ada", "read").post("/jobs", draft(), **KEY)
    assert (response.status_code, response.json()["code"]) == (403, "not_allowed")


def test_a_job_is_read_with_its_approval() -> None:
    job = jobs.waiting(now=clock.now())
    body = As("rui").get(f"/jobs/{job.pk}").json()
    assert (body["state"], body["revision"], body["job_id"]) == ("WAITING_APPROVAL", 1, job.pk)
    asked = As("rui").get(f"/jobs/{job.pk}/approval").json()
    assert asked["approval_id"] == body["approval_id"]
    assert asked["binding_hash"] == job.binding_hash
    assert asked["envelope"]["job_id"] == job.pk
    assert [part["id"] for part in asked["parts"]] == [job.target_path]


def test_waiting_for_a_job_that_needs_a_person_answers_at_once() -> None:
    job = jobs.waiting(now=clock.now())
    assert As("rui").get(f"/jobs/{job.pk}", wait=30).json()["state"] == "WAITING_APPROVAL"


@pytest.mark.parametrize("path", ["", "/events", "/approval", "/artifacts/" + "0" * 64])
def test_a_job_of_another_scope_is_not_there(path: str) -> None:
    theirs = jobs.waiting(at=jobs.site("theirs", scope="elsewhere"), now=clock.now())
    response = As("rui").get(f"/jobs/{theirs.pk}{path}")
    assert (response.status_code, response.json()["code"]) == (404, "not_found")


@pytest.mark.parametrize(
    "act", ["cancel", "retry", "skip", "override", "ask-again", "publish-anyway", "revisions"]
)
def test_acts_on_a_job_of_another_scope_are_not_found(act: str) -> None:
    theirs = jobs.waiting(at=jobs.site("theirs", scope="elsewhere"), now=clock.now())
    bodies: dict[str, Any] = {
        "skip": {"reason": "x"},
        "override": {"reason": "x", "finding": 1},
        "revisions": {"source": "x"},
    }
    assert As("omar").post(f"/jobs/{theirs.pk}/{act}", bodies.get(act)).status_code == 404


def test_jobs_are_paged_by_key() -> None:
    made = [jobs.received().pk for _ in range(3)]
    first = As("rui").get("/jobs", limit=2).json()
    assert [item["id"] for item in first["items"]] == sorted(made, reverse=True)[:2]
    rest = As("rui").get("/jobs", limit=2, after=first["next"]).json()
    assert [item["id"] for item in rest["items"]] == [min(made)]
    assert rest["next"] is None


def test_a_limit_out_of_bounds_is_refused() -> None:
    assert As("rui").get("/jobs", limit=100000).status_code == 422


def test_events_come_in_order_with_their_chain() -> None:
    job = jobs.waiting(now=clock.now())
    page = As("rui").get(f"/jobs/{job.pk}/events", limit=2).json()
    assert [item["event"] for item in page["items"]] == ["submit", "prepare"]
    assert page["items"][1]["previous_hash"] == page["items"][0]["hash"]
    rest = As("rui").get(f"/jobs/{job.pk}/events", after=page["next"]).json()
    assert [item["event"] for item in rest["items"]] == ["ask"]


def test_bytes_of_the_job_are_downloaded_as_an_attachment() -> None:
    job = jobs.waiting(now=clock.now())
    name = job.revisions.get(number=1).content
    response = As("rui").get(f"/jobs/{job.pk}/artifacts/{name}")
    assert response.content.decode() == jobs.TEXT
    assert response.headers["Content-Disposition"].startswith("attachment")
    assert response.headers["X-Content-Type-Options"] == "nosniff"


def test_bytes_of_another_job_are_not_found_by_their_hash() -> None:
    mine = jobs.waiting(now=clock.now())
    other = jobs.waiting(text="# A secret plan\n", now=clock.now())
    name = other.revisions.get(number=1).content
    assert As("rui").get(f"/jobs/{mine.pk}/artifacts/{name}").status_code == 404
    assert As("rui").get(f"/jobs/{other.pk}/artifacts/{name}").status_code == 200


def test_an_edit_makes_a_new_revision_and_voids_the_request() -> None:
    job = jobs.waiting(now=clock.now())
    files = [{"path": job.target_path, "content": "# Changed\n"}]
    response = As("ada").put(f"/jobs/{job.pk}/draft", {"files": files, "base_revision": 1})
    assert (response.status_code, response.json()["revision"]) == (200, 2)
    assert jobs.request_of(job).status == "superseded"


def test_an_edit_of_nothing_keeps_revision_hash_and_request() -> None:
    job = jobs.waiting(now=clock.now())
    files = [{"path": job.target_path, "content": jobs.TEXT}]
    body = As("ada").put(f"/jobs/{job.pk}/draft", {"files": files, "base_revision": 1}).json()
    assert (body["revision"], body["changed"]) == (1, False)
    assert body["binding_hash"] == job.binding_hash
    assert jobs.request_of(job).status == "pending"
    assert job.events.filter(event="no_change").count() == 1


def test_an_edit_from_an_older_revision_is_stale() -> None:
    job = jobs.waiting(now=clock.now())
    files = [{"path": job.target_path, "content": "# Changed\n"}]
    response = As("ada").put(f"/jobs/{job.pk}/draft", {"files": files, "base_revision": 7})
    assert (response.status_code, response.json()["code"]) == (409, "stale")


def test_an_edit_that_names_a_file_twice_is_refused_by_its_field() -> None:
    job = jobs.waiting(now=clock.now())
    files = [{"path": job.target_path, "content": text} for text in ("# One\n", "# Two\n")]
    response = As("ada").put(f"/jobs/{job.pk}/draft", {"files": files, "base_revision": 1})
    assert (response.status_code, response.json()["field"]) == (422, "files")
    assert job.revisions.count() == 1


def test_new_inputs_of_one_id_are_refused_by_their_field() -> None:
    job = jobs.waiting(now=clock.now())
    sources = [{"id": "s", "text": text} for text in ("One.", "Two.")]
    response = As("ada").post(f"/jobs/{job.pk}/revisions", {"sources": sources})
    assert (response.status_code, response.json()["field"]) == (422, "sources")


def test_an_edit_that_is_no_unicode_is_refused_by_its_field() -> None:
    job = jobs.waiting(now=clock.now())
    files = [{"path": job.target_path, "content": "half \ud800"}]
    response = As("ada").put(f"/jobs/{job.pk}/draft", {"files": files, "base_revision": 1})
    assert (response.status_code, response.json()["field"]) == (422, "files.0.content")


def test_the_requester_cancels_and_a_stranger_does_not() -> None:
    job = jobs.waiting(now=clock.now())
    people.add("max", "submitter")
    assert As("max").post(f"/jobs/{job.pk}/cancel").status_code == 403
    assert (
        As("ada").post(f"/jobs/{job.pk}/cancel", {"reason": "old"}).json()["state"] == "CANCELLED"
    )


def test_a_cancel_after_the_fence_is_too_late() -> None:
    job = jobs.waiting(now=clock.now())
    jobs.with_intent(job)
    response = As("ada").post(f"/jobs/{job.pk}/cancel")
    assert (response.status_code, response.json()["code"]) == (409, "too_late")


def test_a_skip_needs_a_reason() -> None:
    job = jobs.in_review(now=clock.now())
    assert As("omar").post(f"/jobs/{job.pk}/skip", {"reason": " "}).status_code == 422
    assert As("omar").post(f"/jobs/{job.pk}/skip", {"reason": "old"}).json()["state"] == "SKIPPED"


def test_an_overruled_finding_lets_the_job_go_on() -> None:
    job = jobs.in_review(now=clock.now())
    finding = job.steps.get(name="mdx").findings.get()
    body = {"finding": finding.pk, "reason": "It is meant so."}
    assert As("rui").post(f"/jobs/{job.pk}/override", body).status_code == 403
    assert As("omar").post(f"/jobs/{job.pk}/override", body).json()["state"] == "RECEIVED"


def test_a_skipped_job_is_appealed_as_a_new_one() -> None:
    job = jobs.skipped(now=clock.now())
    body = As("omar").post(f"/jobs/{job.pk}/publish-anyway")
    assert body.status_code == 201
    assert Job.objects.get(pk=body.json()["job_id"]).appeals_id == job.pk
    again = As("omar").post(f"/jobs/{job.pk}/publish-anyway")
    assert (again.status_code, again.json()["job_id"]) == (200, body.json()["job_id"])
    assert (body.json()["created"], again.json()["created"]) == (True, False)


def test_an_act_in_the_wrong_state_says_so() -> None:
    job = jobs.waiting(now=clock.now())
    response = As("omar").post(f"/jobs/{job.pk}/retry")
    assert (response.status_code, response.json()["code"]) == (409, "wrong_state")


def test_a_site_check_is_queued_for_a_worker() -> None:
    assert As("rui").post("/sites/blog/check").status_code == 403
    response = As("omar").post("/sites/blog/check")
    assert (response.status_code, response.json()["status"]) == (202, "queued")
    assert Outbox.objects.filter(kind="site_check").exists()


def test_sites_show_no_credentials() -> None:
    place = jobs.site()
    place.remote = "https://user:secret-word@git.example.org/x.git"
    place.save()
    response = As("rui").get("/sites")
    assert b"secret-word" not in response.content
    assert response.json()["items"][0]["remote"] == "https://git.example.org/x.git"


def test_policies_and_effects_are_listed() -> None:
    job = jobs.waiting(now=clock.now())
    jobs.with_intent(job)
    assert As("rui").get("/policies").json()["items"][0]["rules"]["approvals"] == 1
    assert As("rui").get("/effects").json()["items"][0]["job_id"] == job.pk


def test_approvals_are_listed_by_status() -> None:
    job = jobs.waiting(now=clock.now())
    assert [one["job_id"] for one in As("rui").get("/approvals", status="pending").json()["items"]]
    assert As("rui").get("/approvals", status="done").json() == {"items": [], "next": None}
    one = As("rui").get(f"/approvals/{jobs.request_of(job).pk}").json()
    assert one["quorum"] == {"needed": 1, "approvers": [], "missing_groups": []}
