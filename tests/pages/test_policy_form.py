"""The pages of policies and delegations: set, tried out, told in words, and closed to the rest."""

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from publisher import clock
from reviews.models import Delegation, Membership, Policy, Principal
from reviews.policy_form import parted
from reviews.services import delegations, policies
from tests.support import jobs, people
from tests.support.page_rows import Rows
from tests.support.reviewing_rows import delegation

Login = Callable[[str], Client]
CHANGE = "/policies/change/?scope=default"


def fields(page: str) -> dict[str, str]:
    """What a browser would send of the form as it stands."""
    form = page[page.index('<form class="form"') :]
    found = {}
    for tag in re.findall(r"<input[^>]*>", form):
        name = re.search(r'name="([^"]*)"', tag)
        value = re.search(r'value="([^"]*)"', tag)
        if name and ('type="checkbox"' not in tag or "checked" in tag):
            found[name[1]] = value[1] if value else "on"
    for name, options in re.findall(
        r'<select[^>]*name="([^"]*)"[^>]*>(.*?)</select>', form, re.DOTALL
    ):
        chosen = re.search(r'<option value="([^"]*)" selected', options)
        found[name] = chosen[1] if chosen else ""
    return found


def sent(client: Client, address: str = CHANGE, **changed: Any) -> dict[str, Any]:
    return {**fields(client.get(address).content.decode()), **changed}


@pytest.mark.parametrize(
    ("seconds", "told"),
    [(0, (0, 1)), (90, (90, 1)), (120, (2, 60)), (7200, (2, 3600)), (172_800, (2, 86_400))],
)
def test_a_length_of_time_is_told_in_its_largest_unit(seconds: int, told: tuple[int, int]) -> None:
    assert parted(seconds) == told


def test_the_form_as_it_stands_changes_nothing(rows: Rows, at: Login) -> None:
    before = policies.effective("default", None, "*")[0]
    client = at("omar")
    form = sent(client, step="set", why="to see")
    assert client.post(CHANGE, form).status_code == 302
    assert policies.effective("default", None, "*")[0] == before


def test_rules_are_set_as_a_version_with_who_and_why(rows: Rows, at: Login) -> None:
    Membership.objects.filter(principal__name="mei").update(groups=["Legal"])
    client = at("omar")
    form = sent(
        client, step="set", why="two of Legal", approvals="3", group_0="2", risk="risky",
        hold_number="2", hold_unit="60", password_number="5", password_unit="60",
        require_shown="on",
    )  # fmt: skip
    assert client.post(CHANGE, form).status_code == 302
    newest = Policy.objects.filter(scope="default", site=None).order_by("-version")[0]
    assert (newest.who, newest.why) == ("omar", "two of Legal")
    rules, _version = policies.effective("default", None, "*")
    assert (rules.approvals, rules.groups, rules.risk) == (3, ("Legal", "Legal"), "risky")
    assert (rules.hold_seconds, rules.password_seconds, rules.require_shown) == (120, 300, True)
    page = client.get("/policies/").content.decode()
    for text in ("from these groups at least: Legal (2).", "counts as risky", "two of Legal",
                 "password within the last 5 minutes", "1 earlier version"):  # fmt: skip
        assert text in page


def test_trying_out_tells_and_changes_nothing(rows: Rows, at: Login) -> None:
    client, before = at("omar"), Policy.objects.count()
    response = client.post(CHANGE, sent(client, step="try", approvals="2", why="kept"))
    page = response.content.decode()
    assert response.status_code == 200
    assert "would need more." in page
    assert "Nothing was changed." in page
    assert f"/approvals/{jobs.request_of(rows.waiting).pk}/" in page
    assert (fields(page)["approvals"], fields(page)["why"]) == ("2", "kept")
    assert Policy.objects.count() == before


def test_enter_tries_out_and_sets_nothing(rows: Rows, at: Login) -> None:
    page = at("omar").get(CHANGE).content.decode()
    form = page[page.index('<form class="form"') :]
    first = re.search(r'<button[^>]*type="submit"[^>]*>', form)
    assert first is not None
    assert 'value="try"' in first[0]


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"why": " "}, "why"), ({"approvals": "99"}, "approvals"),
        ({"approvals": "0", "hold_number": "5"}, "hold_number"),
        ({"password_number": "99", "password_unit": "86400"}, "password_number"),
        ({"approvals": "0", "risk": "risky"}, "risk"),
    ],
)  # fmt: skip
def test_what_cannot_be_set_is_told_beside_its_field_and_nothing_typed_is_lost(
    rows: Rows, at: Login, changed: dict[str, str], field: str
) -> None:
    client, before = at("omar"), Policy.objects.count()
    form = sent(client, **{"step": "set", "why": "because", "wait_number": "3", **changed})
    response = client.post(CHANGE, form)
    page = response.content.decode()
    assert response.status_code == 422
    assert f'id="id_{field}_error"' in page
    assert fields(page)["wait_number"] == "3"
    assert Policy.objects.count() == before


