"""People, policies and effects in words: everybody is listed, and no raw name stands for a rule."""

import re
from collections.abc import Callable

import pytest
from django.core.management import call_command
from django.test import Client

from publisher.models import Effect
from reviews.models import Membership, Policy
from tests.support import jobs, people
from tests.support.page_rows import Rows

Login = Callable[[str], Client]


def test_the_console_lists_who_has_no_role(rows: Rows, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("user", "list")
    listed = capsys.readouterr().out
    assert "zoe (person): no role" in listed
    assert "ada (person): submitter" in listed


def test_an_admin_sees_who_has_no_role_and_nobody_else_does(rows: Rows, at: Login) -> None:
    assert "Without a role" in at("omar").get("/people/").content.decode()
    assert "Without a role" not in at("rui").get("/people/").content.decode()


def test_a_role_for_a_site_out_of_reach_is_not_told(rows: Rows, at: Login) -> None:
    secret = jobs.site("merger-plans")
    for name, site in (("ines", rows.site), ("kim", secret), ("lea", rows.site), ("lea", secret)):
        Membership.objects.create(
            principal=people.add(name), scope="default", site=site, role="reviewer"
        )
    page = at("ines").get("/people/").content.decode()
    assert "merger-plans" not in page
    assert "kim" not in page
    assert f"reviewer ({rows.site.name})" in page.partition("lea")[2]
    assert "reviewer (merger-plans)" in at("omar").get("/people/").content.decode()


def test_groups_are_told_apart_from_roles(
    rows: Rows, at: Login, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("user", "add", "mei", "--role", "reviewer", "--group", "legal", "--group", "desk")
    assert "mei (person) in default: reviewer; groups: desk, legal" in capsys.readouterr().out
    row = at("rui").get("/people/").content.decode().partition(">mei")[2].partition("</tr>")[0]
    assert '<td data-label="Roles">reviewer</td>' in row
    assert re.search(r'<td data-label="Groups">.*desk.*, .*legal.*</td>', row)
    assert "Your groups: desk, legal" in at("mei").get("/me/").content.decode()


def test_without_a_policy_the_built_in_rules_are_told(rows: Rows, at: Login) -> None:
    page = at("rui").get("/policies/").content.decode()
    assert "no policy was set" in page or "Where no policy" in page
    assert "1 reviewer has to approve." in page
    assert "a yes holds for 1 day" in page


def test_a_policy_is_told_in_sentences(rows: Rows, at: Login) -> None:
    Policy.objects.create(
        scope="default", site=rows.site, version=90, created_at=jobs.NOW,
        rules={"approvals": 2, "groups": ["legal"], "hold_seconds": 90},
    )  # fmt: skip
    page = at("rui").get("/policies/").content.decode()
    assert "2 reviewers have to approve." in page
    assert "from each of: legal." in page
    assert "waits 90 seconds before it leaves" in page


def test_a_policy_of_another_space_is_not_shown(rows: Rows, at: Login) -> None:
    Policy.objects.create(scope="private", version=1, created_at=jobs.NOW, rules={"approvals": 7})
    people.add("paul", "reviewer", scope="private")
    assert "7 reviewers" not in at("rui").get("/policies/").content.decode()


def test_the_effects_desk_says_what_was_sent_and_what_to_do(rows: Rows, at: Login) -> None:
    effect = Effect.objects.filter(status__in=["intent", "unknown"]).first()
    assert effect is not None
    Effect.objects.filter(pk=effect.pk).update(action="blog.publish/v1")
    page = at("omar").get("/effects/").content.decode()
    assert "A publication was sent to the site" in page
    assert "blog.publish" not in page
    assert "the site is looked at every hour" in page or "Nothing is to be done now." in page
