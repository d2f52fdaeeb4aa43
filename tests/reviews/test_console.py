"""The console acts for people who exist, and who may do what is asked in their name."""

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from pytest_django import Settings

from publisher import clock, selectors
from publisher.models import Job, Site, TopicCursor
from reviews.models import Membership, Principal
from tests.support import jobs, people

pytestmark = pytest.mark.django_db


def test_nobody_submits_under_a_name_that_nobody_has(tmp_path: Path) -> None:
    people.everybody()
    site = jobs.site()
    draft = tmp_path / "a.md"
    draft.write_text("# A\n\nText.\n")
    arguments = ["submit", "--site", site.name, "--content", str(draft), "--target-path"]
    errors = StringIO()
    with pytest.raises(SystemExit) as left:
        call_command(*arguments, "content/posts/a.md", "--as", "stranger", stderr=errors)
    assert left.value.code == 5
    assert "stranger" in errors.getvalue()
    assert not Job.objects.exists()
    call_command(*arguments, "content/posts/a.md", "--as", "ada", stdout=StringIO())
    assert Job.objects.get().requester == "ada"


def run(*arguments: str) -> tuple[int, str]:
    """The exit code, and what was said about it."""
    errors = StringIO()
    try:
        call_command(*arguments, stdout=StringIO(), stderr=errors)
    except SystemExit as left:
        return int(left.code or 0), errors.getvalue()
    return 0, ""


def one_site(name: str, role: str, site: Site) -> None:
    """A role for one site alone."""
    holder = Principal.objects.get(name=name)
    Membership.objects.create(principal=holder, scope=site.scope, site=site, role=role)


ACTS = {
    "cancel": ["JOB"],
    "retry": ["JOB"],
    "revert": ["JOB"],
    "skip": ["JOB", "--reason", "no"],
    "override": ["JOB", "--reason", "no", "--finding", "1"],
    "publish-anyway": ["JOB"],
    "record-published": ["JOB", "--reason", "no"],
    "submit": ["--site", "blog", "--source", "FILE"],
    "open-topic": ["--site", "blog", "--session", "s"],
    "close-topic": ["--site", "blog", "--session", "s", "--source", "FILE"],
    "site": ["add", "other", "--remote", "/srv/git/other.git"],
    "site set": ["set", "blog", "--branch", "b"],
    "site pause": ["pause", "blog"],
    "site resume": ["resume", "blog"],
    "site remove": ["remove", "blog"],
    "site check": ["check", "blog"],
}


@pytest.mark.parametrize("who", ["zoe", "rui"])
@pytest.mark.parametrize("act", ACTS)
def test_who_may_not_do_it_by_http_may_not_do_it_here(act: str, who: str, tmp_path: Path) -> None:
    people.everybody()
    job = jobs.waiting()
    (tmp_path / "a.md").write_text("# A\n\nText.\n")
    given = {"JOB": job.pk, "FILE": str(tmp_path / "a.md")}
    words = [given.get(word, word) for word in ACTS[act]]
    before = (list(Job.objects.values()), list(Site.objects.values()))
    code, said = run(act.split()[0], *words, "--as", who)
    if who == "zoe" and "JOB" in ACTS[act]:
        assert (code, said) == (4, f"not_found: There is no job {job.pk} that you may see.\n")
    elif who == "zoe" and act != "site":
        assert (code, said) == (4, "not_found: There is no site blog that you may see.\n")
    else:
        assert code == 5
        assert said.startswith("not_allowed: You need another role")
    assert (list(Job.objects.values()), list(Site.objects.values())) == before
    assert not TopicCursor.objects.exists()


@pytest.mark.parametrize("act", [act for act in ACTS if "JOB" in ACTS[act]] + ["inspect"])
@pytest.mark.parametrize("who", ["olga", "one", "nobody"])
def test_a_job_out_of_reach_is_told_as_one_that_is_not_there(act: str, who: str) -> None:
    people.everybody()
    people.add("olga", "operator", scope="elsewhere")
    people.add("one")
    one_site("one", "operator", jobs.site("another"))
    job = jobs.waiting()
    words = ACTS.get(act, ["JOB"])[1:]
    known = run(act, job.pk, *words, "--as", who)
    unknown = run(act, "no-such-job", *words, "--as", who)
    assert known[0] == (5 if who == "nobody" else 4)
    assert (known[0], known[1].replace(job.pk, "no-such-job")) == unknown


@pytest.mark.parametrize(("who", "part"), [("ada", "submitter"), ("omar", "operator")])
def test_a_job_is_stopped_by_who_asked_for_it_and_by_operators(who: str, part: str) -> None:
    people.everybody()
    job = jobs.waiting()
    assert run("cancel", job.pk, "--as", who) == (0, "")
    last = selectors.events(job)[-1]
    assert (last.event, last.actor, last.actor_name) == ("cancel", part, who)


