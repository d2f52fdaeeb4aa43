"""Fixtures of the engine's ring: a site on a real remote of its own."""

from pathlib import Path

import pytest

from publisher.engine import worker
from tests.support.journey import Journey, begin


@pytest.fixture(autouse=True)
def whole_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever waits, waits for all of the time that chance may shorten to nothing."""
    monkeypatch.setattr(worker, "random", lambda: 1.0)


@pytest.fixture
def journey(db: None, tmp_path: Path) -> Journey:
    """A site with the four seeded files; everybody is there."""
    return begin(tmp_path)
