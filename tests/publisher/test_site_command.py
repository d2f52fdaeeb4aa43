"""The site command: what every act takes stands before or after the name of the act."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from pytest_django import Settings

from publisher.engine import sites as engine_sites
from publisher.models import Outbox, Site
from publisher.ports import Ports
from tests.support import jobs, people
from tests.support.git import git, make_remote

pytestmark = pytest.mark.django_db


def document(*arguments: str) -> dict[str, Any]:
    out = StringIO()
    call_command(*arguments, stdout=out)
    found: dict[str, Any] = json.loads(out.getvalue())
    return found


@pytest.mark.parametrize(
    "words", [["site", "list", "--json"], ["site", "--json", "list"]], ids=["after", "before"]
)
def test_the_list_is_one_document_wherever_it_is_asked_for(words: list[str]) -> None:
    jobs.site()
    assert [row["name"] for row in document(*words)["items"]] == ["blog"]


@pytest.mark.parametrize(
    "words", [["user", "list", "--json"], ["user", "--json", "list"]], ids=["after", "before"]
)
def test_people_are_listed_as_one_document_wherever_it_is_asked_for(words: list[str]) -> None:
    people.everybody()
    assert "ada" in [row["name"] for row in document(*words)["items"]]


def test_a_site_is_connected_and_checked_in_somebodys_name(
    tmp_path: Path, settings: Settings
) -> None:
    people.everybody()
    settings.IMPRIMATUR_DATA_DIR = tmp_path / "data"
    remote = make_remote(tmp_path / "remote.git", {"content/a.md": b"# A\n"})
    named = ("--as", "omar", "--json")
    added = document("site", "add", "paper", "--remote", str(remote), *named)
    assert added == {"site": "paper", "branch": "main", "is_new_scope": False}
    checked = document("site", "check", "paper", *named)
    assert checked["site"] == "paper"
    assert all(fact["ok"] for fact in checked["facts"])


def test_the_first_site_of_a_scope_is_said_to_be_it(tmp_path: Path, settings: Settings) -> None:
    settings.IMPRIMATUR_DATA_DIR = tmp_path / "data"
    told = []
    for name, scope in (("blog", "default"), ("paper", "nws"), ("letter", "nws")):
        out = StringIO()
        remote = str(make_remote(tmp_path / f"{name}.git", {"content/a.md": b"# A\n"}))
        call_command("site", "add", name, "--remote", remote, "--scope", scope, stdout=out)
        told.append(out.getvalue())
    assert ["first site in the scope nws" in each for each in told] == [False, True, False]
    assert "user add NAME --scope nws" in told[1]
    assert "site remove paper" in told[1]


def test_a_change_of_nothing_is_refused() -> None:
    assert "Name a setting to change" in refusal("site", "set", jobs.site().name)


@pytest.mark.parametrize("act", ["add", "set"])
@pytest.mark.parametrize("content", [None, "", "readable"], ids=["missing", "empty", "open"])
def test_a_token_file_that_is_none_is_refused_by_its_own_flag(
    tmp_path: Path, settings: Settings, content: str | None, act: str
) -> None:
    settings.IMPRIMATUR_DATA_DIR = tmp_path
    token = tmp_path / "token"
    if content is not None:
        token.write_text(content)
        token.chmod(0o644 if content else 0o600)
    words = ["add", "paper", "--remote", "https://git.invalid/paper.git"]
    if act == "set":
        words = ["set", jobs.site().name]
    before = list(Site.objects.values())
    said = refusal("site", *words, "--https-token-file", str(token))
    assert said.startswith("credentials: https-token-file: ")
    assert list(Site.objects.values()) == before


def test_a_site_whose_remote_is_not_there_leaves_nothing(
    tmp_path: Path, settings: Settings
) -> None:
    settings.IMPRIMATUR_DATA_DIR = tmp_path / "data"
    said = refusal("site", "add", "paper", "--remote", str(tmp_path / "away.git"))
    assert said.startswith("unreachable: remote: ")
    assert "stays" not in said
    assert not Site.objects.exists()
    assert not Outbox.objects.exists()
    assert list((tmp_path / "data" / "git").iterdir()) == []


def test_a_site_that_somebody_used_while_its_remote_was_tried_stays(
    tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.IMPRIMATUR_DATA_DIR = tmp_path / "data"
    reach = engine_sites.reach

    def slow(site: Site, ports: Ports) -> None:
        jobs.received(at=site)
        reach(site, ports)

    monkeypatch.setattr(engine_sites, "reach", slow)
    said = refusal("site", "add", "paper", "--remote", str(tmp_path / "away.git"))
    assert "Somebody uses the site by now, so it stays" in said
    assert Site.objects.get().jobs.count() == 1
    assert Outbox.objects.filter(pk=f"site_fetch:{Site.objects.get().pk}").exists()


def test_a_branch_that_the_remote_lacks_is_refused_for_a_site_that_is_there_too(
    tmp_path: Path, settings: Settings
) -> None:
    settings.IMPRIMATUR_DATA_DIR = tmp_path / "data"
    remote = make_remote(tmp_path / "remote.git", {"content/a.md": b"# A\n"})
    git(remote, "branch", "second", "main")
    document("site", "add", "paper", "--remote", str(remote), "--json")
    said = refusal("site", "set", "paper", "--branch", "gone")
    assert said == 'invalid: branch: The remote has no branch "gone". It has: main, second.\n'
    assert Site.objects.get().branch == "main"
    document("site", "set", "paper", "--branch", "second", "--json")
    assert Site.objects.get().branch == "second"


def test_a_branch_may_be_set_while_nobody_can_look(tmp_path: Path, settings: Settings) -> None:
    settings.IMPRIMATUR_DATA_DIR = tmp_path
    Site.objects.filter(pk=jobs.site().pk).update(remote=str(tmp_path / "away.git"))
    document("site", "set", "blog", "--branch", "second", "--json")
    assert Site.objects.get().branch == "second"
    assert "no name of a branch" in refusal("site", "set", "blog", "--branch", "a..b")


def test_a_token_file_has_an_absolute_path() -> None:
    assert "absolute" in refusal("site", "set", jobs.site().name, "--https-token-file", "token")


def test_the_list_tells_what_is_wrong_and_no_password() -> None:
    jobs.site()
    Site.objects.update(
        remote="https://bot:sec/retSECRET0017@h/r", clone_state="failed", last_error="Cut off."
    )
    out = StringIO()
    call_command("site", "list", stdout=out)
    assert out.getvalue() == "blog  https://h/r  main  failed  Cut off.\n"


def refusal(*arguments: str) -> str:
    """What stands on stderr of a command that ends with code 2."""
    errors = StringIO()
    with pytest.raises(SystemExit) as left:
        call_command(*arguments, stderr=errors, stdout=StringIO())
    assert left.value.code == 2
    return errors.getvalue()
