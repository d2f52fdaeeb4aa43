"""Where a drafted article lands: beside its own language and kind, with the ending of its neighbours."""

from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

import pytest

from publisher.demo import magazine
from publisher.ports import Source
from publisher.services import placing
from publisher.services.placing import Place
from publisher.services.revise import revise
from tests.support.git import blob
from tests.support.journey import ADA, begin, fresh

ENGLISH = (
    "# Soup on Thursday\n\nThe kitchen serves soup on Thursday, too. Bring a bowl and a spoon.\n"
)
CHINESE = "# 周四也有汤\n\n共享厨房周四也供应热汤。请自带碗和勺子，晚上七点开始。\n"


def _landed(folder: Path, files: Mapping[str, bytes], text: str, **site: Any) -> PurePosixPath:
    journey = begin(folder, files, **site)
    job = journey.published(sources=(Source("notes", text),))
    path = fresh(job).target_path
    assert blob(journey.remote, path)
    return PurePosixPath(path)


@pytest.mark.parametrize(
    ("text", "folder"), [(ENGLISH, "content/kitchen"), (CHINESE, "content/zh")]
)
def test_in_the_demo_an_article_lands_in_the_folder_of_its_language_and_kind(
    db: None, tmp_path: Path, text: str, folder: str
) -> None:
    assert str(_landed(tmp_path, magazine.repository(), text).parent) == folder


def _article(text: str) -> bytes:
    return f"---\ntitle: x\n---\n\n{text}\n".encode()


TWO = {
    "content/zh/a.mdx": _article("种子抽屉春天打开。"),
    "content/zh/b.mdx": _article("修理咖啡馆每月一次。"),
    "content/en/a.md": _article("The seed drawer opens in spring."),
}


@pytest.mark.parametrize(
    ("text", "folder", "ending"),
    [(ENGLISH, "content/en", ".md"), (CHINESE, "content/zh", ".mdx")],
)
def test_the_ending_is_that_of_the_folder(
    db: None, tmp_path: Path, text: str, folder: str, ending: str
) -> None:
    path = _landed(tmp_path, TWO, text)
    assert (str(path.parent), path.suffix) == (folder, ending)


def test_the_only_folder_takes_every_language(db: None, tmp_path: Path) -> None:
    files = {name: data for name, data in TWO.items() if "/zh/" in name}
    assert str(_landed(tmp_path, files, ENGLISH).parent) == "content/zh"


def test_where_every_folder_is_of_another_script_it_lands_above_them(
    db: None, tmp_path: Path
) -> None:
    files = {
        **{k: v for k, v in TWO.items() if "/zh/" in k},
        "content/zh/old/c.mdx": _article("请安静。"),
    }
    assert str(_landed(tmp_path, files, ENGLISH).parent) == "content"


def test_an_empty_site_begins_at_the_start_of_its_glob(db: None, tmp_path: Path) -> None:
    path = _landed(tmp_path, {"README.md": b"# x\n"}, ENGLISH, articles="docs/posts/*.mdx")
    assert (str(path.parent), path.suffix) == ("docs/posts", ".mdx")


BUNDLES = {
    "content/kitchen/soup/index.md": _article("The kitchen serves soup on Thursday."),
    "content/kitchen/bread/index.md": _article("The kitchen bakes bread. Bring a bowl."),
    "content/news/door/index.md": _article("The door is painted green."),
    "content/news/roof/index.md": _article("The roof was mended in May."),
}


def test_where_each_article_has_a_folder_of_its_own_a_new_one_has_too(
    db: None, tmp_path: Path
) -> None:
    path = _landed(tmp_path, BUNDLES, ENGLISH, articles="content/**/index.md")
    assert str(path) == "content/kitchen/soup-on-thursday/index.md"


def test_the_first_of_such_articles_begins_at_the_start_of_the_glob(
    db: None, tmp_path: Path
) -> None:
    path = _landed(tmp_path, {"README.md": b"# x\n"}, ENGLISH, articles="docs/**/index.{mdx,md}")
    assert str(path) == "docs/soup-on-thursday/index.md"


@pytest.mark.parametrize(
    ("pattern", "files", "path"),
    [
        ("**/README.md", ["README.md"], "soup-on-thursday/README.md"),
        ("**/index.{md,mdx}", ["index.mdx"], "soup-on-thursday/index.mdx"),
        ("{posts/**/index.md,about.md}", ["about.md", "posts/a/index.md"], "posts/{}/index.md"),
        ("{about.md,posts/**/index.md}", ["about.md", "posts/a/index.md"], "posts/{}/index.md"),
        ("content/**/index.en.md", ["content/a/index.en.md"], "content/{}/index.en.md"),
        ("content/**/index.{en,zh}.md", ["content/a/index.en.md"], "content/{}/index.en.md"),
    ],
)
def test_one_that_stands_above_the_folders_or_tells_its_language_hinders_no_name(
    db: None, tmp_path: Path, pattern: str, files: list[str], path: str
) -> None:
    held = {name: _article("The door is painted green.") for name in files}
    landed = _landed(tmp_path, held, ENGLISH, articles=pattern)
    assert str(landed) == path.format("soup-on-thursday")


def test_a_folder_that_takes_no_new_names_is_passed_over(db: None, tmp_path: Path) -> None:
    files = {**TWO, "content/zh/only.md": _article("Soup on Thursday, bring a bowl.")}
    path = _landed(tmp_path, files, ENGLISH, articles="content/{en/*,zh/only}.md")
    assert str(path) == "content/en/soup-on-thursday.md"


def test_a_pattern_that_takes_no_name_of_a_title_asks_for_a_path(db: None, tmp_path: Path) -> None:
    journey = begin(tmp_path, {"README.md": b"# x\n"}, articles="content/post-*.md")
    job = journey.submit(sources=(Source("notes", ENGLISH),))
    journey.work()
    job = fresh(job)
    assert (job.state, job.failure_code) == ("REVIEW", "path_unnamed")
    files = {"content/post-soup.md": ENGLISH.encode()}
    revise(
        job, files=files, base_revision=1, who=ADA, now=journey.now(),
        place=Place(path="content/post-soup.md"),
    )  # fmt: skip
    journey.work()
    journey.approve(job)
    journey.work()
    assert blob(journey.remote, "content/post-soup.md")


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("content/**/index.md", "content/a-day/index.md"),
        ("content/**/*.{md,mdx}", "content/a-day.md"),
        ("content/*.mdx", "content/a-day.mdx"),
        ("*.md", "a-day.md"),
        ("content/post-*.md", "content/"),
    ],
)
def test_what_the_form_proposes_fits_the_pattern(
    db: None, tmp_path: Path, pattern: str, path: str
) -> None:
    site = begin(tmp_path, {"README.md": b"# x\n"}, articles=pattern).site
    assert placing.suggested(site, "A day") == path
