"""Whatever happens to a worker at whatever point, the next one finishes and every promise holds.

Every point of each lane, each with one kind of trouble, on PostgreSQL every third. With CRASH_ALL=1,
as ``make crash`` sets it, every one there too. Points and modes turn with CRASH_SEED.
"""

import json
import os
from collections.abc import Callable, Iterator

import pytest

from publisher.fault_points import LANES
from tests.support.databases import ON_POSTGRESQL
from tests.support.further_ways import DraftedWay, asked_again, drafted_way, rescued_way
from tests.support.invariants import Facts, broken
from tests.support.live_way import sync_way
from tests.support.matrix import Way, conflict_way, modes, publish_way
from tests.support.soak import Soak

SEED = int(os.environ.get("CRASH_SEED", "0"))
ALL = bool(os.environ.get("CRASH_ALL"))
EVERY = 3 if ON_POSTGRESQL and not ALL else 1
"""Odd, since the points of a hand edit are pairs, before and after: an even step would take one half."""


def sampled(lane: str) -> list[tuple[str, str]]:
    """A lane's points, or some of them, each with one kind of trouble, and all kinds among them."""
    return modes(LANES[lane][SEED % EVERY :: EVERY], SEED)


@pytest.fixture(scope="module")
def publishing(
    tmp_path_factory: pytest.TempPathFactory, new_database: Callable[[], str]
) -> Iterator[Way]:
    """A ready draft's way, traced once a test process."""
    with publish_way(tmp_path_factory.mktemp("publish"), new_database()) as way:
        yield way


@pytest.fixture(scope="module")
def conflicting(
    tmp_path_factory: pytest.TempPathFactory, new_database: Callable[[], str]
) -> Iterator[Way]:
    """The way through a conflict, traced once a test process."""
    with conflict_way(tmp_path_factory.mktemp("conflict"), new_database()) as way:
        yield way


@pytest.fixture(scope="module")
def syncing(
    tmp_path_factory: pytest.TempPathFactory, new_database: Callable[[], str]
) -> Iterator[Way]:
    """The way of a hand edit, traced once a test process."""
    with sync_way(tmp_path_factory.mktemp("syncing"), new_database()) as way:
        yield way


@pytest.fixture(scope="module")
def drafting(
    tmp_path_factory: pytest.TempPathFactory, new_database: Callable[[], str]
) -> Iterator[DraftedWay]:
    """The way of a draft that is made here, traced once a test process."""
    with drafted_way(tmp_path_factory.mktemp("drafting"), new_database()) as way:
        yield way


@pytest.fixture(scope="module")
def rescuing(
    tmp_path_factory: pytest.TempPathFactory, new_database: Callable[[], str]
) -> Iterator[Way]:
    """The ways from where a worker died, traced once a test process."""
    with rescued_way(tmp_path_factory.mktemp("rescuing"), new_database()) as way:
        yield way


@pytest.mark.parametrize(("point", "mode"), sampled("publish"))
def test_trouble_on_the_way_to_publication_breaks_nothing(
    publishing: Way, point: str, mode: str
) -> None:
    publishing.check(publishing.run(point, mode, turn=SEED))


@pytest.mark.parametrize(("point", "mode"), sampled("conflict"))
def test_trouble_in_and_after_a_conflict_breaks_nothing(
    conflicting: Way, point: str, mode: str
) -> None:
    conflicting.check(conflicting.run(point, mode, turn=SEED))


@pytest.mark.parametrize(("point", "mode"), sampled("drafted"))
def test_trouble_while_a_draft_is_made_and_judged_breaks_nothing(
    drafting: Way, point: str, mode: str
) -> None:
    drafting.check(drafting.run(point, mode, turn=SEED))


@pytest.mark.parametrize(("point", "mode"), sampled("rescued"))
def test_trouble_after_a_death_breaks_nothing(rescuing: Way, point: str, mode: str) -> None:
    rescuing.check(rescuing.run(point, mode, turn=SEED))


@pytest.mark.parametrize(
    ("turn", "point", "mode"),
    [(number + SEED, *trouble) for number, trouble in enumerate(sampled("external_sync"))],
)
def test_trouble_while_a_hand_edit_is_sent_breaks_nothing(
    syncing: Way, turn: int, point: str, mode: str
) -> None:
    syncing.check(syncing.run(point, mode, turn=turn))


def test_a_second_death_while_recovering_breaks_nothing(publishing: Way) -> None:
    stage = publishing.run("after:repository.push", "exit", again="before:record.confirm=exit")
    assert publishing.was_passed("before:record.confirm", by="second")
    publishing.check(stage)


def test_where_a_second_death_can_be_is_what_the_next_one_passes(publishing: Way) -> None:
    passings = publishing.recovery("after:record.deliver", "exit")
    assert passings[0] == "before:note.claimed"
    assert "before:record.confirm" in passings
    assert "before:record.prepare" not in passings


