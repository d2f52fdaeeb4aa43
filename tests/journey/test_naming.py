"""Where a drafted article lands: beside its own language and kind, with the ending of its neighbours."""

from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

import pytest

from publisher.demo import magazine
from publisher.ports import Source
from tests.support.git import blob
from tests.support.journey import begin, fresh

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
