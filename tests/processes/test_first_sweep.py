"""The first sweep runs beside everything else: pages, submits and work on jobs do not wait for it."""

import json
import os
import signal
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.support import databases
from tests.support.crash import Installation
from tests.support.family import Family
from tests.support.git import make_remote
from tests.support.soak import Soak, prepare
from tests.support.waiting import until

pytestmark = pytest.mark.xdist_group("processes")
ONLY_ONE_SWEEP = "300"
HEAD = b"ref: refs/heads/main\n"


def test_pages_submits_and_jobs_go_on_while_the_first_sweep_waits_for_a_remote(
    tmp_path: Path, database: str
) -> None:
    soak = prepare(tmp_path, database, also=add_a_site_whose_answer_was_lost)
    remote = Remote(tmp_path / "live" / "quiet.git")
    root = soak.start(sweep_seconds=ONLY_ONE_SWEEP)
    try:
        until(remote.is_asked, seconds=60, what="the sweep to ask the remote")
        assert soak.answers("/healthz")
        assert soak.answers("/login/")
        soak.hand_in("beside")
        until(lambda: is_prepared(soak), seconds=60, what="the other site's job")
        assert not is_over(soak)
        remote.answer()
        until(lambda: is_over(soak), seconds=60, what="the end of the first sweep")
    finally:
        root.send_signal(signal.SIGTERM)
        root.wait(60)


def test_tasks_due_work_and_later_sweeps_go_on_while_the_first_one_stays(
    tmp_path: Path, database: str
) -> None:
    family = Family(tmp_path, "held", database)
    try:
        family.mark("held", seconds=30)
        family.warm_up()
        family.mark("due")
        (family.marks / "due").unlink()
        family.mark("due")
        family.mark("later")
        family.goes_on()
        assert not (family.marks / "held.done").exists()
        (family.marks / "held.go").touch()
        family.mark("held.done")
    finally:
        family.end()


def add_a_site_whose_answer_was_lost(here: Installation) -> None:
    """A second site, whose remote a sweep asks for what became of a push; both clones are made."""
    remote = make_remote(here.home / "live" / "quiet.git", {"content/posts/a.md": b"# A\n"})
    here.command("site", "add", "quiet", "--remote", str(remote))
    here.work()
    here.command("lose", "quiet")


class Remote:
    """One at which whoever asks for anything waits, until it answers."""

    def __init__(self, folder: Path) -> None:
        self._head = folder / "HEAD"
        self._head.unlink()
        os.mkfifo(self._head)
        self._end: int | None = None

    def is_asked(self) -> bool:
        """Whether somebody waits; who reads from a pipe that is held open is told nothing yet."""
        with suppress(OSError):  # a pipe that nobody reads cannot be opened so
            self._end = os.open(self._head, os.O_WRONLY | os.O_NONBLOCK)
        return self._end is not None

    def answer(self) -> None:
        """Answer whoever waits, and everybody after that."""
        assert self._end is not None
        new = self._head.with_name("HEAD.new")
        new.write_bytes(HEAD)
        new.rename(self._head)
        os.write(self._end, HEAD)
        os.close(self._end)


def is_prepared(soak: Soak) -> bool:
    """Whether a worker took the job as far as it goes without people."""
    listed: Any = soak.call("ada", "/jobs?site=blog")
    return bool(listed) and [row["state"] for row in listed["items"]] == ["WAITING_APPROVAL"]


def is_over(soak: Soak) -> bool:
    """Whether a sweep came to its end: it says then what each part of it did."""
    sql = "SELECT facts FROM publisher_node WHERE role = 'sweep'"
    here = soak.here
    ((facts,),) = databases.rows(here.database, here.home / "live" / "var", sql)
    return "probes" in (json.loads(facts) if isinstance(facts, str) else facts)
