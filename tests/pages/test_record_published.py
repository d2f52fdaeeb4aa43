"""Recording what an older database forgot, at the pages and by programs: who may, and when."""

from collections.abc import Callable

import pytest
from django.test import Client

from publisher import artifacts, clock, nodes
from publisher.domain.manifest import Manifest
from publisher.models import Job, JobEvent, Outbox
from tests.support.page_rows import Rows
from tests.support.requests import As

Login = Callable[[str], Client]
WHY = "It was on the site before the disk died."


@pytest.fixture
def forgotten(rows: Rows) -> Job:
    """A job in review with a finished draft, out of a backup that was restored."""
    now = clock.now()
    nodes.note_restore(now, now)
    text = artifacts.store(Manifest(()).to_json(), kind="manifest", now=now)
    Job.objects.filter(pk=rows.review.pk).update(manifest_artifact=text)
    return Job.objects.get(pk=rows.review.pk)


def page(client: Client, job: Job, more: str = "") -> str:
    return client.get(f"/jobs/{job.pk}/{more}").content.decode()


@pytest.mark.parametrize("more", ["", "review/"])
def test_an_operator_has_the_site_looked_at_by_one_button(
    forgotten: Job, at: Login, more: str
) -> None:
    client = at("omar")
    assert f"/jobs/{forgotten.pk}/act/record-published/" in page(client, forgotten, more)
    response = client.post(
        f"/jobs/{forgotten.pk}/act/record-published/", {"reason": WHY}, follow=True
    )
    said = response.content.decode()
    assert "A worker looks at the site now." in said
    assert "omar asked whether the site holds it already." in said
    message = Outbox.objects.get(kind="record_published")
    assert (message.job_id, message.payload) == (forgotten.pk, {"who": "omar", "reason": WHY})


@pytest.mark.parametrize("name", ["ada", "rui", "ivy"])
def test_nobody_else_does(forgotten: Job, at: Login, name: str) -> None:
    url = f"/jobs/{forgotten.pk}/act/record-published/"
    assert url not in page(at(name), forgotten)
    assert at(name).post(url, {"reason": WHY}).status_code in (403, 404)
    assert not Outbox.objects.filter(kind="record_published").exists()


def test_without_a_restored_backup_it_is_not_offered(rows: Rows, at: Login) -> None:
    assert "record-published" not in page(at("omar"), rows.review)
    url = f"/jobs/{rows.review.pk}/act/record-published/"
    assert at("omar").post(url, {"reason": WHY}).status_code == 409


def test_a_job_that_is_not_in_review_is_not_recorded(forgotten: Job, rows: Rows, at: Login) -> None:
    for job in (rows.waiting, rows.failed, rows.published, rows.conflict):
        assert "/act/record-published/" not in page(at("omar"), job)
        answer = As("omar").post(f"/jobs/{job.pk}/record-published", {"reason": WHY})
        assert (answer.status_code, answer.json()["code"]) == (409, "wrong_state")


def test_a_program_asks_for_it_and_is_told_that_it_is_queued(forgotten: Job) -> None:
    answer = As("omar").post(f"/jobs/{forgotten.pk}/record-published", {"reason": WHY})
    assert (answer.status_code, answer.json()["status"]) == (202, "queued")
    assert answer.json()["state"] == "REVIEW"
    assert JobEvent.objects.filter(job=forgotten, event="record_asked").count() == 1


def test_a_program_gives_a_reason_and_has_the_right(forgotten: Job) -> None:
    url = f"/jobs/{forgotten.pk}/record-published"
    assert As("omar").post(url, {"reason": " "}).status_code == 422
    assert As("rui").post(url, {"reason": WHY}).json()["code"] == "not_allowed"
