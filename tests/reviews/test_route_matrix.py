"""Who may call what: each address × role × method, held against the table beside this file.

``make routes`` writes the table anew; what changed in it is then for a reader to judge.
"""

import os
from pathlib import Path

import pytest
from django.core.cache import cache

from reviews.models import Role
from tests.support import route_answers, route_table, routes
from tests.support.route_answers import LOGIN, NOT_LET_IN, ROLES, Answers, methods_of

TABLE = Path(__file__).with_name("route_matrix.txt")
OPEN = {
    "login/", "setup/<str:token>/", "i18n/setlang/", "admin/login/", "admin/logout/", "logout/",
    "healthz", "readyz", "metrics", "api/v1/docs", "api/v1/openapi.json", "api/v1/",
}  # fmt: skip
"""What is open to whoever comes by."""
LEAD_BACK = {("delegation_end", "GET"), ("token_revoke", "GET"), ("view_forget", "GET")}
"""What only a form does leads back to the form's page, whatever row is named."""
DECIDES = ("approvals/<int:approval_id>/decide/", "api/v1/approvals/<int:approval_id>/decision")


@pytest.fixture(scope="module")
def kept() -> list[Answers]:
    """What the first test of these found."""
    return []


@pytest.fixture
def answers(db: None, kept: list[Answers]) -> Answers:
    """What every address answers to everybody, asked once for all of these tests."""
    if not kept:
        cache.clear()
        kept.append(route_answers.asked())
    return kept[0]


def test_the_table_says_what_every_address_answers(answers: Answers) -> None:
    written = route_table.written(answers.ours)
    if os.environ.get("ROUTES") == "write":
        TABLE.write_text(written)
    assert TABLE.read_text() == written, "Look at what changed, then: make routes"


def test_the_table_holds_every_address_of_the_resolver(answers: Answers) -> None:
    assert {route for route, _method, _role in answers.ours} == set(routes.every())
    asked = sum(len(methods_of(route)) for route in routes.every())
    assert len(answers.ours) == asked * len(ROLES)
    assert set(Role) < set(ROLES)


def test_without_a_login_nothing_but_the_open_addresses_answers(answers: Answers) -> None:
    let_in = {
        route.text
        for (route, _method, role), answer in answers.ours.items()
        if role == "anonymous" and answer not in NOT_LET_IN
    }
    assert let_in <= OPEN


def test_a_program_never_decides_and_opens_no_page(answers: Answers) -> None:
    for (route, method, role), answer in answers.ours.items():
        if role != "agent" or route.text in OPEN:
            continue
        if route.text in DECIDES or not route.text.startswith("api/"):
            assert answer in NOT_LET_IN, (route, method)


def test_reviewers_alone_decide(answers: Answers) -> None:
    for text in DECIDES:
        found = {
            role
            for (route, method, role), answer in answers.ours.items()
            if (route.text, method) == (text, "POST") and answer not in NOT_LET_IN
        }
        assert found == {"reviewer"}


def test_what_is_in_another_space_is_as_if_it_were_nowhere(answers: Answers) -> None:
    """404; the admin site says its own way that there is no such row."""
    for key, answer in answers.foreign.items():
        if (key[0].name, key[1]) in LEAD_BACK:
            continue
        assert answer == answers.nowhere.get(key, "404"), key


def test_nothing_that_is_asked_breaks_an_address(answers: Answers) -> None:
    for table in (answers.ours, answers.foreign, answers.nowhere):
        assert [key for key, answer in table.items() if answer == "500"] == []


def test_no_page_takes_a_method_that_no_form_has(answers: Answers) -> None:
    for (route, method, role), answer in answers.ours.items():
        if not route.text.startswith(("admin/", "api/", "i18n/")) and method in (
            "PUT",
            "PATCH",
            "DELETE",
        ):
            assert route.text in OPEN or answer in ("405", LOGIN), (route.text, method, role)
