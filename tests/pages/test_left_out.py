"""A row that cannot be read is left out of lists, and they say so; nobody's page fails over it."""

from collections.abc import Callable
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from publisher.models import Effect, Job, Node, Site
from reviews.models import Approval
from tests.support.page_rows import Rows
from tests.support.requests import As
from tests.support.spoil import spoil

Login = Callable[[str], Client]
TOLD = "Rows that cannot be read and are left out here: "


@pytest.fixture
def spoiled(rows: Rows) -> str:
    """One row of each table that lists read, each with a time that is none; the job's id."""
    job = Job.objects.filter(state="REVIEW").latest("pk")
    for column in ("created_at", "updated_at"):
        spoil("publisher_job", column, job.pk)
    request = Approval.objects.filter(status="pending").latest("pk")
    spoil("reviews_approval", "opened_at", request.pk)
    spoil("publisher_effect", "updated_at", Effect.objects.filter(status="unknown").latest("pk").pk)
    spoil("publisher_node", "heartbeat_at", Node.objects.latest("pk").pk)
    empty = Site.objects.filter(jobs__isnull=True).first() or Site.objects.create(
        name="aside", scope="default", remote="/nowhere", branch="main", created_at=job.updated_at
    )
    spoil("publisher_site", "created_at", empty.pk)
    return job.pk


@pytest.mark.parametrize("path", ["/jobs/", "/", "/health/", "/effects/", "/sites/", "/conflicts/"])
def test_every_list_shows_the_rows_that_can_be_read(path: str, spoiled: str, at: Login) -> None:
    response = at("omar").get(path, follow=True)
    assert response.status_code == 200
    assert spoiled not in response.content.decode()


@pytest.mark.parametrize("path", ["/jobs/", "/health/", "/sites/"])
def test_a_list_says_that_rows_are_left_out(path: str, spoiled: str, at: Login) -> None:
    assert TOLD in at("omar").get(path).content.decode()


def test_a_list_that_is_whole_says_nothing(rows: Rows, at: Login) -> None:
    assert TOLD not in at("omar").get("/jobs/").content.decode()


def test_programs_are_answered(spoiled: str) -> None:
    client, asking = Client(), As("omar")
    assert client.get("/readyz").status_code in (200, 503)
    answers: dict[str, Any] = {
        path: asking.get(f"/{path}").status_code
        for path in ("jobs", "effects", "conflicts", "sites", "approvals")
    }
    assert set(answers.values()) == {200}, answers


def test_the_row_itself_is_told_in_words_at_every_door(
    spoiled: str, at: Login, capsys: pytest.CaptureFixture[str]
) -> None:
    page = at("omar").get(f"/jobs/{spoiled}/")
    assert page.status_code == 500
    assert "verify names what is wrong" in page.content.decode()
    answer = As("omar").get(f"/jobs/{spoiled}")
    assert (answer.status_code, answer.json()["code"]) == (500, "row_unreadable")
    with pytest.raises(SystemExit):
        call_command("inspect", spoiled)
    assert "row_unreadable: What is stored here cannot be read" in capsys.readouterr().err
