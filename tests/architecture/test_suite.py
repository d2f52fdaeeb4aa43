"""The suite itself: what must stay together does, and nothing is left out of the second half unseen."""

import re
from pathlib import Path

import pytest

from tests.__main__ import LEFT_OUT

TESTS = Path(__file__).resolve().parents[1]
RINGS = sorted({path.parent for path in TESTS.glob("*/test_*.py")})
USES_ITS_HALFS = re.compile(r"\b(db: None|django_db|(new_)?database: |journey: Journey)")
STARTS_ITS_OWN = re.compile(
    r"(?<![.\w])(Installation|install)\(|\"IMPRIMATUR_DATA_DIR\"|import sqlite3"
)
NAMES_ONE_OR_TAKES_ITS_HALFS = re.compile(r"\bpostgres_dsn\b|\b(new_)?database: ")


@pytest.mark.xdist_group("together")
def test_tests_of_one_group_go_to_one_process(request: pytest.FixtureRequest) -> None:
    # The scheduler knows a group by the end of a test's id only.
    is_asked = getattr(request.config.option, "loadgroup", False)
    assert request.node.nodeid.endswith("@together") == is_asked


def test_every_ring_runs_on_both_databases_or_it_is_said_why_not() -> None:
    on_both = {
        ring.name
        for ring in RINGS
        if any(USES_ITS_HALFS.search(path.read_text()) for path in ring.glob("*.py"))
    }
    missing = {ring.name for ring in RINGS} - on_both
    assert missing - set(LEFT_OUT) == set()


def test_whoever_starts_the_product_takes_its_halfs_database_or_it_is_said_why_not() -> None:
    texts = {
        path.relative_to(TESTS).as_posix(): path.read_text()
        for ring in RINGS
        if ring.name not in LEFT_OUT
        for path in ring.glob("test_*.py")
    }
    own = {name for name, text in texts.items() if STARTS_ITS_OWN.search(text)}
    either = {name for name in own if NAMES_ONE_OR_TAKES_ITS_HALFS.search(texts[name])}
    assert own - either - set(LEFT_OUT) == set()


def test_what_is_left_out_is_there_and_has_its_reason() -> None:
    assert [name for name in LEFT_OUT if not (TESTS / name).exists()] == []
    assert all(why.endswith(".") for why in LEFT_OUT.values())
