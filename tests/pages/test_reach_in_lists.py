"""Lists for somebody whose role is for one site: what is out of reach takes no place and no number."""

import re
from collections.abc import Callable

import pytest
from django.test import Client

from publisher.models import Site
from reviews import inbox
from reviews.models import Membership
from reviews.views import conflicts, effects
from tests.support import jobs, people
from tests.support.page_rows import clashing
from tests.support.requests import As

pytestmark = pytest.mark.django_db
Login = Callable[[str], Client]
MANY = 2


@pytest.fixture
def ours() -> Site:
    """The one site of Ines, with one row of each kind among more out of reach."""
    people.everybody()
    theirs, ours = jobs.site("theirs"), jobs.site("ours")
    person = people.add("ines")
    for role in ("reviewer", "operator", "auditor"):
        Membership.objects.create(principal=person, scope="default", site=ours, role=role)
    for place, number in ((theirs, MANY), (ours, 1), (theirs, MANY)):
        for _ in range(number):
            jobs.with_intent(jobs.waiting(at=place))
            jobs.in_review(at=place)
            clashing(at=place, now=jobs.NOW)
    return ours


def page(client: Client, address: str) -> str:
    response = client.get(address)
    assert response.status_code == 200
    return response.content.decode()


@pytest.mark.parametrize(
    ("path", "number"),
    [("/jobs", 3), ("/approvals", 2), ("/conflicts", 1), ("/sites", 1), ("/effects", 1)],
)
def test_a_page_of_a_programs_list_is_full_of_what_is_within_reach(
    ours: Site, path: str, number: int
) -> None:
    body = As("ines").get(path, limit=number).json()
    assert len(body["items"]) == number
    assert {row.get("site", row.get("name", "ours")) for row in body["items"]} == {"ours"}
    assert body["next"] is None


@pytest.mark.parametrize("path", ["/conflicts/", "/effects/"])
def test_a_person_sees_theirs_behind_those_of_others(
    ours: Site, at: Login, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    for module in (conflicts, effects):
        monkeypatch.setattr(module, "SHOWN", 1)
    shown = page(at("ines"), path)
    assert shown.count('class="list__item"') == 1
    assert "to-next" not in shown


@pytest.mark.parametrize("path", ["/conflicts/", "/effects/"])
def test_a_long_list_leads_on(
    ours: Site, at: Login, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    for module in (conflicts, effects):
        monkeypatch.setattr(module, "SHOWN", 2)
    client, address, found = at("omar"), path, 0
    while address:
        shown = page(client, address)
        found += shown.count('class="list__item"')
        more = re.search(r'id="to-next" href="([^"]+)"', shown)
        address = path + more[1] if more else ""
    assert found == 2 * MANY + 1


@pytest.mark.parametrize("path", ["/conflicts/", "/effects/"])
def test_behind_the_last_of_a_list_it_does_not_say_that_there_are_none(
    ours: Site, at: Login, path: str
) -> None:
    shown = page(at("omar"), f"{path}?after=999999")
    assert "Nothing more waits here" in shown
    assert 'id="to-first"' in shown
    assert "Every outcome is known" not in shown
    assert "No conflicts" not in shown


def test_the_inbox_leads_on_and_its_badge_says_that_there_is_more(
    ours: Site, at: Login, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inbox, "SHOWN", 4)
    client = at("omar")
    first = page(client, "/")
    assert "More than 4 things wait for you." in first
    assert '<span class="nav__count">4+<' in first
    assert first.count('class="list__item"') == 4
    more = re.search(r'id="to-next" href="([^"]+)"', first)
    assert more is not None
    second = page(client, "/" + more[1].replace("&amp;", "&"))
    assert not set(links(first)) & set(links(second))
    asked = re.search(r'hx-get="([^"]+)"', second)
    assert asked is not None
    assert client.get(asked[1].replace("&amp;", "&")).status_code == 204


def links(shown: str) -> list[str]:
    return re.findall(r'class="list__title"><a [^>]*href="([^"]+)"', shown)


def test_health_counts_what_is_within_reach(ours: Site, at: Login) -> None:
    def counts(name: str) -> list[int]:
        shown = page(at(name), "/health/")
        return [int(found) for found in re.findall(r"state=\w+\">[^<]+</a></th><td>(\d+)<", shown)]

    assert counts("ines") == [1, 1, 1]
    assert counts("omar") == [2 * MANY + 1] * 3


def test_an_auditor_of_one_site_reads_its_history_alone(ours: Site, at: Login) -> None:
    shown = page(at("ines"), "/audit/")
    named = set(re.findall(r'href="/jobs/([0-9a-f-]{36})/"', shown))
    assert named == set(ours.jobs.values_list("pk", flat=True))
