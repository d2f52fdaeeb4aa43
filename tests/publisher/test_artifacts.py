"""Artifacts are what their name says, or they are not given out at all."""

import errno
from collections.abc import Callable
from pathlib import Path

import pytest
from django.core.files.storage import storages

from publisher import artifacts
from publisher.domain.errors import ArtifactDamaged
from publisher.models import Artifact
from tests.support.jobs import NOW

pytestmark = pytest.mark.django_db


def store(data: bytes) -> str:
    return artifacts.store(data, kind="content", now=NOW)


def place(name: str) -> Path:
    return Path(storages["artifacts"].path(artifacts.place_of(name)))


@pytest.mark.parametrize("data", [b"", b"text", "潮汐".encode(), bytes(range(256)) * 300])
def test_bytes_come_back_as_they_were_stored(data: bytes) -> None:
    name = store(data)
    assert artifacts.load(name) == data
    assert name == artifacts.sha256_of(data)
    assert Artifact.objects.get(pk=name).size == len(data)


def test_the_same_bytes_are_kept_once() -> None:
    assert store(b"stored twice") == store(b"stored twice")
    assert Artifact.objects.count() == 1


def test_changed_bytes_are_found() -> None:
    name = store(b"changed on the disk")
    place(name).write_bytes(b"Changed on the disk")
    with pytest.raises(ArtifactDamaged, match="changed"):
        artifacts.load(name)


def test_lost_bytes_are_found() -> None:
    name = store(b"lost on the disk")
    storages["artifacts"].delete(artifacts.place_of(name))
    with pytest.raises(ArtifactDamaged, match="missing"):
        artifacts.load(name)


def unreadable(path: Path) -> None:
    path.unlink()
    path.symlink_to("/proc/self/mem")  # which says EIO, as a bad sector does


def a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize("harm", [unreadable, a_folder])
def test_bytes_that_the_disk_cannot_read_are_found(harm: Callable[[Path], None]) -> None:
    name = store(b"under a bad sector")
    harm(place(name))
    with pytest.raises(ArtifactDamaged, match="cannot be read"):
        artifacts.load(name)
    assert artifacts.load_whole(name) is None


def test_bytes_that_the_disk_cannot_read_are_mended_by_storing_again() -> None:
    name = store(b"under another bad sector")
    unreadable(place(name))
    assert store(b"under another bad sector") == name
    assert artifacts.load(name) == b"under another bad sector"


def test_bytes_that_another_storage_does_not_find_are_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As one that keeps objects says it: in words alone."""

    def gone(*_arguments: object) -> None:
        raise FileNotFoundError("File does not exist")

    monkeypatch.setattr(type(storages["artifacts"]), "open", gone)
    with pytest.raises(ArtifactDamaged, match="are missing"):
        artifacts.load(store(b"in no bucket"))


def test_a_shortage_says_nothing_of_the_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    name = store(b"while nothing can be opened")

    def too_many(*_arguments: object) -> None:
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr(type(storages["artifacts"]), "open", too_many)
    with pytest.raises(OSError, match="Too many"):
        artifacts.load(name)


@pytest.mark.parametrize("damage", [b"torn", b"Torn by a crash", b""])
def test_a_damaged_file_is_mended_by_storing_again(damage: bytes) -> None:
    name = store(b"torn by a crash")
    place(name).write_bytes(damage)
    assert store(b"torn by a crash") == name
    assert artifacts.load(name) == b"torn by a crash"


def test_text_that_is_not_utf8_is_shown_with_replacement_characters() -> None:
    assert artifacts.load_text(store(b"a\xffb")) == "a�b"
