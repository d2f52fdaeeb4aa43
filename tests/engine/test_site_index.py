"""The index of a site's files: what is in it, who waits for it, and what goes wrong with it."""

from pathlib import Path
from typing import Any

import pytest
from django.db import DataError

from publisher.domain.errors import AdapterError
from publisher.domain.states import State
from publisher.engine import site_index
from publisher.engine import sites as engine_sites
from publisher.engine.reconcile import fetches
from publisher.models import Article, OtherFile, Site
from publisher.ports import Change
from publisher.services import sites
from tests.support.git import make_remote, second_person
from tests.support.journey import (
    FRESH,
    FRESH_TEXT,
    SEED,
    TARGET,
    Journey,
    begin,
    fresh,
    ports_in,
    told,
)
from tests.support.people import everybody

LONG = "/".join(["content", *["中" * 60] * 15, "a.md"])
GROWS = "/".join(["public", *["\ufdfa" * 60] * 2, "a.png"])
"""Each of these letters is eighteen once it is folded."""

DOC = "docs/a.md"


@pytest.fixture
def journey(db: None, tmp_path: Path) -> Journey:
    return begin(tmp_path, {**SEED, LONG: b"# Long\n", GROWS: b"x"})


def look(journey: Journey) -> Site:
    """The site after another look at its branch."""
    engine_sites.refresh(Site.objects.get(), journey.ports)
    return Site.objects.get()


def articles() -> set[str]:
    return set(Article.objects.values_list("path", flat=True))


def said(site: Site) -> list[str]:
    return [fact["message"] for fact in site.check_report if fact["name"] == "names"]


def test_a_name_that_no_row_can_hold_is_left_out_and_told(journey: Journey) -> None:
    site = Site.objects.get()
    assert (site.indexed_commit, site.last_error) == (site.head, "")
    held = {row.path for model in (Article, OtherFile) for row in model.objects.all()}
    assert held == set(SEED)
    (words,) = said(site)
    assert "2 in all" in words
    engine_sites.check(site, journey.ports)
    assert said(Site.objects.get()) == [words]


def test_nothing_is_told_once_the_last_of_them_is_gone(journey: Journey) -> None:
    second_person(journey.remote, {LONG: None}, "one less")
    (words,) = said(look(journey))
    assert "1 in all" in words
    second_person(journey.remote, {GROWS: None}, "none")
    assert said(look(journey)) == []


def test_nothing_is_told_of_them_when_all_is_listed_anew(journey: Journey) -> None:
    second_person(journey.remote, {LONG: None, GROWS: None}, "none")
    Site.objects.update(indexed_commit="")
    assert said(look(journey)) == []


def test_what_the_database_does_not_take_is_the_sites_trouble(
    journey: Journey, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise DataError("value too long")

    monkeypatch.setattr(site_index, "update", refused)
    with pytest.raises(DataError):
        look(journey)
    assert "value too long" in Site.objects.get().last_error


def test_the_rows_of_one_pattern_stay_until_those_of_another_are_there(
    journey: Journey, monkeypatch: pytest.MonkeyPatch
) -> None:
    second_person(journey.remote, {DOC: b"# A doc\n"}, "docs")
    look(journey)
    meanwhile: list[set[str]] = []
    real = site_index._index_others

    def watched(site: Site, chunk: list[Change]) -> None:
        meanwhile.append(articles())
        real(site, chunk)

    monkeypatch.setattr(site_index, "_index_others", watched)
    before = articles()
    sites.change(Site.objects.get(), now=journey.now(), articles="docs/**/*.md")
    look(journey)
    assert before
    assert all(before <= seen for seen in meanwhile)
    assert articles() == {DOC}
    held = set(OtherFile.objects.values_list("path", flat=True))
    assert held == set(SEED)


@pytest.mark.parametrize("what", ["another pattern", "another run"])
def test_what_changes_during_a_run_has_all_listed_anew(
    journey: Journey, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    second_person(journey.remote, {DOC: b"# A doc\n"}, "docs")
    real = site_index._index_others
    others: list[None] = [None]

    def interrupted(site: Site, chunk: list[Change]) -> None:
        real(site, chunk)
        if others:
            others.pop()
            if what == "another pattern":
                sites.change(Site.objects.get(), now=journey.now(), articles="docs/**/*.md")
            else:
                second_person(journey.remote, {TARGET: None}, "later")
                look(journey)

    monkeypatch.setattr(site_index, "_index_others", interrupted)
    look(journey)
    site = look(journey)
    assert site.indexed_commit == site.head == journey.head()
    expected = {DOC} if what == "another pattern" else {"content/posts/other.mdx"}
    assert articles() == expected
    assert DOC in {row.path for model in (Article, OtherFile) for row in model.objects.all()}


def test_a_job_of_a_new_site_waits_until_its_articles_are_listed(
    db: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    everybody()
    remote, ports = make_remote(tmp_path / "remote.git", SEED), ports_in(tmp_path)
    site = sites.add(name="m", remote=str(remote), scope="default", now=ports.clock.now())
    journey = Journey(tmp_path, remote, ports, site)
    job = journey.submit(FRESH_TEXT, FRESH, action="create")
    real, claims = site_index.update, list[bool]()

    def slow(*arguments: Any) -> None:
        claims.append(journey.engine()._advance(job.pk))
        real(*arguments)

    monkeypatch.setattr(site_index, "update", slow)
    journey.work()
    assert claims == [False]
    assert fresh(job).state == State.WAITING_APPROVAL, told(job)


def test_a_defect_while_the_branch_is_read_is_the_sites_trouble(
    journey: Journey, monkeypatch: pytest.MonkeyPatch
) -> None:
    def defect(*_: object) -> None:
        raise ValueError("Exceeds the limit for integer string conversion")

    second_person(journey.remote, {DOC: b"# A doc\n"}, "docs")
    with monkeypatch.context() as broken:
        broken.setattr(site_index, "update", defect)
        with pytest.raises(AdapterError):
            look(journey)
    assert "unexpected ValueError" in Site.objects.get().last_error
    engine_sites.check(Site.objects.get(), journey.ports)
    assert look(journey).last_error == ""


def test_a_sweep_has_what_jobs_fetched_listed_at_once(journey: Journey) -> None:
    assert fetches.run(journey.ports).left == 1
    journey.published(FRESH_TEXT, FRESH, action="create")
    assert fetches.run(journey.ports).changed == 1
    journey.work()
    site = Site.objects.get()
    assert (site.indexed_commit, FRESH in articles()) == (site.head, True)
    assert fetches.run(journey.ports).left == 1


def test_an_untitled_article_at_a_long_path_is_listed_by_what_its_column_holds(
    journey: Journey,
) -> None:
    path = f"content/{'a' * 190}/{'b' * 190}.md"
    second_person(journey.remote, {path: b"No title.\n"}, "long")
    assert look(journey).last_error == ""
    assert Article.objects.get(path=path).title == path[:300]
