"""Case 71: silence never approves, and an open page learns of it at its time, before any sweep."""

from datetime import datetime, timedelta

import pytest
from django.test import Client

from publisher import clock
from reviews.models import Approval, Principal
from tests.support import jobs, people

pytestmark = pytest.mark.django_db
SECOND = timedelta(seconds=1)


@pytest.fixture
def request_() -> Approval:
    """A request that Rui has before him."""
    people.everybody()
    return jobs.request_of(jobs.waiting(now=clock.now()))


@pytest.fixture
def rui(request_: Approval) -> Client:
    """Rui, at the page."""
    user = Principal.objects.get(name="rui").user
    assert user is not None
    client = Client()
    client.force_login(user)
    return client


def at_time(monkeypatch: pytest.MonkeyPatch, moment: datetime) -> None:
    """For whoever asks the clock from now on."""
    monkeypatch.setattr(clock, "now", lambda: moment)


@pytest.mark.parametrize("after", [-SECOND, timedelta(0)])
def test_until_the_last_moment_an_open_page_hears_nothing(
    request_: Approval, rui: Client, monkeypatch: pytest.MonkeyPatch, after: timedelta
) -> None:
    at_time(monkeypatch, request_.wait_until + after)
    seen = {"seen": "pending-WAITING_APPROVAL"}
    assert rui.get(f"/approvals/{request_.pk}/live/", seen).status_code == 204
    assert 'value="approve"' in rui.get(f"/approvals/{request_.pk}/").content.decode()


def test_a_second_later_the_open_page_says_so_and_has_no_button_left(
    request_: Approval, rui: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_time(monkeypatch, request_.wait_until + SECOND)
    live = f"/approvals/{request_.pk}/live/"
    said = rui.get(live, {"seen": "pending-WAITING_APPROVAL"})
    assert 'data-outdated="No longer open"' in said.content.decode()
    assert "Time ran out, nothing was sent." in said.content.decode()
    assert rui.get(live, {"seen": "expired-WAITING_APPROVAL"}).status_code == 204
    assert 'value="approve"' not in rui.get(f"/approvals/{request_.pk}/").content.decode()
    # Looking at it closes nothing: the sweep does, or the next answer.
    assert jobs.request_of(request_.job).status == "pending"


def test_a_yes_that_comes_too_late_is_gone_and_the_job_waits_in_review(
    request_: Approval, rui: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_time(monkeypatch, request_.wait_until + SECOND)
    form = {"decision": "approve", "reviewed_hash": request_.binding_hash, "request_id": "r"}
    answer = rui.post(f"/approvals/{request_.pk}/decide/", form)
    assert answer.status_code == 410
    job = jobs.reloaded(request_.job)
    assert (job.state, jobs.request_of(job).status) == ("REVIEW", "expired")
    assert not request_.decisions.exists()
