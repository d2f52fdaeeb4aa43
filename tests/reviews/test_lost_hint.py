"""A hint that cannot be written is lost, and nothing else: the act it stands for was taken."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db import OperationalError
from django.test import TestCase
from django_q.brokers.orm import ORM
from django_q.conf import Conf

from publisher import clock
from publisher.models import Job, Outbox
from publisher.services import sites
from tests.support import doors, jobs, people
from tests.support.doors import Door
from tests.support.requests import As

pytestmark = pytest.mark.django_db
NOWHERE = "redis://127.0.0.1:1/0"
DRAFT = {"site": "blog", "content": "# Hi\n", "target_path": "content/hi.md"}


def _locked(*_arguments: Any) -> None:
    raise OperationalError("database is locked")


@pytest.fixture(params=["redis", "database"], autouse=True)
def _broken_queue(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, everybody: people.People
) -> None:
    """Nobody answers for the queue; what waits for a commit runs as it does outside of tests."""
    if request.param == "redis":
        monkeypatch.setattr(Conf, "ORM", None)
        monkeypatch.setattr(Conf, "REDIS", NOWHERE)
    else:
        monkeypatch.setattr(ORM, "enqueue", _locked)
    jobs.site()


def test_the_api_answers_with_the_job_it_made() -> None:
    with TestCase.captureOnCommitCallbacks(execute=True) as hints:
        answer = As("ada").post("/jobs", DRAFT, **{"Idempotency-Key": "k1"})
    assert hints
    assert (answer.status_code, answer.json()["created"]) == (201, True)


def test_the_console_prints_the_job_it_made(tmp_path: Path) -> None:
    draft, out = tmp_path / "a.md", StringIO()
    draft.write_text("# A\n\nText.\n")
    arguments = ["--site", "blog", "--content", str(draft), "--target-path", "content/a.md"]
    with TestCase.captureOnCommitCallbacks(execute=True) as hints:
        call_command("submit", *arguments, "--json", stdout=out)
    assert hints
    assert json.loads(out.getvalue())["job_id"] == Job.objects.get().pk


@pytest.mark.parametrize("door", doors.ALL, ids=lambda door: door.name)
def test_a_decision_is_taken_at_every_door(door: Door, job: Job) -> None:
    with TestCase.captureOnCommitCallbacks(execute=True) as hints:
        answer = door.decide("rui", job.approvals.get(), "approve")
    assert hints
    assert answer.code == ""
    job.refresh_from_db()
    assert job.state == "READY_TO_COMMIT"


def test_a_look_at_a_site_is_asked_for() -> None:
    with TestCase.captureOnCommitCallbacks(execute=True) as hints:
        sites.request(jobs.site(), "site_check", now=clock.now())
    assert hints
    assert Outbox.objects.filter(kind="site_check").exists()
