"""Fixtures: a remote with two articles, and a repository on it."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from publisher.adapters.git.repository import GitRepository
from publisher.ports import SiteSpec
from tests.support.git import make_remote

FILES = {
    "README.md": b"# demo\n",
    "content/posts/one.md": b"---\ntitle: One\n---\n\nFirst.\n",
    "content/posts/two.md": b"---\ntitle: Two\n---\n\nSecond.\n",
    "public/fonts/subset.woff2": b"\x00\x01wOF2\xff\xfe",
}
PROTOCOLS = ("https", "ssh", "file")
MOMENT = datetime(2026, 2, 3, 4, 5, 6, tzinfo=UTC)
MESSAGE = "publish: three\n\nBlog-Job-Id: job-1\n"

Opener = Callable[..., GitRepository]
Builder = Callable[..., str]


@pytest.fixture
def remote(tmp_path: Path) -> Path:
    return make_remote(tmp_path / "remote.git", FILES)


@pytest.fixture
def open_repository(tmp_path: Path, remote: Path) -> Iterator[Opener]:
    opened: list[GitRepository] = []

    def opening(**changes: Any) -> GitRepository:
        names = {field: changes.pop(field) for field in SPEC_FIELDS if field in changes}
        spec = replace(SiteSpec(7, "site", str(remote), "main"), **names)
        options = {"root": tmp_path / "git", "protocols": PROTOCOLS, **changes}
        repository = GitRepository(spec, **options)
        opened.append(repository)
        return repository

    yield opening
    for repository in opened:
        repository.close()


SPEC_FIELDS = ("id", "name", "remote", "branch", "trailer_prefix", "token_file")


@pytest.fixture
def repository(open_repository: Opener) -> GitRepository:
    opened = open_repository()
    opened.ensure_clone()
    return opened


@pytest.fixture
def build(repository: GitRepository) -> Builder:
    """Build a commit on a parent; everything but the parent has a default."""

    def building(parent: str, **changes: Any) -> str:
        arguments: dict[str, Any] = {
            "files": {"content/posts/three.md": b"Third.\n"},
            "message": MESSAGE,
            "date": MOMENT,
            "ref": "refs/imprimatur/replay/job-1/1",
        }
        return repository.build_commit(parent=parent, **(arguments | changes))

    return building
