"""A stored file that is lost: told in words on every page, and the text that is written anew mends it."""

import html

import pytest
from django.contrib.auth import get_user_model
from django.test import Client

from publisher import journal, selectors
from publisher.domain.errors import WrongState
from publisher.domain.states import Actor, Event
from publisher.journal import Who
from publisher.models import Job
from publisher.services import acts
from tests.support import jobs
from tests.support.journey import FRESH, FRESH_TEXT, Journey, fresh
from tests.support.planted import stored_file

LOOKS = ("", "?tab=diff", "?tab=raw")
OMAR = Who(Actor.OPERATOR, "omar")


def client(name: str) -> Client:
    found = Client()
    found.force_login(get_user_model().objects.get(username=name))
    return found


@pytest.fixture
def stopped(journey: Journey) -> Job:
    """A job whose worker died while it committed, and whose article was lost meanwhile."""
    job = fresh(journey.approved(FRESH_TEXT, FRESH, action="create"))
    now = journey.now()
    died = Who(Actor.WORKER, "dead")
    journal.record(job, Event.COMMIT, who=died, now=now, changes={"committing_at": now})
    stored_file(selectors.draft_files(job)[FRESH]).unlink()
    journey.work()
    job = fresh(job)
    assert (job.state, job.failure_code) == ("REVIEW", "artifact_damaged")
    return job


def saved(job: Job, text: bytes) -> int:
    form = {"text": text.decode(), "base_revision": job.revision, "why": ""}
    return client("ada").post(f"/jobs/{job.pk}/edit/", form).status_code


def test_its_page_says_so_and_takes_a_new_text(stopped: Job, journey: Journey) -> None:
    for name in ("ada", "rui", "omar"):
        response = client(name).get(f"/jobs/{stopped.pk}/review/")
        assert response.status_code == 200
        assert "A stored file of this job is missing or damaged" in response.content.decode()
    assert "What you write and save here" in response.content.decode()
    assert saved(stopped, FRESH_TEXT + b"\nWritten anew.\n") == 302
    journey.work()
    journey.approve(stopped)
    journey.work()
    assert fresh(stopped).state == "PUBLISHED"


def test_the_same_text_mends_it(stopped: Job, journey: Journey) -> None:
    assert saved(stopped, FRESH_TEXT) == 302
    journey.work()
    assert (fresh(stopped).state, fresh(stopped).revision) == ("WAITING_APPROVAL", 2)
    journey.approve(stopped)
    journey.work()
    assert fresh(stopped).state == "PUBLISHED"


def test_nobody_is_asked_about_it_as_it_is(stopped: Job) -> None:
    with pytest.raises(WrongState, match="missing or damaged"):
        acts.ask_again(stopped, who=OMAR, now=stopped.updated_at)
    response = client("omar").post(f"/jobs/{stopped.pk}/act/ask-again/")
    assert response.status_code == 409
    assert "Save its text again" in response.content.decode()


@pytest.mark.parametrize("lost", ["article", "list"])
def test_every_page_of_the_job_is_there(stopped: Job, lost: str) -> None:
    if lost == "list":
        stored_file(stopped.manifest_artifact).unlink()
    omar, asked = client("omar"), jobs.request_of(stopped)
    article = selectors.draft_files(stopped)[FRESH]
    pages = [f"/jobs/{stopped.pk}/", f"/jobs/{stopped.pk}/review/", f"/submit/?from={stopped.pk}"]
    for address in [*pages, *(f"/approvals/{asked.pk}/{look}" for look in LOOKS)]:
        assert omar.get(address).status_code == 200, address
    for name in (f"jobs/{stopped.pk}", f"jobs/{stopped.pk}/approval", f"approvals/{asked.pk}"):
        assert omar.get(f"/api/v1/{name}").status_code == 200, name
    digest = article.removeprefix("sha256:")
    assert omar.get(f"/jobs/{stopped.pk}/files/{digest}/").status_code == 404
    assert omar.get(f"/api/v1/jobs/{stopped.pk}/artifacts/{article}").status_code == 404


def test_a_file_that_is_lost_is_named_on_the_page_that_asks(journey: Journey) -> None:
    job = journey.submit(FRESH_TEXT, FRESH, action="create")
    journey.work()
    stored_file(selectors.draft_files(fresh(job))[FRESH]).unlink()
    address = f"/approvals/{jobs.request_of(job).pk}/"
    for look in LOOKS:
        page = html.unescape(client("rui").get(address + look).content.decode())
        assert "The stored bytes are missing or damaged" in page
        assert "Shown in full to its end" not in page
