"""A worker that is stopped for longer than its lease: another takes over, and the first writes nothing.

Points inside a transaction or a site's lock are left out: the kernel keeps both for a process that
only stands still, so others wait until it is ended.
"""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.crash import EDITED, PATH, Installation, install, warmed
from tests.support.git import blob
from tests.support.waiting import until


@pytest.fixture(scope="module")
def installed(
    tmp_path_factory: pytest.TempPathFactory, new_database: Callable[[], str]
) -> Iterator[tuple[Installation, str]]:
    """One installation a test process; only the paused workers start from nothing."""
    home, database = tmp_path_factory.mktemp("paused"), new_database()
    with warmed(home, database) as here:
        yield install(home, database, here)


def is_stopped(pid: int) -> bool:
    """Whether the kernel holds the process still."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "T"


@contextmanager
def paused(here: Installation, point: str) -> Iterator[None]:
    """A worker that stands still at a point; afterwards it goes on and ends in peace.

    Its lease is long: a heartbeat that is stopped in the middle of its write would hold all others up.
    """
    worker = here.begin_work(fault=f"{point}=pause", lease=60)
    try:
        until(
            lambda: is_stopped(worker.pid) or worker.poll() is not None,
            seconds=60,
            what=f"the worker to stand at {point}",
        )
        assert worker.returncode is None, here.said.read_text()
        yield
        os.kill(worker.pid, signal.SIGCONT)
        assert worker.wait(timeout=60) == 0, here.said.read_text()
    finally:
        worker.kill()
        worker.wait()


@pytest.mark.parametrize(
    "point",
    [
        "after:note.claimed",
        "before:record.commit",
        "after:record.deliver",
        "before:locks.hold:4",
        "before:record.confirm",
        "after:record.confirm",
    ],
)
def test_a_worker_stopped_in_delivery_is_replaced_and_writes_nothing_more(
    installed: tuple[Installation, str], point: str
) -> None:
    here, job = installed
    here.restore("approved")
    with paused(here, point):
        here.work_later()
        before = here.facts(job)
        assert before["state"] == "PUBLISHED"
    after = here.facts(job)
    assert after["events"] == before["events"]
    assert here.commits_of(job) == [after["remote_commit"]]
    assert blob(here.remote, PATH) == EDITED
    here.command("verify", "--deep")


@pytest.mark.parametrize("point", ["before:note.step_committed:2", "before:note.step_committed:3"])
def test_a_worker_stopped_in_prepare_is_replaced_and_writes_nothing_more(
    installed: tuple[Installation, str], point: str
) -> None:
    here, job = installed
    here.restore("received")
    with paused(here, point):
        here.work_later()
        before = here.facts(job)
        assert before["state"] == "WAITING_APPROVAL"
    after = here.facts(job)
    assert (after["events"], after["approval"]) == (before["events"], before["approval"])
    here.command("verify", "--deep")


def test_a_commit_already_pushed_is_confirmed_by_reading_and_not_sent_again(
    installed: tuple[Installation, str],
) -> None:
    here, job = installed
    here.restore("approved")
    with paused(here, "before:record.confirm"):
        (commit,) = here.commits_of(job)
        here.work_later()
        assert here.facts(job)["remote_commit"] == commit
    assert "stale_worker" in here.said.read_text()
