"""A history that is longer than a page: the newest is shown, and all that is older can be reached."""

import re
from collections.abc import Callable

import pytest
from django.test import Client

from publisher import journal
from publisher import selectors_history as history
from publisher.management.facts import job_facts
from publisher.models import Job, JobEvent
from tests.support import jobs, people

pytestmark = pytest.mark.django_db
Login = Callable[[str], Client]
LONG = 520


@pytest.fixture
def job(db: None) -> Job:
    """A job that was looked at over and over before anything else was done with it."""
    people.everybody()
    made = jobs.received()
    looks = {"job": made, "event": "probed", "actor": "worker", "at": jobs.NOW}
    JobEvent.objects.bulk_create(
        JobEvent(seq=made.event_seq + 1 + number, reason=f"look {number}.", **looks)
        for number in range(LONG)
    )
    Job.objects.filter(pk=made.pk).update(event_seq=made.event_seq + LONG)
    return jobs.reloaded(made)


def looks(page: str) -> list[int]:
    return [int(found) for found in re.findall(r">look (\d+)\.<", page)]


def shown(client: Client, address: str) -> str:
    response = client.get(address)
    assert response.status_code == 200
    return response.content.decode()


def older(page: str) -> str:
    found = re.search(r'id="to-older" href="([^"]+)"', page)
    return found[1].replace("&amp;", "&") if found else ""


@pytest.mark.parametrize("query", ["", "?all"])
def test_a_job_page_begins_with_the_newest_and_leads_to_all_older_ones(
    job: Job, at: Login, query: str
) -> None:
    client, address, read = at("ada"), f"/jobs/{job.pk}/{query}", []
    while address:
        page = shown(client, address)
        read += looks(page)
        address = older(page)
    assert read == list(reversed(range(LONG)))
    assert "submitted it" in page


def test_the_part_that_moves_by_itself_stays_where_the_reader_is(job: Job, at: Login) -> None:
    client = at("ada")
    page = shown(client, older(shown(client, f"/jobs/{job.pk}/?all")))
    asked = re.search(r'hx-get="([^"]+)"', page)
    assert asked is not None
    address = asked[1].replace("&amp;", "&")
    assert client.get(address).status_code == 204
    journal.note(job, "probed", who=jobs.WORKER, now=jobs.NOW, reason="one more.")
    part = shown(client, address)
    assert looks(part) == looks(page)
    assert older(part) == older(page)
    assert f'href="/jobs/{job.pk}/?all"' in part


def test_the_review_page_shows_the_newest_and_where_the_rest_is(job: Job, at: Login) -> None:
    ready = jobs.waiting(job)
    page = shown(at("rui"), f"/approvals/{jobs.request_of(ready).pk}/")
    assert "approval is asked for" in page
    assert looks(page)[0] == LONG - 1
    found = re.search(rf'href="(/jobs/{job.pk}/\?before=\d+)"', page)
    assert found is not None
    assert looks(shown(at("rui"), found[1]))[0] == looks(page)[-1] - 1


def test_inspect_gives_all_of_them(job: Job) -> None:
    facts = job_facts(job)["events"]
    assert [event["seq"] for event in facts] == list(range(1, job.event_seq + 1))


def test_how_far_a_job_is_is_told_by_all_of_its_history(job: Job) -> None:
    assert history.names(jobs.waiting(job), among={"submit", "ask"}) == ["submit", "ask"]
