"""Workers that really survive: real processes, real kills, and the work goes on."""

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from publisher.processes import kernel
from tests.support import databases
from tests.support.family import GOES_ON, Family, belongs_to
from tests.support.waiting import until

pytestmark = pytest.mark.xdist_group("processes")


def remains(family: Family) -> list[int]:
    """Living processes anywhere whose environment names this family's folder."""
    own = {family.sender.pid}
    found = [int(path.name) for path in Path("/proc").glob("[0-9]*")]
    return [
        pid
        for pid in found
        if pid not in own and belongs_to(pid, family.folder) and kernel.is_alive(pid)
    ]


@pytest.fixture
def family(tmp_path: Path, database: str) -> Iterator[Family]:
    made = Family(tmp_path, "alone", database)
    try:
        made.warm_up()
        yield made
    finally:
        made.end()
        if sys.exc_info()[0]:
            sys.stderr.write((tmp_path / "log.txt").read_text())


@pytest.fixture
def kept_family(tmp_path: Path, database: str) -> Iterator[Family]:
    made = Family(tmp_path, "kept", database)
    try:
        made.warm_up()
        yield made
    finally:
        made.end()


def test_work_goes_on_when_a_busy_worker_is_killed(family: Family) -> None:
    family.send("block", "busy")
    os.kill(family.mark("busy"), signal.SIGKILL)
    family.goes_on()


def test_work_goes_on_when_both_idle_workers_are_killed(family: Family) -> None:
    for pid in family.members()[:2]:
        os.kill(pid, signal.SIGKILL)
    family.goes_on()


def test_work_goes_on_with_the_other_broker(tmp_path: Path, database: str, redis_url: str) -> None:
    family = Family(tmp_path, "alone", database, REDIS_URL=redis_url)
    try:
        family.warm_up()
        for pid in family.members()[:2]:
            os.kill(pid, signal.SIGKILL)
        family.goes_on()
    finally:
        family.end()


def test_work_goes_on_when_the_monitor_is_killed(family: Family) -> None:
    before = waiting_rows(family)
    os.kill(family.members()[2], signal.SIGKILL)
    family.goes_on()
    until(lambda: waiting_rows(family) <= before, seconds=GOES_ON, what="the hint's receipt")


def test_work_goes_on_when_the_pusher_is_killed(family: Family) -> None:
    os.kill(family.members()[3], signal.SIGKILL)
    family.goes_on()


def test_work_goes_on_when_the_sentinel_is_killed(family: Family) -> None:
    os.kill(family.sentinel(), signal.SIGKILL)
    family.goes_on()


def test_work_goes_on_when_the_main_process_is_killed(family: Family) -> None:
    old = family.everybody() - {family.top.pid}
    os.kill(family.main(), signal.SIGKILL)
    family.goes_on()
    until(
        lambda: not any(kernel.is_alive(pid) for pid in old),
        seconds=GOES_ON,
        what="the end of all that belonged to the old cluster",
    )


def test_work_goes_on_when_the_sentinel_hangs_over_a_dead_worker(family: Family) -> None:
    workers = family.members()[:2]
    os.kill(family.sentinel(), signal.SIGSTOP)
    for pid in workers:
        os.kill(pid, signal.SIGKILL)
    family.goes_on()


def test_work_goes_on_when_every_worker_is_frozen(family: Family) -> None:
    for pid in family.members()[:2]:
        os.kill(pid, signal.SIGSTOP)
    family.goes_on()


def test_work_goes_on_when_the_look_at_due_work_is_killed(family: Family) -> None:
    mark = family.marks / "due"
    first = family.mark("due", seconds=20)
    mark.unlink()
    os.kill(first, signal.SIGKILL)
    assert family.mark("due") != first


def test_work_goes_on_when_the_supervisor_is_killed(kept_family: Family) -> None:
    supervisor = kernel.children(kept_family.top.pid)[0]
    os.kill(supervisor, signal.SIGKILL)
    kept_family.goes_on()


def test_a_new_supervisor_ends_the_cluster_that_a_killed_one_left(
    tmp_path: Path, database: str
) -> None:
    first = Family(tmp_path, "alone", database)
    try:
        first.warm_up()
        first.send("block", "busy")
        busy = first.mark("busy")
        first.top.kill()
        first.top.wait()
        second = Family(tmp_path, "alone", database)
        try:
            second.send("mark", "after")
            second.mark("after", seconds=20)
            assert not kernel.is_alive(busy)
            (first.marks / "busy.go").touch()  # its hint came back, and the task with it
        finally:
            second.end()
    finally:
        first.end()


def test_a_second_supervisor_is_refused_while_the_first_lives(family: Family) -> None:
    second = Family(family.folder, "alone", family.database)
    try:
        assert second.top.wait(timeout=20) != 0
    finally:
        second.end()
    family.goes_on()


def test_a_busy_cluster_is_not_called_stalled(family: Family) -> None:
    main = family.main()
    family.send("block", "one")
    family.send("block", "two")
    family.mark("one")
    family.mark("two")
    family.send("mark", "later")
    with pytest.raises(AssertionError):
        family.mark("later", seconds=GOES_ON)
    (family.marks / "one.go").touch()
    family.mark("later")
    assert family.main() == main
    (family.marks / "two.go").touch()


def test_the_death_of_a_worker_ends_what_it_had_started(family: Family) -> None:
    family.send("spawn_and_block", "busy")
    worker = family.mark("busy")
    child = family.mark("busy.child")
    os.kill(worker, signal.SIGKILL)
    until(lambda: not kernel.is_alive(child), seconds=GOES_ON, what="the orphan's end")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("how", ["alone", "kept"])
def test_a_stop_lets_running_tasks_end_and_leaves_nothing_behind(
    tmp_path: Path, database: str, how: str, number: signal.Signals
) -> None:
    family = Family(tmp_path, how, database)
    try:
        family.warm_up()
        family.send("block", "busy")
        family.mark("busy")
        os.kill(family.top.pid, number)
        (family.marks / "busy.go").touch()
        assert family.top.wait(timeout=20) == 0
        assert (family.marks / "busy.done").exists()
        assert remains(family) == []
    finally:
        family.end()


def waiting_rows(family: Family) -> int:
    """Hints that were not acknowledged yet, heartbeats among them."""
    query = "SELECT count(*) FROM django_q_ormq"
    return int(databases.rows(family.database, family.folder, query)[0][0])


def test_a_stop_of_the_whole_group_is_told_as_no_error(family: Family) -> None:
    os.killpg(family.top.pid, signal.SIGTERM)
    assert family.top.wait(timeout=30) == 0
    told = (family.folder / "log.txt").read_text()
    assert "supervisor_stopped" in told
    assert [line for line in told.splitlines() if "error" in line] == []
