"""The index of a site's files: names that no row can hold do not stop it, and are told."""

from pathlib import Path

import pytest
from django.db import DataError

from publisher.engine import site_index
from publisher.engine import sites as engine_sites
from publisher.models import Article, OtherFile, Site
from tests.support.git import second_person
from tests.support.journey import SEED, Journey, begin

LONG = "/".join(["content", *["中" * 60] * 15, "a.md"])
GROWS = "/".join(["public", *["\ufdfa" * 60] * 2, "a.png"])
"""Each of these letters is eighteen once it is folded."""


@pytest.fixture
def journey(db: None, tmp_path: Path) -> Journey:
    return begin(tmp_path, {**SEED, LONG: b"# Long\n", GROWS: b"x"})


def look(journey: Journey) -> Site:
    """The site after another look at its branch."""
    engine_sites.refresh(Site.objects.get(), journey.ports)
    return Site.objects.get()


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


def test_an_untitled_article_at_a_long_path_is_listed_by_what_its_column_holds(
    journey: Journey,
) -> None:
    path = f"content/{'a' * 190}/{'b' * 190}.md"
    second_person(journey.remote, {path: b"No title.\n"}, "long")
    assert look(journey).last_error == ""
    assert Article.objects.get(path=path).title == path[:300]