def test_a_death_inside_a_file_leaves_half_of_it_under_no_name_of_bytes(publishing: Way) -> None:
    stage = publishing.run("inside:artifacts.write", "exit")
    publishing.check(stage)
    (left,) = _unfinished(publishing)
    assert left
    assert left in [data[: len(data) // 2] for data in _whole(publishing)]


def test_a_disk_that_is_full_inside_a_file_is_told_and_leaves_nothing(publishing: Way) -> None:
    publishing.check(publishing.run("inside:artifacts.write", "full"))
    assert _unfinished(publishing) == []
    assert "No space left on device" in json.dumps(publishing.here.facts(publishing.job))


def _unfinished(way: Way) -> list[bytes]:
    files = way.here.rows().files or {}
    return [data for name, data in files.items() if name.startswith(".part-")]


def _whole(way: Way) -> list[bytes]:
    files = way.here.rows().files or {}
    return [data for name, data in files.items() if not name.startswith(".part-")]


def test_a_sweep_that_dies_after_a_dead_sender_leaves_the_rest_to_the_next(syncing: Way) -> None:
    stage = syncing.run("after:repository.push", "exit", again="before:live.forward=exit")
    assert syncing.was_passed("before:live.forward", by="second")
    syncing.check(stage)


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
}


def test_the_checker_finds_each_broken_promise(publishing: Way) -> None:
    publishing.check(publishing.run("after:record.confirm", "error", turn=-1))
    first = publishing.here.rows().commits[-1]["commit"]
    for rule, plant in PLANTED.items():
        facts = publishing.here.rows()
        plant(facts)
        found = broken(facts, before=(first,))
        assert any(f"{rule}:" in line or f"{rule}," in line for line in found), (rule, found)


def _half_of(facts: Facts) -> str:
    assert facts.files
    name, data = next(iter(facts.files.items()))
    facts.files[name] = data[: len(data) // 2]
    return f"I4: the stored file {name} does not hold"


def _without(facts: Facts) -> str:
    assert facts.files
    name, _ = facts.files.popitem()
    return f"I4: the bytes of the row sha256:{name} are not there"


def _with_a_secret(facts: Facts) -> str:
    assert facts.files
    facts.files[".part-left"] = facts.needles[0].encode()
    return "I11: a secret lies in the stored file .part-left"


@pytest.mark.parametrize("plant", [_half_of, _without, _with_a_secret])
def test_the_checker_finds_what_is_wrong_with_a_stored_file(
    publishing: Way, plant: Callable[[Facts], str]
) -> None:
    publishing.check(publishing.run("after:artifacts.write", "full"))
    facts = publishing.here.rows()
    said = plant(facts)
    assert any(line.startswith(said) for line in broken(facts))


def test_the_list_of_points_is_what_a_publication_passes(publishing: Way) -> None:
    assert tuple(publishing.points) == LANES["publish"]


def test_the_list_of_points_is_what_a_conflict_passes(conflicting: Way) -> None:
    assert tuple(conflicting.points) == LANES["conflict"]


def test_the_list_of_points_is_what_a_hand_edit_passes(syncing: Way) -> None:
    assert tuple(syncing.points) == LANES["external_sync"]


def test_the_list_of_points_is_what_a_draft_passes(drafting: Way) -> None:
    assert tuple(drafting.points) == LANES["drafted"]


def test_the_list_of_points_is_what_follows_on_a_death(rescuing: Way) -> None:
    assert tuple(rescuing.points) == LANES["rescued"]


def test_all_points_are_those_of_the_lanes_in_turn() -> None:
    lanes = ("publish", "conflict", "external_sync", "drafted", "rescued")
    every = [point for lane in lanes for point in LANES[lane]]
    assert tuple(dict.fromkeys(every)) == LANES["all"]


def test_the_story_of_a_soak_that_fails_can_be_told(publishing: Way) -> None:
    publishing.here.restore(publishing.stages[0].name)
    (publishing.here.home / "run.log").write_text("the web server's last words\n")
    told = Soak(publishing.here, port=0, tokens={}).story()
    assert f"{publishing.job} submit -> RECEIVED" in told
    assert told.endswith("last words")


@pytest.mark.parametrize(
    ("passed", "is_again"),
    [
        ([["note", "draft"], ["draft", "note"], []], False),
        ([["draft", "note"], ["note", "draft"]], True),
        ([["draft", "note", "draft"]], True),
    ],
)
def test_a_question_for_a_draft_that_was_kept_is_found(
    passed: list[list[str]], *, is_again: bool
) -> None:
    points = {
        "draft": ["before:provider.draft", "after:provider.draft"],
        "note": ["after:note.step_committed"],
    }
    told = [[point for each in one for point in points[each]] for one in passed]
    assert asked_again(told) is is_again
    assert asked_again(told, is_kept=True)


def test_a_draft_that_was_kept_is_not_asked_for_again(drafting: DraftedWay) -> None:
    drafting.check(drafting.run("after:note.step_committed:2", "exit"))
    victim, *others = [path.read_text().splitlines() for path in drafting.heard]
    assert victim.count("before:provider.draft") == 1
    assert asked_again([victim, ["before:provider.draft"]])
    assert not any("before:provider.draft" in passed for passed in others)


def test_a_ready_draft_passes_at_least_forty_points() -> None:
    points = LANES["publish"]
    assert len(set(points)) == len(points) >= 40
