"""Health: names of failing probes and nothing else, for anybody; numbers for who may read."""

import shutil
from collections import namedtuple
from datetime import timedelta

import pytest
from django.contrib.auth import get_user_model
from django.db import DatabaseError, OperationalError
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client

from publisher import clock, nodes, selectors
from publisher.models import Node, Site
from reviews.api import auth, health
from reviews.services import tokens
from reviews.views import health as page
from tests.support import jobs, people
from tests.support.people import token

pytestmark = pytest.mark.django_db


def beat(*, age: timedelta = timedelta(0), role: str = "worker") -> None:
    Node.objects.create(installation="i", name="one", role=role, heartbeat_at=clock.now() - age)


def test_the_process_answers_without_a_database(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (health, page):
        monkeypatch.setattr(module, "failing_probes", None)
    assert Client().get("/healthz").json() == {"status": "ok"}


def test_with_a_living_worker_it_is_ready() -> None:
    beat()
    response = Client().get("/readyz")
    assert (response.status_code, response.json()) == (200, {"status": "ok", "failing": []})


@pytest.mark.parametrize(("age", "role"), [(61, "worker"), (0, "web"), (-3600, "worker")])
def test_without_a_living_worker_it_is_not(age: int, role: str) -> None:
    beat(age=timedelta(seconds=age), role=role)
    response = Client().get("/readyz")
    assert (response.status_code, response.json()["failing"]) == (503, ["worker"])


def test_a_clock_that_is_a_moment_ahead_makes_no_worker_silent() -> None:
    beat(age=timedelta(seconds=-3))
    assert Client().get("/readyz").status_code == 200


def test_work_that_waits_takes_no_server_out_of_service_and_stands_on_the_page(
    everybody: people.People,
) -> None:
    beat()
    jobs.received(now=clock.now() - timedelta(seconds=90))
    assert Client().get("/readyz").json() == {"status": "ok", "failing": []}
    client = Client()
    client.force_login(get_user_model().objects.get(username="rui"))
    assert "Work has been due for more than a minute" in client.get("/health/").content.decode()


def test_a_job_whose_site_has_no_clone_yet_is_no_work_that_waits_for_workers() -> None:
    job = jobs.received(now=clock.now() - timedelta(seconds=90))
    assert selectors.oldest_due(clock.now()) == job.available_at
    Site.objects.update(clone_state="pending")
    assert selectors.oldest_due(clock.now()) is None


def test_a_sign_of_life_from_a_clock_that_was_ahead_has_an_age(everybody: people.People) -> None:
    beat(age=timedelta(hours=-1))
    rui = Client(headers={"Authorization": f"Bearer {token('rui', 'read')}"})
    (line,) = [
        line
        for line in rui.get("/metrics").content.decode().splitlines()
        if line.startswith("imprimatur_heartbeat_age_seconds{")
    ]
    assert float(line.rpartition(" ")[2]) > 3500


def test_a_full_disk_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    beat()
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage(1, 1, 1024))
    assert Client().get("/readyz").json()["failing"] == ["disk"]


def test_a_database_that_does_not_answer_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def gone() -> None:
        raise DatabaseError("gone")

    monkeypatch.setattr(clock, "now", gone)
    assert health.failing_probes() == ["database"]


def test_missing_migrations_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    beat()
    monkeypatch.setattr(health, "_migrated", lambda: False)
    assert Client().get("/readyz").json()["failing"] == ["migrations"]


def test_a_database_of_a_later_release_is_named() -> None:
    beat()
    MigrationRecorder.Migration.objects.create(app="publisher", name="0999_from_later")
    assert Client().get("/readyz").json()["failing"] == ["migrations"]


def test_the_page_advises_no_migration_where_the_database_is_the_newer_one(
    everybody: people.People,
) -> None:
    beat()
    MigrationRecorder.Migration.objects.create(app="publisher", name="0999_from_later")
    client = Client()
    client.force_login(get_user_model().objects.get(username="rui"))
    said = client.get("/health/").content.decode()
    assert "start again what still runs" in said
    assert "run migrate" not in said


def test_numbers_are_for_who_may_read(everybody: people.People) -> None:
    assert Client().get("/metrics").status_code == 401
    zoe = Client(headers={"Authorization": f"Bearer {token('zoe', 'read')}"})
    assert zoe.get("/metrics").status_code == 403
    beat()
    jobs.received()
    rui = Client(headers={"Authorization": f"Bearer {token('rui', 'read')}"})
    text = rui.get("/metrics").content.decode()
    assert 'imprimatur_jobs{state="RECEIVED"} 1' in text
    assert "imprimatur_open_effects 0" in text
    assert 'imprimatur_heartbeat_age_seconds{node="one",role="worker"}' in text
    assert "imprimatur_queue_age_seconds" in text


def test_too_many_wrong_tokens_are_answered_as_everywhere_else() -> None:
    stranger = Client(headers={"Authorization": "Bearer imp_wrong"})
    answers = [stranger.get("/metrics") for _ in range(auth.MOST_BAD_TOKENS + 1)]
    assert {answer.status_code for answer in answers[:-1]} == {401}
    assert answers[-1].status_code == 429
    assert answers[-1].json()["code"] == "too_many_requests"
    assert answers[-1].json() == stranger.get("/api/v1/jobs").json()


def test_wrong_tokens_of_one_program_shut_no_other_out(everybody: people.People) -> None:
    stranger = Client(headers={"Authorization": "Bearer imp_wrong"})
    for _ in range(auth.MOST_BAD_TOKENS + 1):
        answer = stranger.get("/api/v1/jobs")
    assert answer.status_code == 429
    rui = Client(headers={"Authorization": f"Bearer {token('rui', 'read')}"})
    assert rui.get("/api/v1/jobs").status_code == 200


@pytest.mark.parametrize(
    ("said", "status", "code"),
    [("database is locked", 503, "busy"), ("database or disk is full", 507, "disk_full")],
)
def test_a_database_that_does_not_take_the_tokens_time_is_told_as_everywhere_else(
    everybody: people.People, monkeypatch: pytest.MonkeyPatch, said: str, status: int, code: str
) -> None:
    def refused(secret: str, **_options: object) -> None:
        raise OperationalError(said)

    monkeypatch.setattr(tokens, "caller_for", refused)
    rui = Client(headers={"Authorization": f"Bearer {token('rui', 'read')}"})
    for path in ("/metrics", "/api/v1/jobs"):
        answer = rui.get(path)
        assert (answer.status_code, answer.json()["code"]) == (status, code)


def test_the_installation_is_no_process_that_could_fall_silent(everybody: people.People) -> None:
    nodes.installation(clock.now())
    beat()
    rui = Client(headers={"Authorization": f"Bearer {token('rui', 'read')}"})
    text = rui.get("/metrics").content.decode()
    assert text.count("imprimatur_heartbeat_age_seconds{") == 1
    assert 'role="installation"' not in text


def test_the_page_shows_what_a_start_looks_at(monkeypatch: pytest.MonkeyPatch) -> None:
    people.everybody()
    monkeypatch.setenv("PATH", "/nowhere")
    client = Client()
    client.force_login(get_user_model().objects.get(username="rui"))
    page = client.get("/health/").content.decode()
    assert "git is not on this machine" in page
    assert "stops a start" in page
    assert "SQLite" in page or "The database answers" in page
