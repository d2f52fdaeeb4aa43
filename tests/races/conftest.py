"""Fixtures of the races: where they take place."""

from pathlib import Path

import pytest

from tests.support import postgres
from tests.support.racing import Arena


@pytest.fixture(params=["sqlite", "postgresql"])
def arena(request: pytest.FixtureRequest, tmp_path: Path) -> Arena:
    """A database of each kind in turn."""
    if request.param == "sqlite":
        return Arena("", tmp_path)
    return Arena(postgres.new_database(request.getfixturevalue("postgres_dsn")), tmp_path)
