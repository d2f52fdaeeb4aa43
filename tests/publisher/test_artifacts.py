"""Artifacts are what their name says, or they are not given out at all."""

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


@pytest.mark.parametrize("damage", [b"torn", b"Torn by a crash", b""])
def test_a_damaged_file_is_mended_by_storing_again(damage: bytes) -> None:
    name = store(b"torn by a crash")
    place(name).write_bytes(damage)
    assert store(b"torn by a crash") == name
    assert artifacts.load(name) == b"torn by a crash"


def test_text_that_is_not_utf8_is_shown_with_replacement_characters() -> None:
    assert artifacts.load_text(store(b"a\xffb")) == "a�b"
