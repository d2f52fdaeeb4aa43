"""Stopped sites: the health page and the waiting jobs' pages say what is held, why, and the way on."""

import html
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.test import Client

from publisher.domain.states import Event, Lane, State
from publisher.engine.roots import WORDS
from publisher.models import Job, Site
from publisher.services import sites
from reviews.views import health
from tests.support import jobs
from tests.support.jobs import NOW
from tests.support.journey import OMAR
from tests.support.page_rows import Rows
from tests.support.requests import As

Login = Callable[[str], Client]
WHY = WORDS.format(found="a" * 12, known="b" * 12)
RESUME = "manage.py site resume blog"


def page(client: Client, address: str, language: str = "en") -> str:
    answer = client.get(address, headers={"Accept-Language": language})
    assert answer.status_code == 200
    return answer.content.decode()


def stop(site: Site) -> None:
    """As when the remote holds another repository."""
    sites.pause(site)
    Site.objects.filter(pk=site.pk).update(stop_reason=WHY)


@pytest.fixture
def ready(rows: Rows) -> Job:
    """A job that has its yes."""
    return jobs.moved(rows.waiting, Event.APPROVE, State.READY_TO_COMMIT)


@pytest.fixture(autouse=True)
def _all_probes_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "failing_probes", list)
    monkeypatch.setattr(health, "LATE", timedelta.max)


def test_where_nothing_is_stopped_nothing_is_said(rows: Rows, ready: Job, at: Login) -> None:
    assert "Sites that are stopped" not in page(at("rui"), "/health/")
    assert "All is well: work is taken in" in page(at("rui"), "/health/")
    assert "its site is stopped" not in page(at("rui"), f"/jobs/{ready.pk}/")


def test_the_health_page_names_a_paused_site_and_the_way_on(rows: Rows, at: Login) -> None:
    sites.pause(rows.site)
    said = page(at("rui"), "/health/")
    assert "Sites that are stopped" in said
    assert "Somebody paused it." in said
    assert "An operator can resume the site." in said
    assert RESUME in said
    assert "All is well: work is taken in" not in said


def test_the_health_page_says_why_a_site_was_stopped(rows: Rows, at: Login) -> None:
    stop(rows.site)
    said = page(at("rui"), "/health/")
    assert WHY.replace("'", "&#x27;") in said
    assert "an operator resumes the site" in said


def test_a_site_out_of_reach_is_not_named(rows: Rows, at: Login) -> None:
    sites.pause(jobs.site("diary", scope="private"))
    assert "diary" not in page(at("rui"), "/health/")


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_a_job_that_waits_says_what_it_waits_for(
    rows: Rows, ready: Job, at: Login, language: str
) -> None:
    stop(rows.site)
    said = page(at("ada"), f"/jobs/{ready.pk}/", language)
    assert "/sites/blog/" in said
    assert RESUME in said
    assert ("its site is stopped" in said) == (language == "en")
    assert (WHY in said) == (language == "en")
    assert "It leaves by itself within a minute." not in said


def test_the_part_that_moves_by_itself_says_it_too(rows: Rows, ready: Job, at: Login) -> None:
    stop(rows.site)
    assert RESUME in page(at("ada"), f"/jobs/{ready.pk}/live/")


def test_a_job_that_waits_for_people_does_not_wait_for_the_site(rows: Rows, at: Login) -> None:
    stop(rows.site)
    for job in (rows.update, rows.review, rows.published, rows.preparing):
        assert "its site is stopped" not in page(at("ada"), f"/jobs/{job.pk}/")


def test_another_lanes_pause_holds_no_publication(rows: Rows, ready: Job, at: Login) -> None:
    sites.pause(rows.site, lane=Lane.REPORT.value)
    assert "its site is stopped" not in page(at("ada"), f"/jobs/{ready.pk}/")
    assert "Reports" in page(at("rui"), "/health/")


def test_after_it_was_resumed_nothing_is_said(rows: Rows, ready: Job, at: Login) -> None:
    stop(rows.site)
    rows.site.refresh_from_db()
    sites.resume(rows.site, who=OMAR, now=NOW)
    assert "its site is stopped" not in page(at("ada"), f"/jobs/{ready.pk}/")
    assert "Sites that are stopped" not in page(at("rui"), "/health/")


def test_a_stop_that_came_after_the_page_has_to_be_seen_first(rows: Rows, at: Login) -> None:
    sites.pause(rows.site)
    client = at("omar")
    button = '<input type="hidden" name="seen" value="{}"><button'
    assert button.format("") in page(client, "/sites/blog/")
    stop(rows.site)
    refused = client.post("/sites/blog/resume/", {"seen": ""})
    assert refused.status_code == 409
    assert "If that is right, resume it again." in refused.content.decode()
    assert Site.objects.get(pk=rows.site.pk).stop_reason == WHY
    seen = page(client, "/sites/blog/").partition('name="seen" value="')[2].partition('"')[0]
    assert client.post("/sites/blog/resume/", {"seen": html.unescape(seen)}).status_code == 302
    assert Site.objects.get(pk=rows.site.pk).stop_reason == ""


def test_programs_read_why_as_well(rows: Rows) -> None:
    stop(rows.site)
    told = As("rui").get("/sites/blog").json()
    assert (told["paused_lanes"], told["stop_reason"]) == (["publish"], WHY)


@pytest.mark.parametrize("state", ["failed", "cloning"])
def test_a_job_that_waits_for_a_repository_nobody_can_read_says_so(
    rows: Rows, at: Login, state: str
) -> None:
    job = jobs.received(at=rows.site)
    assert "cannot be read" not in page(at("rui"), f"/jobs/{job.pk}/")
    Site.objects.update(clone_state=state, last_error="Its history is cut off.")
    said = page(at("rui"), f"/jobs/{job.pk}/")
    assert "It waits because its site&#x27;s repository cannot be read:" in said
    assert "Its history is cut off." in said
    assert "manage.py site check blog" in said
