"""A provider slower than the queue's patience: the queue delivers again, and nothing is done twice."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

from tests.support.crash import ROOT, Installation
from tests.support.git import make_remote
from tests.support.waiting import until

SOURCE = "The tide turns twice a day. The moon pulls the water, and the water follows it.\n"


def installation(home: Path, database: str) -> Installation:
    """A site that is ready, and Ada."""
    here = Installation(home, database)
    here.remote.parent.mkdir(parents=True)
    make_remote(here.remote, {"content/posts/first.md": b"# First\n"})
    here.migrate()
    here.command("user", "add", "ada", "--role", "submitter")
    here.command("site", "add", "blog", "--remote", str(here.remote))
    here.work()
    return here


def test_a_second_delivery_while_the_provider_writes_is_a_silent_no_op(
    tmp_path: Path, database: str
) -> None:
    here = installation(tmp_path, database)
    said = here.command(
        "submit", "--site", "blog", "--source", "-", "--as", "ada", "--json", stdin=SOURCE
    )
    job = str(json.loads(said)["job_id"])
    marks = here.home / "live" / "var" / "marks"
    with here.said.open("w") as file:
        cluster = subprocess.Popen(
            [sys.executable, "-m", "tests.support.slow_cluster"],
            cwd=ROOT,
            env={**here.environment, "IMPRIMATUR_LEASE_SECONDS": "2"},
            stdout=file,
            stderr=file,
            start_new_session=True,
        )
    try:
        until((marks / "call-0").exists, seconds=60, what="the provider's call")
        until((marks / "ended-0").exists, seconds=60, what="the end of a second delivery")
        assert (marks / "ended-0").read_text() == "False"
        (marks / "go").touch()
        until(lambda: here.facts(job)["state"] == "WAITING_APPROVAL", seconds=60, what="the draft")
        until(
            lambda: len(list(marks.glob("ended-*"))) == len(list(marks.glob("begun-*"))),
            seconds=60,
            what="the end of all deliveries",
        )
    finally:
        os.killpg(cluster.pid, signal.SIGKILL)
        cluster.wait()
    assert [path.name for path in marks.glob("call-*")] == ["call-0"]
    ended = [path.read_text() for path in marks.glob("ended-*")]
    assert (ended.count("True"), len(ended) > 1) == (1, True)
    facts = json.dumps(here.facts(job)["events"])
    assert facts.count('"claimed"') == 1
    assert "stale_worker" not in here.said.read_text()
