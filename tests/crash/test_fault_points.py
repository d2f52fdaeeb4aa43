"""The fault points as commands give them: listed, by an alias, and refused when there is no such."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from publisher.fault_names import ALIASES
from publisher.fault_points import LANES
from tests.support.crash import EDITED, PATH, Installation, warmed
from tests.support.git import make_remote


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


def test_a_disk_that_is_full_at_a_submit_is_said_and_nothing_is_kept(here: Installation) -> None:
    here.remote.parent.mkdir(parents=True, exist_ok=True)
    make_remote(here.remote, {"content/posts/first.md": b"# First\n"})
    (here.home / "draft.md").write_bytes(EDITED)
    here.command("user", "add", "ada", "--role", "submitter")
    here.command("site", "add", "blog", "--remote", str(here.remote))
    full = replace(here, warm=None, fault="inside:artifacts.write=full")
    said = full.failed(
        "submit", "--site", "blog", "--content", str(here.home / "draft.md"),
        "--target-path", PATH, "--as", "ada", code=1,
    )  # fmt: skip
    assert said.splitlines()[-1] == "system: No space left on device"
    assert "Traceback" not in said
    facts = here.rows()
    assert (facts.files, facts.tables["jobs"], facts.tables["artifacts"]) == ({}, [], [])
