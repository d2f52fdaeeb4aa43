"""Decided and expired requests: each that left the inbox is found again, by what became of it."""

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from publisher import clock
from reviews.models import Approval
from reviews.views import closed
from tests.support import jobs, page_closed
from tests.support.page_rows import Rows

Login = Callable[[str], Client]


def listed(client: Client, query: str = "") -> list[int]:
    page = client.get(f"/approvals/{query}").content.decode()
    return [int(found) for found in re.findall(r'list__title"><a href="/approvals/(\d+)/"', page)]


def test_what_left_the_inbox_is_listed_as_what_became_of_it(rows: Rows, at: Login) -> None:
    made = page_closed.every(at=rows.site, now=clock.now())
    client, asked = at("rui"), jobs.request_of(rows.waiting)
    every = listed(client)
    assert asked.pk not in every
    assert {request.pk for request in made.values()} <= set(every)
    assert every == sorted(every, reverse=True)
    for outcome in ("rejected", "expired", "withdrawn"):
        found = Approval.objects.filter(pk__in=listed(client, f"?outcome={outcome}"))
        assert {request.status for request in found} == {outcome}
    assert listed(client, "?outcome=nonsense") == every


def test_what_ran_out_is_listed_before_the_sweep_has_seen_it(rows: Rows, at: Login) -> None:
    request = jobs.request_of(rows.waiting)
    Approval.objects.filter(pk=request.pk).update(wait_until=clock.now() - timedelta(minutes=1))
    client = at("rui")
    assert request.pk in listed(client)
    assert request.pk in listed(client, "?outcome=expired")
    assert request.pk not in listed(client, "?outcome=approved")
    assert f"/approvals/{request.pk}/" not in client.get("/").content.decode()


def test_by_who_answered_by_site_and_by_age(rows: Rows, at: Login) -> None:
    answered = jobs.request_of(rows.published).pk
    assert answered in listed(at("rui"), "?mine=1")
    assert listed(at("mei"), "?mine=1") == []
    assert listed(at("rui"), "?site=nowhere") == []
    assert answered in listed(at("rui"), "?site=blog&age=7")
    Approval.objects.filter(pk=answered).update(opened_at=clock.now() - timedelta(days=8))
    assert answered not in listed(at("rui"), "?age=7")
    assert answered in listed(at("rui"), "?age=30")


def test_those_of_another_space_are_not_listed(rows: Rows, at: Login) -> None:
    other = jobs.waiting(at=jobs.site("diary", scope="private"))
    Approval.objects.filter(job=other).update(status="rejected")
    assert jobs.request_of(other).pk not in listed(at("omar"))


def test_a_long_list_leads_on_within_its_filters(
    rows: Rows, at: Login, monkeypatch: pytest.MonkeyPatch
) -> None:
    page_closed.every(at=rows.site, now=clock.now())
    client = at("rui")
    every, found, address = listed(client, "?site=blog"), [], "?site=blog"
    monkeypatch.setattr(closed, "SHOWN", 2)
    while address:
        found += listed(client, address)
        page = client.get(f"/approvals/{address}").content.decode()
        more = re.search(r'id="to-next" href="([^"]+)"', page)
        address = more[1].replace("&amp;", "&") if more else ""
    assert found == every


def test_it_says_who_answered_and_costs_no_query_a_row(
    rows: Rows, at: Login, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    page_closed.every(at=rows.site, now=clock.now())
    client = at("rui")
    with django_assert_max_num_queries(8):
        page = client.get("/approvals/").content.decode()
    assert "<span>rui: approved" in page
