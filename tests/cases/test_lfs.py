"""A path that git keeps in LFS: nothing raw is published there, whenever it became one."""

from pathlib import Path

import pytest
from django.test import Client

from publisher import selectors
from publisher.domain.errors import InvalidInput, WrongState
from publisher.domain.states import State
from publisher.models import Finding, Job, Site
from publisher.ports import Source
from publisher.services import acts
from publisher.services.submit import Asset
from reviews.models import Principal
from tests.support.fonts import ASCII, FONT, tiny_font
from tests.support.git import second_person
from tests.support.journey import (
    FRESH,
    FRESH_TEXT,
    OMAR,
    SEED,
    TARGET,
    Journey,
    begin,
    event,
    fresh,
    told,
)

COVER = "public/covers/new.png"
RAW = b"\x89PNG\r\n\x1a\nRAW\x00"
POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"3" * 64 + b"\nsize 12345\n"
ON_LFS = {".gitattributes": b"*.png filter=lfs -text\n*.woff2 filter=lfs -text\n"}


@pytest.fixture
def on_lfs(db: None, tmp_path: Path) -> Journey:
    """A site whose pictures and fonts are in LFS."""
    return begin(tmp_path, {**SEED, **ON_LFS, "public/covers/old.png": POINTER})


def with_fonts(folder: Path, **files: bytes) -> Journey:
    source = folder / "tiny.ttf"
    source.write_bytes(tiny_font(ASCII))
    return begin(folder, {**SEED, **files}, fonts=FONT, font_source=str(source))


def blocks(job: Job) -> list[tuple[str, str]]:
    found = [found for found in selectors.findings(fresh(job)) if found.severity == "block"]
    return [(one.rule, one.path) for one in found]


def test_raw_data_is_blocked_and_nobody_overrules_it(on_lfs: Journey) -> None:
    before = on_lfs.head()
    cover = (Asset(COVER, RAW),)
    job = on_lfs.submit(FRESH_TEXT, FRESH, action="create", assets=cover)
    on_lfs.work()

    assert fresh(job).state == State.REVIEW, told(job)
    assert blocks(job) == [("lfs_path", COVER)]
    finding = Finding.objects.get(step__job=job, rule="lfs_path")
    with pytest.raises(InvalidInput, match="cannot be overruled"):
        acts.override(
            fresh(job), finding_id=finding.pk, who=OMAR, now=on_lfs.now(), reason="Ours to say."
        )
    assert on_lfs.head() == before
    on_lfs.is_sound(job)


def test_a_font_that_would_lie_raw_in_lfs_is_blocked(db: None, tmp_path: Path) -> None:
    journey = with_fonts(tmp_path, **ON_LFS)
    job = journey.submit(FRESH_TEXT, FRESH, action="create")
    journey.work()

    assert fresh(job).state == State.REVIEW, told(job)
    assert blocks(job) == [("lfs_path", FONT)]
    journey.is_sound(job)


@pytest.mark.parametrize("path", [COVER, FONT])
def test_once_the_site_is_changed_it_is_tried_again_from_its_tip(
    db: None, tmp_path: Path, path: str
) -> None:
    journey = with_fonts(tmp_path, **{".gitattributes": f"{path} filter=lfs\n".encode()})
    cover = (Asset(COVER, RAW),) if path == COVER else ()
    job = journey.submit(FRESH_TEXT, FRESH, action="create", assets=cover)
    journey.work()
    for _ in range(3):  # nothing was changed yet
        acts.retry(fresh(job), who=OMAR, now=journey.now())
        assert fresh(job).manifest_artifact == ""
        journey.work()
        assert fresh(job).state == State.REVIEW, told(job)
        assert blocks(job) == [("lfs_path", path)]

    back = second_person(journey.remote, {".gitattributes": None}, "no lfs")
    with pytest.raises(WrongState, match="still block"):
        acts.ask_again(fresh(job), who=OMAR, now=journey.now())
    omar, user = Client(), Principal.objects.get(name="omar").user
    assert user is not None
    omar.force_login(user)
    page = omar.get(f"/jobs/{job.pk}/review/").content.decode()
    assert "chooses “Try again now”" in page
    assert "act/retry/" in page
    omar.post(f"/jobs/{job.pk}/act/retry/")
    journey.work()
    assert (fresh(job).state, fresh(job).base_commit) == (State.WAITING_APPROVAL, back), told(job)
    journey.approve(job)
    journey.work()
    assert fresh(job).state == State.PUBLISHED, told(job)
    journey.is_sound(job)


