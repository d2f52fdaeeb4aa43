"""People: what migrate gives, roles and their limits, tokens, and the first admin's link."""

import json
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.db import DatabaseError, transaction
from django.test import Client

from publisher import clock, logs
from publisher.domain.errors import Expired, InvalidInput, NotAllowed, NotFound
from publisher.domain.secrets import scrub_text
from reviews import setup_link
from reviews.models import Decision, Membership, Policy, Principal, Token
from reviews.permissions import ROLES, Caller
from reviews.services import decisions, policies, tokens
from reviews.services import people as service
from tests.support import jobs, people

pytestmark = pytest.mark.django_db


def console() -> Caller:
    return people.caller("local-operator", door="cli")


def run(*arguments: str) -> str:
    out = StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue().strip()


def refused_by(words: str, *arguments: str) -> None:
    err = StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command(*arguments, stderr=err)
    assert ended.value.code == 2
    assert words in err.getvalue()


def test_migrate_alone_gives_an_operator_who_decides_nothing() -> None:
    asking = console()
    assert asking.scopes == {"default"}
    assert asking.may("admin", "default")
    assert asking.may("operate", "default")
    assert not asking.may("decide", "default")


def test_migrate_alone_gives_a_policy_of_one_approval() -> None:
    policy = Policy.objects.get()
    assert (policy.scope, policy.rules["approvals"]) == ("default", 1)
    assert policy.rules["one_person"] is False


def test_a_role_given_twice_is_no_error_and_others_are_kept() -> None:
    run("user", "add", "lee", "--role", "reviewer")
    run("user", "add", "lee", "--role", "submitter")
    run("user", "add", "lee", "--role", "submitter")
    assert sorted(
        Membership.objects.filter(principal__name="lee").values_list("role", flat=True)
    ) == [
        "reviewer",
        "submitter",
    ]


def test_a_person_gets_a_login_and_a_program_does_not() -> None:
    run("user", "add", "lee", "--role", "reviewer")
    run("user", "add", "bot", "--role", "submitter", "--agent")
    assert Principal.objects.get(name="lee").user is not None
    assert Principal.objects.get(name="bot").user is None


@pytest.mark.parametrize("role", ["reviewer", "admin"])
def test_a_program_gets_no_role_that_decides(role: str) -> None:
    with pytest.raises(SystemExit) as refused:
        run("user", "add", "bot", "--role", role, "--agent")
    assert refused.value.code == 2


def test_a_new_login_has_a_principal_without_any_role() -> None:
    user = get_user_model().objects.create_user("kim")
    principal = Principal.objects.get(user=user)
    assert Caller(principal, "page").scopes == frozenset()


def test_only_admins_add_people(everybody: people.People) -> None:
    with pytest.raises(NotAllowed):
        service.add(
            name="lee",
            scope="default",
            roles=["reviewer"],
            caller=people.caller("rui"),
            now=clock.now(),
        )


def test_who_opens_a_scope_administers_it_and_others_do_not(everybody: people.People) -> None:
    new: dict[str, Any] = {
        "name": "lee",
        "scope": "team",
        "roles": ["reviewer"],
        "now": clock.now(),
    }
    service.add(caller=console(), **new)
    assert console().may("admin", "team")
    with pytest.raises(NotAllowed):
        service.add(caller=people.caller("omar"), **{**new, "name": "max"})


def test_an_admin_of_one_scope_does_not_close_accounts_of_another(everybody: people.People) -> None:
    people.add("eve", "reviewer", scope="elsewhere")
    with pytest.raises(NotAllowed):
        service.disable(
            Principal.objects.get(name="eve"), caller=people.caller("omar"), now=clock.now()
        )


def test_a_disabled_account_has_no_rights_and_no_tokens(everybody: people.People) -> None:
    secret = people.token("rui", "read")
    run("user", "disable", "rui")
    assert people.caller("rui").scopes == frozenset()
    assert tokens.caller_for(secret, now=clock.now()) is None


