"""Fixtures of the races: where they take place."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support import postgres
from tests.support.racing import Arena, opened


@pytest.fixture(params=["sqlite", "postgresql"])
def arena(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Arena]:
    """A database of each kind in turn."""
    url = ""
    if request.param == "postgresql":
        url = postgres.new_database(request.getfixturevalue("postgres_dsn"))
    with opened(url, tmp_path) as made:
        yield made
