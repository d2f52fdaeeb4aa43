"""The fault points as commands give them: listed, by an alias, and refused when there is no such."""

from collections.abc import Iterator

import pytest

from publisher.fault_names import ALIASES
from publisher.fault_points import LANES
from tests.support.crash import Installation, warmed


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """An empty installation."""
    with warmed(tmp_path_factory.mktemp("points")) as made:
        made.migrate()
        yield made


@pytest.mark.parametrize("lane", ["publish", "conflict", "external_sync"])
def test_the_command_lists_a_lane_a_point_a_line(lane: str, here: Installation) -> None:
    assert here.command("faults", "--lane", lane).splitlines() == list(LANES[lane])


def test_every_alias_stands_for_a_listed_point() -> None:
    for point in ALIASES.values():
        head, _, number = point.rpartition(":")
        assert (head if number.isdigit() else point) in LANES["publish"]


@pytest.mark.parametrize(
    "fault",
    [
        "before:repository.shove",
        "before:artifacts.load",
        "inside:record.publish_it",
        "nowhere",
        "before:record.commit=burn",
    ],
)
def test_a_point_or_action_that_is_none_is_refused_in_words(fault: str, here: Installation) -> None:
    said = here.failed("work", "--once", "--fault", fault, code=2)
    assert "Traceback" not in said
    assert (fault.partition("=")[2] or fault) in said


def test_a_point_that_was_not_passed_is_said(here: Installation) -> None:
    said = here.failed("work", "--once", "--fault", "before:repository.push", code=0)
    assert "The fault point before:repository.push was not passed." in said