def test_a_disabled_account_is_given_nothing_until_it_is_enabled(
    everybody: people.People,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("sys.stdin", StringIO("another good password"))
    run("user", "disable", "rui")
    assert "rui (person, disabled): reviewer" in run("user", "list")
    for refused in (["add", "rui", "--role", "operator"], ["password", "rui", "--stdin"]):
        with pytest.raises(SystemExit):
            run("user", *refused)
        assert "name: rui is disabled" in capsys.readouterr().err
    assert people.caller("rui").scopes == frozenset()
    assert run("user", "enable", "rui") == "rui is enabled."
    assert people.caller("rui").may("decide", "default")
    assert Client().login(username="rui", password=people.PASSWORD)


def test_a_role_is_taken_away_and_others_stay(
    everybody: people.People, capsys: pytest.CaptureFixture[str]
) -> None:
    run("user", "add", "rui", "--role", "operator")
    taken = run("user", "remove", "rui", "--role", "reviewer")
    assert taken == "rui (person) in default: operator"
    assert not people.caller("rui").may("decide", "default")
    assert people.caller("rui").may("operate", "default")
    with pytest.raises(SystemExit):
        run("user", "remove", "rui", "--role", "operator", "--role", "reviewer")
    assert people.caller("rui").may("operate", "default")
    assert "does not hold the role reviewer there" in capsys.readouterr().err


@pytest.mark.parametrize("act", [("remove", "--role", "admin"), ("disable",)], ids=lambda a: a[0])
def test_the_last_admin_of_a_scope_stays_one(act: tuple[str, ...]) -> None:
    verb, *rest = act
    run("user", "add", "anna", "--role", "admin")
    run("user", verb, "anna", *rest)
    refused_by("local-operator is the last admin of default", "user", verb, "local-operator", *rest)
    assert console().may("admin", "default")
    run("user", "add", "bea", "--role", "admin")
    run("user", verb, "local-operator", *rest)
    assert not console().may("admin", "default")


def test_a_scope_opened_by_another_keeps_an_admin_too() -> None:
    taken = ("--role", "admin", "--scope", "second")
    run("user", "add", "bea", *taken)
    run("user", "remove", "local-operator", *taken)
    refused_by("bea is the last admin of second", "user", "remove", "bea", *taken, "--as", "bea")


def test_an_admin_of_one_site_is_not_the_last_of_the_scope() -> None:
    site = jobs.site()
    run("user", "add", "bea", "--role", "admin", "--site", site.name)
    refused_by("last admin", "user", "remove", "local-operator", "--role", "admin")
    run("user", "remove", "bea", "--role", "admin", "--site", site.name)


def test_a_weak_password_is_refused_in_words(everybody: people.People) -> None:
    with pytest.raises(InvalidInput):
        service.set_password(Principal.objects.get(name="rui"), "12345", caller=console())


@pytest.mark.parametrize("right", sorted(ROLES))
def test_zoe_has_no_right_at_all(everybody: people.People, right: str) -> None:
    asking = people.caller("zoe")
    assert not asking.may_somewhere(right)
    assert not asking.may(right, "default")


def test_a_role_for_one_site_counts_for_that_site_alone(everybody: people.People) -> None:
    blog, other = jobs.site("blog"), jobs.site("other")
    zoe = Principal.objects.get(name="zoe")
    Membership.objects.create(principal=zoe, scope="default", site=blog, role="reviewer")
    asking = people.caller("zoe")
    assert asking.may("decide", "default", blog)
    assert not asking.may("decide", "default", other)
    assert not asking.may("decide", "default")


def test_a_submitter_edits_only_own_work(everybody: people.People) -> None:
    asking = people.caller("ada")
    assert asking.may("edit", "default", owner="ada")
    assert not asking.may("edit", "default", owner="max")
    assert not asking.may("decide", "default", owner="ada")


def test_a_token_is_the_last_word_and_stored_as_a_digest() -> None:
    run("user", "add", "bot", "--role", "submitter", "--agent")
    secret = run("token", "create", "--user", "bot", "--allow", "submit,read").split()[-1]
    row = Token.objects.get()
    assert secret.startswith("imp_")
    assert secret not in (row.digest, row.prefix, row.label)
    found = tokens.caller_for(secret, now=clock.now())
    assert found is not None
    assert (found.name, found.allow) == ("bot", frozenset({"submit", "read"}))


def test_a_token_is_taken_out_of_texts() -> None:
    run("user", "add", "bot", "--role", "submitter", "--agent")
    secret = run("token", "create", "--user", "bot", "--allow", "submit").split()[-1]
    assert scrub_text(f"use {secret}.") == "use [REDACTED:imprimatur-token]."


def test_a_token_ends_when_it_says() -> None:
    run("user", "add", "bot", "--role", "submitter", "--agent")
    words = ["token", "create", "--user", "bot", "--allow", "read", "--expires-in", "60"]
    secret = run(*words).split()[-1]
    ends = Token.objects.get().expires_at
    assert ends is not None
    assert tokens.caller_for(secret, now=ends - timedelta(seconds=1)) is not None
    assert tokens.caller_for(secret, now=ends) is None


def test_a_programs_token_cannot_decide() -> None:
    run("user", "add", "bot", "--role", "submitter", "--agent")
    with pytest.raises(SystemExit) as refused:
        run("token", "create", "--user", "bot", "--allow", "read,decide")
    assert refused.value.code == 2


def test_nobody_makes_or_ends_tokens_of_others(everybody: people.People) -> None:
    with pytest.raises(NotAllowed):
        tokens.create(everybody.mei, allow=["read"], caller=people.caller("rui"), now=clock.now())
    people.token("mei", "read")
    with pytest.raises(NotFound):
        tokens.revoke(Token.objects.get().pk, caller=people.caller("rui"), now=clock.now())


def test_the_console_lists_the_tokens_of_all_or_of_one(everybody: people.People) -> None:
    for name in ("rui", "drafter"):
        people.token(name, "read")
    assert [row["user"] for row in listed()] == ["drafter", "rui"]
    assert [row["user"] for row in listed("--user", "rui")] == ["rui"]


def test_without_an_admins_right_the_own_tokens_are_listed_alone(everybody: people.People) -> None:
    for name in ("rui", "mei"):
        people.token(name, "read")
    assert [row["user"] for row in listed("--as", "rui")] == ["rui"]


def listed(*arguments: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(run("token", "list", "--json", *arguments))["items"]
    return rows


def test_deciding_at_the_console_is_off_by_default(everybody: people.People) -> None:
    job = jobs.waiting(now=clock.now())
    with pytest.raises(SystemExit) as refused:
        run("approve", job.pk, "--hash", job.binding_hash, "--as", "rui")
    assert refused.value.code == 5


def test_a_policy_is_changed_by_a_new_version() -> None:
    run("policy", "set", "approvals=2", "groups=Legal,Desk", "--why", "x")
    rules, version = policies.effective("default", None, "blog.publish/v1")
    assert (version, rules.approvals, rules.groups) == (2, 2, ("Legal", "Desk"))
    assert rules.wait_seconds == 604800
    assert Policy.objects.count() == 2


def test_the_narrowest_policy_holds() -> None:
    blog = jobs.site("blog")
    run("policy", "set", "approvals=2", "--site", "blog", "--why", "x")
    assert policies.effective("default", blog, "blog.publish/v1")[0].approvals == 2
    assert policies.effective("default", jobs.site("other"), "blog.publish/v1")[0].approvals == 1


@pytest.mark.parametrize("rule", ["approvals=-1", "approvals=many", "nothing=1", "one_person=1"])
def test_a_rule_that_makes_no_sense_is_refused(rule: str) -> None:
    with pytest.raises(SystemExit) as refused:
        run("policy", "set", rule, "--why", "x")
    assert refused.value.code == 2
    assert Policy.objects.count() == 1


def test_one_person_needs_a_reason() -> None:
    with pytest.raises(SystemExit):
        run("policy", "set", "one_person=true")


def test_the_database_refuses_to_change_or_remove_a_decision(everybody: people.People) -> None:
    approval = jobs.request_of(jobs.waiting())
    decisions.decide(
        approval,
        caller=people.caller("rui"),
        decision="approve",
        reviewed_hash=approval.binding_hash,
        request_id="r",
        now=jobs.NOW,
    )
    with pytest.raises(DatabaseError), transaction.atomic():
        Decision.objects.update(comment="changed")
    with pytest.raises(DatabaseError), transaction.atomic():
        Decision.objects.all().delete()


def link_secret() -> str:
    return run("first_admin").rstrip("/").rpartition("/")[2]


def test_the_first_admins_link_works_once() -> None:
    secret = link_secret()
    principal = setup_link.redeem(secret, name="boss", password="long enough words")
    assert principal.user is not None
    assert principal.user.check_password("long enough words")
    assert people.caller("boss").may("admin", "default")
    assert not people.caller("boss").may("decide", "default")
    with pytest.raises(NotFound):
        setup_link.redeem(secret, name="thief", password="long enough words")


def test_the_link_needs_nobodys_role() -> None:
    run("user", "add", "anna", "--role", "admin")
    run("user", "remove", "local-operator", "--role", "admin")
    secret = setup_link.make(now=clock.now())
    chief = setup_link.redeem(secret, name="chief", password="long enough words")
    assert Caller(chief, "page").may("admin", "default")
    assert chief.user is not None
    assert chief.user.check_password("long enough words")


def test_the_links_secret_is_in_no_line_of_the_log() -> None:
    told = f"Not Found: /setup/{setup_link.make(now=clock.now())}/"
    assert logs.redact(None, "warning", {"event": told}) == {
        "event": "Not Found: /setup/[REDACTED:imprimatur-token]/"
    }


def test_a_weak_password_leaves_the_link_good() -> None:
    secret = link_secret()
    with pytest.raises(InvalidInput):
        setup_link.redeem(secret, name="boss", password="1")
    assert setup_link.check(secret)
    assert not Principal.objects.filter(name="boss").exists()


def test_the_link_ends_after_a_day() -> None:
    secret = link_secret()
    with pytest.raises(Expired):
        setup_link.check(secret, now=clock.now() + timedelta(hours=25))


def test_a_new_link_ends_the_one_before() -> None:
    first = link_secret()
    link_secret()
    with pytest.raises(NotFound):
        setup_link.check(first)


def test_with_an_admin_there_is_no_link() -> None:
    setup_link.redeem(link_secret(), name="boss", password="long enough words")
    with pytest.raises(SystemExit) as refused:
        run("first_admin")
    assert refused.value.code == 2


def test_the_links_secret_is_no_token_of_the_api() -> None:
    assert tokens.caller_for(link_secret(), now=clock.now()) is None
