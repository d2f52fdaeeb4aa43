"""The API's refusals: problem documents everywhere, and credentials that hold what they promise."""

import errno
from datetime import timedelta
from unittest import mock

import pytest
from django.db import OperationalError
from django.test import Client

from publisher import clock
from publisher.models import Job
from reviews.models import Principal, Token
from tests.support import jobs, people
from tests.support.requests import As

pytestmark = pytest.mark.django_db
PROBLEM = "application/problem+json"
KEYS = {"type", "title", "status", "code", "detail"}


@pytest.fixture(autouse=True)
def _people(everybody: people.People) -> None: ...


def session(name: str, *, checks_csrf: bool = False) -> Client:
    client = Client(enforce_csrf_checks=checks_csrf)
    user = Principal.objects.get(name=name).user
    assert user is not None
    client.force_login(user)
    return client


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("get", "/api/v1/nothing", 404, "not_found"),
        ("get", "/api/v9/jobs", 404, "not_found"),
        ("delete", "/api/v1/jobs", 405, "method_not_allowed"),
        ("get", "/api/v1/approvals/word", 404, "not_found"),
        ("get", "/api/v1/approvals/99999999999999999999999", 404, "not_found"),
        ("get", "/api/v1/jobs?q=%00", 422, "invalid"),
        ("get", "/api/v1/jobs/%00", 404, "not_found"),
    ],
)
def test_every_refusal_is_a_problem(method: str, path: str, status: int, code: str) -> None:
    response = getattr(Client(), method)(path, headers=As("rui").headers)
    assert (response.status_code, response.json()["code"]) == (status, code)
    assert response.headers["Content-Type"] == PROBLEM
    assert set(response.json()) >= KEYS


def test_broken_json_is_400() -> None:
    response = Client().post(
        "/api/v1/jobs", "{", content_type="application/json", headers=As("ada").headers
    )
    assert (response.status_code, response.json()["code"]) == (400, "bad_request")


def test_a_body_over_16_mib_is_413_before_it_is_read() -> None:
    length = str(16 * 1024 * 1024 + 1)
    response = Client().generic("POST", "/api/v1/jobs", b"", CONTENT_LENGTH=length)
    assert (response.status_code, response.json()["code"]) == (413, "too_large")


def test_a_busy_database_is_503_with_a_time_to_come_back() -> None:
    with mock.patch("reviews.api.jobs.work.submit", side_effect=OperationalError("locked")):
        response = As("ada").post(
            "/jobs", {"site": "blog", "source": "x"}, **{"Idempotency-Key": "k"}
        )
    assert (response.status_code, response.json()["code"]) == (503, "busy")
    assert int(response.headers["Retry-After"]) > 0


@pytest.mark.parametrize(
    ("trouble", "status", "code"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), 507, "disk_full"),
        (OperationalError("database or disk is full"), 507, "disk_full"),
        (OSError(errno.EIO, "Input/output error"), 500, "error"),
    ],
)
def test_a_full_disk_is_507_and_no_fault_of_the_caller(
    trouble: Exception, status: int, code: str
) -> None:
    asking = As("ada")
    asking.client.raise_request_exception = False
    with mock.patch("reviews.api.jobs.work.submit", side_effect=trouble):
        response = asking.post("/jobs", {"site": "blog", "source": "x"}, **{"Idempotency-Key": "k"})
    assert (response.status_code, response.json()["code"]) == (status, code)


def test_unknown_fields_of_a_decision_are_refused() -> None:
    job = jobs.waiting(now=clock.now())
    approval = jobs.request_of(job)
    body = {
        "decision": "approve",
        "reviewed_hash": approval.binding_hash,
        "request_id": "r",
        "actor": "rui",
    }
    response = As("rui").post(f"/approvals/{approval.pk}/decision", body)
    assert (response.status_code, response.json()["field"]) == (422, "actor")


def test_without_credentials_it_is_401_and_says_how() -> None:
    response = Client().get("/api/v1/jobs")
    assert response.status_code == 401
    assert response.headers["WWW-Authenticate"].startswith("Bearer")


def test_a_wrong_token_is_401_even_beside_a_good_session() -> None:
    response = session("rui").get("/api/v1/jobs", headers={"Authorization": "Bearer imp_no"})
    assert response.status_code == 401


def test_wrong_tokens_are_counted_by_address() -> None:
    client = Client(headers={"Authorization": "Bearer imp_no"})
    statuses = [client.get("/api/v1/jobs").status_code for _ in range(21)]
    assert statuses == [401] * 20 + [429]


@pytest.mark.parametrize("column", ["revoked_at", "expires_at"])
def test_an_ended_token_is_401(column: str) -> None:
    program = As("rui", "read")
    assert program.get("/jobs").status_code == 200
    Token.objects.update(**{column: clock.now()})
    assert program.get("/jobs").status_code == 401


def test_a_token_of_a_disabled_person_is_401() -> None:
    program = As("rui", "read")
    Principal.objects.filter(name="rui").update(disabled_at=clock.now())
    assert program.get("/jobs").status_code == 401


def test_a_token_in_a_cookie_is_nothing() -> None:
    client = Client()
    client.cookies["Authorization"] = As("rui").headers["Authorization"]
    client.cookies["token"] = As("rui").headers["Authorization"].partition(" ")[2]
    assert client.get("/api/v1/jobs").status_code == 401


def test_the_last_use_is_written_at_most_once_a_minute() -> None:
    program = As("rui", "read")
    program.get("/jobs")
    first = Token.objects.get().last_used_at
    program.get("/jobs")
    assert Token.objects.get().last_used_at == first
    assert first is not None
    Token.objects.update(last_used_at=first - timedelta(minutes=2))
    program.get("/jobs")
    again = Token.objects.get().last_used_at
    assert again is not None
    assert again > first - timedelta(minutes=1)


def test_a_session_reads_without_and_writes_only_with_a_csrf_token() -> None:
    job = jobs.waiting(now=clock.now())
    client = session("ada", checks_csrf=True)
    assert client.get(f"/api/v1/jobs/{job.pk}").status_code == 200
    refused = client.post(f"/api/v1/jobs/{job.pk}/cancel", content_type="application/json")
    assert refused.status_code == 403
    assert Job.objects.get(pk=job.pk).state == "WAITING_APPROVAL"
    client.cookies["csrftoken"] = "a" * 32
    done = client.post(
        f"/api/v1/jobs/{job.pk}/cancel",
        content_type="application/json",
        headers={"X-CSRFToken": "a" * 32},
    )
    assert done.status_code == 200


def test_the_schema_is_openapi_3_1_and_names_every_call() -> None:
    schema = Client().get("/api/v1/openapi.json").json()
    assert schema["openapi"].startswith("3.1")
    assert "/api/v1/approvals/{approval_id}/decision" in schema["paths"]


def test_the_docs_need_nothing_from_elsewhere() -> None:
    page = Client().get("/api/v1/docs").content.decode()
    assert "POST /api/v1/approvals/{approval_id}/decision" in page
    assert "<script" not in page
    assert "http://" not in page
    assert "https://" not in page
    assert "style=" not in page
