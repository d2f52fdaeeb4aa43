"""A worker that is killed over a message of the outbox: the next one takes it over within a lease."""

import json
from pathlib import Path

import pytest

from publisher.faults import EXIT
from tests.support.crash import Installation, warmed
from tests.support.git import make_remote

CALLS = ("ensure_clone", "fetch", "changes", "close")


@pytest.mark.parametrize("point", [f"{at}:{call}" for call in CALLS for at in ("before", "after")])
def test_a_job_waits_a_lease_at_most_for_the_clone_that_a_worker_died_over(
    point: str, tmp_path: Path, database: str
) -> None:
    """``work --until-idle`` waits up to a minute for what falls due; longer would leave the job."""
    with warmed(tmp_path, database) as here:
        job = _submitted_before_the_clone(here)
        here.work(fault=point.replace(":", ":repository."), code=EXIT)
        here.work()
        assert json.loads(here.command("inspect", job, "--json"))["state"] == "WAITING_APPROVAL"


def _submitted_before_the_clone(here: Installation) -> str:
    here.remote.parent.mkdir(parents=True)
    make_remote(here.remote, {"content/posts/first.md": b"# First\n"})
    (here.home / "draft.md").write_bytes(b"# Second\n\nWords of a second one.\n")
    here.migrate()
    here.command("user", "add", "ada", "--role", "submitter")
    here.command("site", "add", "blog", "--remote", str(here.remote))
    said = here.command(
        "submit", "--site", "blog", "--content", str(here.home / "draft.md"),
        "--target-path", "content/posts/second.md", "--as", "ada", "--json",
    )  # fmt: skip
    return str(json.loads(said)["job_id"])
