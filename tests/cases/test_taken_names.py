"""Paths that the branch cannot take are refused when they are handed in, by the field that held them."""

from pathlib import Path

import pytest

from publisher.domain.errors import InvalidInput
from publisher.engine import sites
from publisher.services.submit import Asset
from tests.support.git import second_person
from tests.support.journey import FRESH, SEED, TARGET, Journey, begin
from tests.support.requests import As

TEXT = b"---\ntitle: A day\n---\n\nA day at sea.\n"


@pytest.fixture
def journey(db: None, tmp_path: Path) -> Journey:
    return begin(tmp_path, {**SEED, "public/fotos/sea.png": b"png", "notes.txt": b"none of ours\n"})


def arrive(journey: Journey, changes: dict[str, bytes | None], **also: dict[str, str]) -> None:
    """A person's push that the site has fetched and indexed."""
    second_person(journey.remote, changes, "a person's push", **also)  # type: ignore[arg-type]
    sites.refresh(journey.site, journey.ports)
    journey.site.refresh_from_db()


def refused(journey: Journey, path: str, *assets: str) -> str:
    along = tuple(Asset(each, b"x") for each in assets)
    with pytest.raises(InvalidInput) as error:
        journey.submit(TEXT, path, action="create", assets=along)
    return error.value.field


@pytest.mark.parametrize("asset", ["public/fotos/SEA.png", "public/Fotos/new.png", "public/ｆotos"])
def test_an_asset_that_is_the_twin_of_another(journey: Journey, asset: str) -> None:
    assert refused(journey, FRESH, asset) == "assets"


def test_a_committed_link_as_a_folder_above(journey: Journey) -> None:
    arrive(journey, {}, links={"content/elsewhere": "/etc", "public/elsewhere": "fotos"})
    assert refused(journey, "content/elsewhere/a.mdx") == "target_path"
    assert refused(journey, FRESH, "public/elsewhere/a.png") == "assets"


def test_what_a_person_takes_away_is_free_again(journey: Journey) -> None:
    arrive(journey, {}, links={"content/elsewhere": "/etc"})
    assert refused(journey, "content/elsewhere/a.mdx") == "target_path"
    arrive(journey, {"content/elsewhere": None, "public/fotos/sea.png": None})
    taken = journey.published(
        TEXT, "content/elsewhere/a.mdx", action="create", assets=(Asset("public/Fotos/a", b"x"),)
    )
    journey.is_sound(taken)


def test_an_article_that_becomes_a_link_and_a_file_again(journey: Journey) -> None:
    arrive(journey, {TARGET: None}, links={TARGET: "other.mdx"})
    assert refused(journey, TARGET) == "target_path"
    arrive(journey, {TARGET: None})
    arrive(journey, {TARGET: b"---\ntitle: Back\n---\n\nA file again.\n"})
    journey.submit(TEXT, TARGET, action="update")


def test_a_rewritten_history_leaves_no_name_taken(journey: Journey) -> None:
    assert refused(journey, FRESH, "public/fotos/SEA.png") == "assets"
    second_person(journey.remote, SEED, "anew", rewrite=True)
    sites.refresh(journey.site, journey.ports)
    journey.submit(TEXT, FRESH, action="create", assets=(Asset("public/fotos/SEA.png", b"x"),))


def test_a_program_is_told_the_field(journey: Journey) -> None:
    arrive(journey, {}, links={"content/elsewhere": "/etc"})
    body = {
        "site": journey.site.name, "content": TEXT.decode(), "action": "create",
        "target_path": "content/elsewhere/a.mdx",
    }  # fmt: skip
    answer = As("ada").post("/jobs", body, **{"Idempotency-Key": "k"})
    assert (answer.status_code, answer.json()["field"]) == (422, "target_path")
    assert "symbolic link" in answer.json()["detail"]
