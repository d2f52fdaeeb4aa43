"""A site whose remote never answers beside one whose remote does; ``run`` has two workers for both."""

import os
import signal
from collections import Counter
from pathlib import Path
from typing import Any

from publisher.adapters.git import contact
from tests.support.git import make_remote
from tests.support.soak import Soak, prepare
from tests.support.waiting import until


def test_it_holds_one_worker_and_the_other_site_goes_on(tmp_path: Path, database: str) -> None:
    soak = prepare(tmp_path, database)
    remote = make_remote(tmp_path / "live" / "quiet.git", {"content/posts/a.md": b"# A\n"})
    soak.here.command("site", "add", "quiet", "--remote", str(remote))
    root = soak.start()
    try:
        until(lambda: fetched(soak, "quiet"), seconds=120, what="the clone of the quiet site")
        fall_silent(remote)
        for name in ("first", "second"):  # for both workers at once, before anybody knows
            hand_in(soak, "quiet", name)
        until(lambda: somebody_waits(soak), seconds=120, what="a worker to wait in vain")
        hand_in(soak, "quiet", "third")
        soak.hand_in("beside")
        until(lambda: approved(soak), seconds=60, what="the other site's publication", every=0.3)
        assert "PUBLISHED" not in states(soak, "quiet")
    finally:
        root.send_signal(signal.SIGTERM)
        root.wait(120)


def fall_silent(remote: Path) -> None:
    """Whoever asks for anything waits: nobody ever writes into this pipe."""
    (remote / "HEAD").unlink()
    os.mkfifo(remote / "HEAD")


def somebody_waits(soak: Soak) -> bool:
    """For longer than an answer takes, at one of the sites."""
    clones = (soak.here.home / "live" / "var" / "git").glob("*")
    return any(contact.is_silent(folder, ["fetch"]) for folder in clones)


def hand_in(soak: Soak, site: str, name: str) -> None:
    """Accepted for a site, as from a program."""
    body = {
        "site": site, "content": f"# {name}\n\nWords.\n", "action": "create",
        "target_path": f"content/posts/{name}.md",
    }  # fmt: skip
    until(
        lambda: soak.call("ada", "/jobs", body, {"Idempotency-Key": name}),
        seconds=60, what=f"{name} to be accepted", every=0.1,
    )  # fmt: skip


def approved(soak: Soak) -> bool:
    """Approve what waits; whether it went out."""
    soak.approve_what_waits()
    return states(soak, "blog") == {"PUBLISHED"}


def states(soak: Soak, site: str) -> set[str]:
    """Of all of a site's jobs."""
    listed: Any = soak.call("ada", f"/jobs?limit=50&site={site}")
    return set(Counter(row["state"] for row in listed["items"])) if listed else set()


def fetched(soak: Soak, site: str) -> bool:
    """Whether its clone is made."""
    listed: Any = soak.call("ada", "/sites")
    return bool(listed) and any(
        row["name"] == site and row["clone_state"] == "ready" for row in listed["items"]
    )
