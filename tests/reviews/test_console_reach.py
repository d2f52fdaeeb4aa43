"""What the console tells of people, rules and jobs: what the one who asks may see, damaged or not."""

import json
from io import StringIO

import pytest
from django.core.management import call_command

from reviews.models import Membership, Principal
from tests.support import jobs, page_rows, people
from tests.support.planted import stored_file

pytestmark = pytest.mark.django_db


def run(*arguments: str) -> str:
    out = StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue().strip()


def names(*arguments: str) -> dict[str, list[str]]:
    rows = json.loads(run("user", "list", "--json", *arguments))["items"]
    return {row["name"]: row["roles"] for row in rows}


LISTS = [("user", "list"), ("policy", "show")]


@pytest.mark.parametrize("words", LISTS, ids=" ".join)
@pytest.mark.parametrize("who", ["zoe", "rui"])
def test_a_scope_without_a_role_in_it_is_told_as_one_that_is_not_there(
    everybody: people.People, words: tuple[str, ...], who: str, capsys: pytest.CaptureFixture[str]
) -> None:
    people.add("eve", "reviewer", scope="other")
    for scope in ("other", "nowhere"):
        with pytest.raises(SystemExit) as refused:
            run(*words, "--scope", scope, "--as", who)
        assert refused.value.code == 2
        told = capsys.readouterr()
        assert told.out == ""
        assert told.err == f"not_found: There is no scope {scope} that you may see.\n"


@pytest.mark.parametrize("words", LISTS, ids=" ".join)
def test_without_a_name_every_scope_is_shown(
    everybody: people.People, words: tuple[str, ...]
) -> None:
    people.add("eve", "reviewer", scope="other")
    assert run(*words, "--scope", "other")
    assert names("--scope", "other")["eve"] == ["reviewer"]


def test_the_list_of_people_holds_what_the_one_who_asks_may_see(everybody: people.People) -> None:
    diary, zoe = jobs.site("diary"), Principal.objects.get(name="zoe")
    one = people.add("one")
    for person, site in ((zoe, jobs.site("blog")), (one, diary)):
        Membership.objects.create(principal=person, scope="default", site=site, role="operator")
    people.add("new")
    seen = names("--as", "zoe")
    assert (seen["zoe"], seen["rui"]) == (["operator"], ["reviewer"])
    assert not {"one", "new"} & seen.keys()
    assert {"one", "new"} <= names("--as", "omar").keys()
    assert {"one", "new"} <= names().keys()


def test_the_rules_of_a_site_out_of_reach_are_not_shown(
    everybody: people.People, capsys: pytest.CaptureFixture[str]
) -> None:
    zoe = Principal.objects.get(name="zoe")
    blog, _diary = jobs.site("blog"), jobs.site("diary")
    Membership.objects.create(principal=zoe, scope="default", site=blog, role="operator")
    assert "default/blog" in run("policy", "show", "--site", "blog", "--as", "zoe")
    for name in ("diary", "nowhere"):
        with pytest.raises(SystemExit):
            run("policy", "show", "--site", name, "--as", "zoe")
        assert f"There is no site {name} that you may see." in capsys.readouterr().err


@pytest.mark.parametrize("side", ["base", "ours", "theirs"])
@pytest.mark.parametrize("is_gone", [True, False])
def test_a_damaged_version_is_named_beside_those_that_are_whole(side: str, is_gone: bool) -> None:
    people.everybody()
    job = page_rows.clashing(at=jobs.site(), now=jobs.NOW)
    name = job.conflicts.get().files[0][side]
    if is_gone:
        stored_file(name).unlink()
    else:
        stored_file(name).write_bytes(b"spoiled")
    (told,) = json.loads(run("inspect", job.pk, "--json"))["conflict"]["files"]
    assert (told[side], told[f"{side}_text"], told[f"{side}_size"]) == (name, None, None)
    whole = {"base", "ours", "theirs"} - {side}
    assert all(told[f"{one}_text"] for one in whole)