def test_rules_that_somebody_else_changed_meanwhile_are_not_overwritten(
    rows: Rows, at: Login
) -> None:
    client = at("omar")
    form = sent(client, step="set", why="mine", approvals="2")
    policies.put(
        caller=people.caller("omar"), scope="default", rules={"approvals": 4}, why="first",
        now=clock.now(),
    )  # fmt: skip
    response = client.post(CHANGE, form)
    assert response.status_code == 409
    assert "Somebody else changed these rules meanwhile" in response.content.decode()
    assert policies.effective("default", None, "*")[0].approvals == 4


@pytest.mark.parametrize(
    ("address", "who", "status"),
    [
        (CHANGE, "rui", 403), ("/policies/change/?scope=private", "omar", 404),
        ("/policies/change/", "omar", 404), ("/policies/change/?site=nowhere", "omar", 404),
        (f"{CHANGE}&action=none", "omar", 404), ("/policies/change/?site=blog", "omar", 200),
    ],
)  # fmt: skip
def test_only_admins_change_rules_and_those_of_their_own_spaces(
    rows: Rows, at: Login, address: str, who: str, status: int
) -> None:
    assert at(who).get(address).status_code == status
    assert at(who).post(address, {}).status_code == (422 if status == 200 else status)


class TestDelegations:
    """Who decides in whose place."""

    def give(self, client: Client, **changed: Any) -> Any:
        until = (clock.now() + timedelta(days=2)).strftime("%Y-%m-%dT%H:%M")
        form = {"place": "default:rui", "delegate": "mei", "ends_at": until, "why": "on leave"}
        return client.post("/delegations/", {**form, **changed})

    def test_a_reviewer_lets_somebody_stand_in_and_ends_it(self, rows: Rows, at: Login) -> None:
        client = at("rui")
        assert self.give(client).status_code == 302
        row = Delegation.objects.get()
        assert (row.giver.name, row.delegate.name, row.by, row.why) == (
            "rui", "mei", "rui", "on leave",
        )  # fmt: skip
        assert "mei in the place of rui" in client.get("/delegations/").content.decode()
        assert client.post(f"/delegations/{row.pk}/end/").status_code == 302
        mei = Principal.objects.get(name="mei")
        assert delegations.lenders(mei, rows.waiting, now=clock.now()) == []
        page = client.get("/delegations/").content.decode()
        assert "Everybody decides for themselves." in page
        assert "What is over" in page

    def test_one_lends_ones_own_weight_alone(self, rows: Rows, at: Login) -> None:
        assert self.give(at("mei"), place="default:rui", delegate="mei").status_code == 422
        assert self.give(at("ada")).status_code == 422
        assert not Delegation.objects.exists()
        assert self.give(at("omar")).status_code == 302

    @pytest.mark.parametrize("changed", [{"ends_at": ""}, {"ends_at": "2001-01-01T10:00"}])
    def test_a_time_that_cannot_be_is_told_beside_its_field(
        self, rows: Rows, at: Login, changed: dict[str, str]
    ) -> None:
        response = self.give(at("rui"), **changed)
        assert response.status_code == 422
        assert 'id="id_ends_at_error"' in response.content.decode()

    def test_the_bar_offers_the_place_to_who_stands_in(self, rows: Rows, at: Login) -> None:
        address = f"/approvals/{jobs.request_of(rows.waiting).pk}/"
        assert "on_behalf_of" not in at("mei").get(address).content.decode()
        delegation("rui", "mei", now=clock.now())
        assert "in the place of rui" in at("mei").get(address).content.decode()

    def test_of_another_space_none_is_told_or_ended(self, rows: Rows, at: Login) -> None:
        people.add("eve", "reviewer", scope="private")
        people.add("eva", "reviewer", scope="private")
        row = delegation("eve", "eva", now=clock.now(), scope="private")
        assert "eva" not in at("omar").get("/delegations/").content.decode()
        assert at("omar").post(f"/delegations/{row.pk}/end/").status_code == 404
        assert at("omar").get(f"/delegations/{row.pk}/end/").status_code == 302
