"""Whatever happens to a worker at whatever point, the next one finishes and every promise holds.

Every second point of each lane, on PostgreSQL every twelfth, so that the suite stays well below half
an hour; with CRASH_ALL=1, as ``make crash`` sets it, each. Points and modes turn with CRASH_SEED.
"""

import os
from collections.abc import Callable, Iterator

import pytest

from publisher.fault_points import LANES
from tests.support.invariants import Facts, broken
from tests.support.matrix import Way, conflict_way, modes, publish_way
from tests.support.racing import new_postgres_database

DATABASE = os.environ.get("DATABASE_URL", "")
ON_POSTGRES = DATABASE.startswith("postgres")
SEED = int(os.environ.get("CRASH_SEED", "0"))
EVERY = 1 if os.environ.get("CRASH_ALL") else 12 if ON_POSTGRES else 2


def database() -> str:
    """A new one on the suite's server, or none for SQLite."""
    return new_postgres_database(DATABASE) if ON_POSTGRES else ""


@pytest.fixture(scope="module")
def publishing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Way]:
    """A ready draft's way, traced once a test process."""
    with publish_way(tmp_path_factory.mktemp("publish"), database()) as way:
        yield way


@pytest.fixture(scope="module")
def conflicting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Way]:
    """The way through a conflict, traced once a test process."""
    with conflict_way(tmp_path_factory.mktemp("conflict"), database()) as way:
        yield way


@pytest.mark.parametrize(("point", "mode"), modes(LANES["publish"], SEED)[SEED % EVERY :: EVERY])
def test_trouble_on_the_way_to_publication_breaks_nothing(
    publishing: Way, point: str, mode: str
) -> None:
    publishing.check(publishing.run(point, mode, turn=SEED))


@pytest.mark.parametrize(("point", "mode"), modes(LANES["conflict"], SEED)[SEED % EVERY :: EVERY])
def test_trouble_in_and_after_a_conflict_breaks_nothing(
    conflicting: Way, point: str, mode: str
) -> None:
    conflicting.check(conflicting.run(point, mode, turn=SEED))


def test_a_second_death_while_recovering_breaks_nothing(publishing: Way) -> None:
    stage = publishing.run("after:repository.push", "exit", again="before:record.confirm=exit")
    assert '"before:record.confirm"' in (publishing.here.home / "second.err").read_text()
    publishing.check(stage)


PLANTED: dict[str, Callable[[Facts], object]] = {
    "I1": lambda facts: facts.tables["jobs"].clear(),
    "I2": lambda facts: facts.tables["jobs"][0].update(owner="somebody"),
    "I3": lambda facts: facts.commits.append(facts.commits[0]),
    "I4": lambda facts: facts.tables["approvals"][0]["parts"][0].update(sha256="sha256:0"),
    "I5": lambda facts: facts.tables["decisions"].clear(),
    "I6": lambda facts: facts.tables["approvals"][0]["parts"].clear(),
    "I7": lambda facts: facts.commits.pop(),
    "I9": lambda facts: facts.tables["events"].pop(2),
    "I10": lambda facts: facts.tables["events"][-1].update(generation=99),
    "I11": lambda facts: facts.tables["jobs"][0].update(summary=facts.needles[0]),
    "I14": lambda facts: facts.tables["effects"].extend(
        [facts.tables["effects"][0] | {"step": "draft"}] * 2
    ),
}


def test_the_checker_finds_each_broken_promise(publishing: Way) -> None:
    publishing.check(publishing.run("after:record.confirm", "error", turn=-1))
    first = publishing.here.rows().commits[-1]["commit"]
    for rule, plant in PLANTED.items():
        facts = publishing.here.rows()
        plant(facts)
        found = broken(facts, before=(first,))
        assert any(f"{rule}:" in line or f"{rule}," in line for line in found), (rule, found)


def test_the_list_of_points_is_what_the_lanes_pass(publishing: Way, conflicting: Way) -> None:
    assert publishing.points == list(LANES["publish"])
    assert conflicting.points == list(LANES["conflict"])
    assert list(dict.fromkeys(publishing.points + conflicting.points)) == list(LANES["all"])


def test_a_ready_draft_passes_at_least_forty_points() -> None:
    points = LANES["publish"]
    assert len(set(points)) == len(points) >= 40
