"""Fixtures of the engine's ring: a site on a real remote of its own."""

from pathlib import Path

import pytest

from tests.support.journey import Journey, begin


@pytest.fixture
def journey(db: None, tmp_path: Path) -> Journey:
    """A site with the four seeded files; everybody is there."""
    return begin(tmp_path)