def test_of_two_drafts_of_one_title_tried_again_each_is_an_article_of_its_own(
    db: None, tmp_path: Path
) -> None:
    journey = with_fonts(tmp_path, **{".gitattributes": f"{FONT} filter=lfs\n".encode()})
    texts = ("The tide turns at noon today, and boats wait.", "Bread needs flour, water and salt.")
    jobs = [journey.submit(sources=(Source("notes", text),), title="News") for text in texts]
    journey.work()
    assert [fresh(job).failure_code for job in jobs] == ["lfs_path"] * 2
    second_person(journey.remote, {".gitattributes": None}, "no lfs")
    Site.objects.update(last_error="It did not answer.")  # a person asks: it is looked at anyway
    for job in jobs:
        acts.retry(fresh(job), who=OMAR, now=journey.now())
        journey.work()
        journey.approve(job)
        journey.work()
        assert (fresh(job).state, fresh(job).operation) == (State.PUBLISHED, "create"), told(job)
    assert fresh(jobs[0]).target_path != fresh(jobs[1]).target_path


def test_trying_again_replaces_no_change_of_others_unseen(on_lfs: Journey) -> None:
    cover = (Asset(COVER, RAW),)
    job = on_lfs.submit(FRESH_TEXT, TARGET, action="update", assets=cover)
    on_lfs.work()
    assert blocks(job) == [("lfs_path", COVER)]

    changes = {".gitattributes": None, TARGET: FRESH_TEXT + b"\nTheirs.\n"}
    second_person(on_lfs.remote, changes, "no lfs, and another text")
    acts.retry(fresh(job), who=OMAR, now=on_lfs.now())
    on_lfs.work()
    assert fresh(job).state == State.REVIEW, told(job)
    assert blocks(job) == [("changed_since", TARGET)]
    assert "since this text was written" in fresh(job).failure_message
    with pytest.raises(WrongState, match="Retry is not possible"):
        acts.retry(fresh(job), who=OMAR, now=on_lfs.now())
    on_lfs.is_sound(job)


@pytest.mark.parametrize("path", [COVER, FONT])
def test_what_became_a_path_of_lfs_after_the_yes_goes_to_people(
    db: None, tmp_path: Path, path: str
) -> None:
    journey = with_fonts(tmp_path)
    cover = (Asset(COVER, RAW),) if path == COVER else ()
    job = journey.approved(FRESH_TEXT, FRESH, action="create", assets=cover)
    tip = second_person(journey.remote, {".gitattributes": f"{path} filter=lfs\n".encode()}, "lfs")
    journey.work()

    assert fresh(job).state == State.REVIEW, told(job)
    assert fresh(job).failure_code == "lfs_path"
    assert path in event(job, "refuse").reason
    assert journey.head() == tip

    back = second_person(journey.remote, {".gitattributes": None}, "no lfs")
    acts.ask_again(fresh(job), who=OMAR, now=journey.now())
    journey.work()
    assert fresh(job).state == State.PUBLISHED, told(job)
    assert journey.commits_of(job)[0].parents == (back,)
    journey.is_sound(job)


def test_attributes_that_say_nothing_of_lfs_hold_nothing_up(journey: Journey) -> None:
    job = journey.approved(FRESH_TEXT, FRESH, action="create", assets=(Asset(COVER, RAW),))
    second_person(journey.remote, {".gitattributes": b"* text=auto\n*.png binary\n"}, "binary")
    journey.work()

    assert fresh(job).state == State.PUBLISHED, told(job)
    journey.is_sound(job)


def test_a_pointer_is_told_where_nobody_here_can_know_of_its_file(on_lfs: Journey) -> None:
    job = on_lfs.published(FRESH_TEXT, FRESH, action="create", assets=(Asset(COVER, POINTER),))

    found = [(one.severity, one.rule, one.path) for one in selectors.findings(job)]
    assert ("warn", "lfs_pointer", COVER) in found
    on_lfs.is_sound(job)
