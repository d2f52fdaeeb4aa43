"""Whatever instruction a worker dies at, the next one finishes: one commit, never two, never none.

The points come from the journal's events and the ports' calls that the lane really passes.
"""

import subprocess

import pytest

from tests.support.crash import EDITED, PATH, Installation, install

PREPARE = [
    "note.claimed",
    "record.prepare",
    "note.step_committed",
    "record.ask",
    "repository.fetch",
    "repository.entries",
    "repository.make_workspace",
    "repository.diff",
]
DELIVER = [
    "note.claimed",
    "record.commit",
    "record.committed",
    "record.deliver",
    "record.confirm",
    "repository.fetch",
    "repository.commits",
    "repository.build_commit",
    "repository.set_job_branch",
    "repository.push",
    "repository.remove_workspace",
]


def points(labels: list[str]) -> list[str]:
    """Before, inside and after each journal entry; before and after each port call."""
    return [
        f"{when}:{label}"
        for label in labels
        for when in ("before", "inside", "after")
        if when != "inside" or label.startswith(("note.", "record."))
    ]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Installation, str]:
    """One installation a test process."""
    return install(tmp_path_factory.mktemp("crash"))


@pytest.fixture(scope="module")
def bound(installed: tuple[Installation, str]) -> str:
    """The binding hash of the job when nobody is killed."""
    here, job = installed
    here.restore("approved")
    return str(here.facts(job)["binding_hash"])


def assert_published_once(here: Installation, job: str) -> None:
    facts = here.facts(job)
    assert facts["state"] == "PUBLISHED"
    assert here.commits_of(job) == [facts["remote_commit"]]
    shown = subprocess.run(
        ["git", "-C", str(here.remote), "show", f"main:{PATH}"], check=True, capture_output=True
    )
    assert shown.stdout == EDITED


@pytest.mark.parametrize("point", points(PREPARE))
def test_a_kill_in_prepare_loses_nothing(
    installed: tuple[Installation, str], bound: str, point: str
) -> None:
    """The same envelope comes out as without a kill, and nothing left."""
    here, job = installed
    here.restore("received")
    here.work(fault=point, code=75)
    here.work()
    facts = here.facts(job)
    assert facts["state"] == "WAITING_APPROVAL"
    assert facts["binding_hash"] == bound
    assert here.commits_of(job) == []


@pytest.mark.parametrize("point", points(DELIVER))
def test_a_kill_in_delivery_publishes_once(installed: tuple[Installation, str], point: str) -> None:
    here, job = installed
    here.restore("approved")
    here.work(fault=point, code=75)
    here.work()
    assert_published_once(here, job)


def test_two_kills_in_a_row_publish_once(installed: tuple[Installation, str]) -> None:
    here, job = installed
    here.restore("approved")
    here.work(fault="after:repository.push", code=75)
    here.work(fault="before:record.confirm", code=75)
    here.work()
    assert_published_once(here, job)
