"""Git outlives a worker that is killed outside a supervisor, and a fork: neither does harm."""

import gc
import os
from pathlib import Path

from publisher.adapters.git import in_use
from publisher.adapters.git.repository import GitRepository
from publisher.ports import SiteSpec
from publisher.processes import kernel
from tests.support.crash import EDITED, PATH, Installation, install
from tests.support.git import add_hook, blob, head, make_remote
from tests.support.killed import Killed
from tests.support.waiting import until

HOLD_THE_FIRST = """cat >/dev/null
mkdir first 2>/dev/null || exit 0
echo here > reached
n=0; while [ ! -e go ] && [ $n -lt 600 ]; do sleep 0.05; n=$((n+1)); done
echo over > ended"""


def test_a_push_that_outlives_its_worker_cannot_undo_what_the_next_one_did(
    tmp_path: Path, database: str
) -> None:
    here, job = install(tmp_path, database)
    add_hook(here.remote, "pre-receive", HOLD_THE_FIRST)
    killed = Killed(here)
    try:
        until((here.remote / "reached").exists, seconds=60, what="the push at the remote")
        killed.kill()
        assert not nobody_in(here)
        here.work()
        assert here.facts(job)["state"] == "PUBLISHED"
        assert not (here.remote / "ended").exists()
        published = head(here.remote)
    finally:
        killed.kill()
        (here.remote / "go").touch()
    until((here.remote / "ended").exists, seconds=20, what="the end of the push left behind")
    until(lambda: not pushes_to(here.remote), seconds=20, what="the end of its processes")
    until(lambda: nobody_in(here), seconds=20, what="the end of its mark")
    assert head(here.remote) == published
    assert here.commits_of(job) == [published]
    assert blob(here.remote, PATH) == EDITED
    here.command("evaluate", job)


def nobody_in(here: Installation) -> bool:
    """Whether no git process lives in the site's folder, so that every lock file there is dead."""
    (clone,) = (here.home / "live" / "var" / "git").glob("*/clone.git")
    with in_use.alone(clone.parent) as nobody:
        return nobody


def pushes_to(remote: Path) -> list[str]:
    """Living processes that receive a push there."""
    found = []
    for listing in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = listing.read_bytes().split(b"\0")
        except OSError:
            continue
        if b"receive-pack" in b" ".join(words) and str(remote).encode() in b" ".join(words):
            found.append(listing.parent.name)
    return found


def test_a_fork_beside_an_open_repository_leaves_its_git_process_alone(tmp_path: Path) -> None:
    remote = make_remote(tmp_path / "remote.git", {PATH: b"One.\n"})
    spec = SiteSpec(7, "site", str(remote), "main")
    kept = [GitRepository(spec, root=tmp_path / "git", protocols=("file",))]
    kept[0].ensure_clone()
    tip = head(remote)
    assert kept[0].read_path(tip, PATH) == b"One.\n"
    reader = readers_below(os.getpid())

    def forget() -> None:
        kept.clear()
        gc.collect()

    child = kernel.fork(forget, own_session=True)
    assert os.waitpid(child, 0) == (child, 0)
    try:
        assert kept[0].read_path(tip, PATH) == b"One.\n"
        assert len(reader) == 1
        assert readers_below(os.getpid()) == reader
    finally:
        kept[0].close()


def readers_below(pid: int) -> list[int]:
    """The living cat-file processes that were started here."""
    return [
        child
        for child in kernel.children(pid)
        if b"cat-file" in Path(f"/proc/{child}/cmdline").read_bytes()
    ]
