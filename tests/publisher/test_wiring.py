"""Wiring: what the operator decided reaches the adapters."""

from pathlib import Path

from pytest_django import Settings

from publisher import wiring
from publisher.adapters.git.repository import GitRepository
from publisher.ports import SiteSpec


def test_a_remote_may_take_as_long_as_the_operator_says(tmp_path: Path, settings: Settings) -> None:
    settings.IMPRIMATUR_DATA_DIR = tmp_path
    settings.IMPRIMATUR_GIT_SECONDS = 7
    repository = wiring.repository(SiteSpec(1, "blog", "/nowhere", "main"))
    assert isinstance(repository, GitRepository)
    deadlines = repository.runner.deadlines
    assert (deadlines.network, deadlines.idle) == (7, 7)
    repository.close()