def test_a_submitter_stops_no_job_of_others() -> None:
    people.everybody()
    people.add("bea", "submitter")
    assert run("cancel", jobs.waiting().pk, "--as", "bea")[0] == 5


def test_a_role_for_one_site_is_none_for_another() -> None:
    people.everybody()
    one_site("zoe", "operator", jobs.site("diary"))
    assert run("site", "pause", "diary", "--as", "zoe") == (0, "")
    jobs.site()
    assert run("site", "pause", "blog", "--as", "zoe")[0] == 4
    Membership.objects.create(
        principal=Principal.objects.get(name="zoe"), scope="default", role="reviewer"
    )
    assert run("site", "pause", "blog", "--as", "zoe")[0] == 5


SITE_ACTS = [act for act in ACTS if "blog" in ACTS[act]]


@pytest.mark.parametrize("act", [*SITE_ACTS, "reconcile", "external-sync"])
@pytest.mark.parametrize("who", ["olga", "one", "nobody"])
def test_a_site_out_of_reach_is_told_as_one_that_is_not_there(
    act: str, who: str, tmp_path: Path
) -> None:
    people.everybody()
    people.add("olga", "operator", scope="elsewhere")
    people.add("one")
    one_site("one", "operator", jobs.site("another"))
    jobs.site()
    (tmp_path / "a.md").write_text("# A\n\nText.\n")
    words = ACTS.get(act, ["--site", "blog"])

    def said(name: str) -> tuple[int, str]:
        given = {"blog": name, "FILE": str(tmp_path / "a.md")}
        return run(act.split()[0], *(given.get(word, word) for word in words), "--as", who)

    known, unknown = said("blog"), said("no-such-site")
    assert known[0] == (5 if who == "nobody" else 4)
    assert (known[0], known[1].replace("site blog ", "site no-such-site ")) == unknown


def test_the_list_of_sites_is_that_of_who_asks() -> None:
    people.everybody()
    people.add("one")
    one_site("one", "auditor", jobs.site("another"))
    jobs.site()
    for who, names in (("one", ["another"]), ("rui", ["another", "blog"]), ("zoe", [])):
        out = StringIO()
        call_command("site", "list", "--json", "--as", who, stdout=out)
        assert [row["name"] for row in json.loads(out.getvalue())["items"]] == names
    assert run("site", "list", "--as", "nobody")[0] == 5


@pytest.mark.parametrize("words", [("work", "--once", "--job"), ("reconcile", "--site")])
def test_what_nobody_knows_is_no_work_done(words: tuple[str, ...]) -> None:
    assert run(*words, "nope")[0] == 4


@pytest.mark.parametrize("seconds", ["-5", "0", "0.09", "nan", "inf", "1e300", "3601"])
def test_a_lease_has_bounds(seconds: str) -> None:
    code, said = run("work", "--once", f"--lease-seconds={seconds}")
    assert (code, said) == (2, "invalid: lease_seconds: Give 0.1 to 3600 seconds.\n")


VERBS = {"user": "disable", "token": "revoke", "policy": "show", "site": "pause"}


@pytest.mark.parametrize("command", VERBS)
def test_the_help_names_the_verbs(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        call_command(command, "--help")
    said = capsys.readouterr().out
    assert VERBS[command] in said


def test_a_disabled_account_does_nothing_here() -> None:
    omar = people.everybody().omar
    Principal.objects.filter(pk=omar.pk).update(disabled_at=clock.now())
    jobs.site()
    assert run("site", "pause", "blog", "--as", "omar")[0] == 5


def test_without_a_name_whoever_keeps_the_installation_acts_in_every_scope() -> None:
    job = jobs.waiting(at=jobs.site("theirs", scope="elsewhere"))
    assert run("cancel", job.pk) == (0, "")
    assert run("site", "pause", "theirs") == (0, "")


@pytest.mark.parametrize("act", ["approve", "reject", "request-changes", "withdraw"])
def test_a_decision_without_a_hash_says_which_flag_takes_it_and_where_it_stands(
    act: str, settings: Settings
) -> None:
    people.everybody()
    settings.IMPRIMATUR_CLI_DECISIONS = True
    job = jobs.waiting()
    code, said = run(act, job.pk, "--as", "rui")
    assert code == 5
    assert said.startswith("hash_required: reviewed_hash: ")
    assert "--hash" in said
    shown = StringIO()
    assert f"`inspect {job.pk}`" in said
    call_command("inspect", job.pk, stdout=shown)
    assert f"binding_hash: {job.binding_hash}" in shown.getvalue()
