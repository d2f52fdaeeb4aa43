"""Leaving: pages promise "within a minute" only where nothing else is waited for."""

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from publisher import clock
from publisher.domain.states import Event, Lane, State
from publisher.models import Job, Site
from publisher.services import sites
from reviews.models import Policy
from reviews.presenters.times import in_full
from tests.support import jobs
from tests.support.page_rows import Rows

Login = Callable[[str], Client]
WEEK = timedelta(days=7)
SOON = "within a minute"


def page(client: Client, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code == 200
    return answer.content.decode()


def approve(client: Client, job: Job) -> str:
    """The page to which a yes leads."""
    address = f"/approvals/{jobs.request_of(job).pk}/"
    fields = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', page(client, address))
    form = {name: value for name, value in fields if name != "csrfmiddlewaretoken"}
    form["decision"] = "approve"
    return client.post(f"{address}decide/", form, follow=True).content.decode()


@pytest.fixture
def later(rows: Rows) -> Job:
    """Waits for its yes, and then for a day in a week."""
    return jobs.waiting(at=rows.site, now=clock.now(), title="Later", not_before=clock.now() + WEEK)


def test_the_verdict_says_the_day_of_a_job_that_leaves_later(later: Job, at: Login) -> None:
    said = page(at("rui"), f"/approvals/{jobs.request_of(later).pk}/")
    assert later.not_before is not None
    assert f"is added to blog (main) on {in_full(later.not_before)}." in said
    assert SOON not in said


def test_the_day_is_told_with_the_zone(later: Job) -> None:
    assert later.not_before is not None
    assert in_full(later.not_before).endswith(timezone.localtime(later.not_before).tzname() or "?")


def test_after_the_yes_flash_and_bar_say_the_day(later: Job, at: Login) -> None:
    said = approve(at("rui"), later)
    assert later.not_before is not None
    assert said.count(f"Approved. It leaves by itself on {in_full(later.not_before)}.") == 2
    assert SOON not in said


def test_a_paused_sites_verdict_flash_and_bar_say_what_is_waited_for(rows: Rows, at: Login) -> None:
    sites.pause(rows.site)
    client = at("rui")
    said = page(client, f"/approvals/{jobs.request_of(rows.waiting).pk}/")
    assert "is added to blog (main) once the site is resumed." in said
    assert SOON not in said
    said = approve(client, rows.waiting)
    assert said.count("Approved. It leaves by itself once the site is resumed.") == 2
    assert SOON not in said


def test_a_paused_site_and_a_later_day_are_told_together(later: Job, at: Login) -> None:
    sites.pause(later.site)
    assert later.not_before is not None
    said = approve(at("rui"), later)
    assert f"once the site is resumed, and not before {in_full(later.not_before)}." in said


def test_another_lanes_pause_holds_no_publication_back(rows: Rows, at: Login) -> None:
    sites.pause(rows.site, lane=Lane.REPORT.value)
    assert SOON in page(at("rui"), f"/approvals/{jobs.request_of(rows.waiting).pk}/")


def test_the_hold_of_a_policy_is_told_before_and_after_the_yes(rows: Rows, at: Login) -> None:
    Policy.objects.create(
        scope="default", version=9, who="omar", created_at=clock.now(),
        rules={"approvals": 1, "hold_seconds": 3600},
    )  # fmt: skip
    client = at("rui")
    assert SOON not in page(client, f"/approvals/{jobs.request_of(rows.waiting).pk}/")
    said = approve(client, rows.waiting)
    assert SOON not in said
    assert f"by itself on {in_full(jobs.reloaded(rows.waiting).available_at)}." in said


@pytest.mark.parametrize("state", [State.READY_TO_COMMIT, State.LOCAL_COMMITTED])
def test_the_jobs_page_says_the_day(later: Job, at: Login, state: State) -> None:
    jobs.moved(later, Event.APPROVE, State.READY_TO_COMMIT, now=clock.now())
    if state is State.LOCAL_COMMITTED:
        for event in (Event.COMMIT, Event.COMMITTED):
            jobs.moved(later, event, now=clock.now())
    said = page(at("ada"), f"/jobs/{later.pk}/")
    assert jobs.reloaded(later).state == state.value
    assert later.not_before is not None
    assert "It was approved. It waits for its time." in said
    assert f"It leaves by itself on {in_full(later.not_before)}." in said
    assert "about to be" not in said


def test_a_job_held_at_a_paused_site_is_not_about_to_be_sent(rows: Rows, at: Login) -> None:
    jobs.moved(rows.waiting, Event.APPROVE, State.READY_TO_COMMIT)
    Site.objects.filter(pk=rows.site.pk).update(paused_lanes=["publish"])
    said = page(at("ada"), f"/jobs/{rows.waiting.pk}/")
    assert "It waits until the site is resumed." in said
    assert "about to be" not in said


def test_a_day_that_is_over_is_not_waited_for(rows: Rows, at: Login) -> None:
    job = jobs.waiting(at=rows.site, now=clock.now(), not_before=clock.now() - WEEK)
    assert SOON in page(at("rui"), f"/approvals/{jobs.request_of(job).pk}/")
