"""The console acts for people who exist, and who may do what is asked in their name."""

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
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
    assert run("site", "pause", "blog", "--as", "zoe")[0] == 5


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
    with pytest.raises(CommandError) as refused:
        call_command(act, job.pk, "--as", "rui", stdout=StringIO())
    assert "--hash" in str(refused.value)
    shown = StringIO()
    assert f"`inspect {job.pk}`" in str(refused.value)
    call_command("inspect", job.pk, stdout=shown)
    assert f"binding_hash: {job.binding_hash}" in shown.getvalue()
