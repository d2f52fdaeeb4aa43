"""The experiments: each breaks something for real and says which promises did not hold afterwards."""

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from publisher.processes.drills.scratch import (
    ARTICLE,
    DRAFT,
    GIT_SECONDS,
    LONG_LEASE_SECONDS,
    OTHER,
    PATH,
    Scratch,
)

Found = Iterator[str]


@dataclass(frozen=True, slots=True)
class Experiment:
    """One way to fail and the promise it is about; ``run`` yields what was not kept."""

    name: str
    promise: str
    run: Callable[[Scratch], Found]


def published_once(scratch: Scratch) -> Found:
    """PUBLISHED by exactly one commit on the remote, with the approved bytes and one receipt."""
    facts, commits = scratch.facts(), scratch.commits()
    if facts["state"] != "PUBLISHED":
        yield f"the job is {facts['state']}, not PUBLISHED"
    if len(commits) != 1:
        yield f"{len(commits)} commits of the job are on the remote"
    elif commits != [facts["remote_commit"]]:
        yield "the commit on the remote is not the one that the job names"
    if scratch.published() != DRAFT:
        yield "the published bytes are not the approved ones"
    if len(facts["effects"]) > 1:
        yield f"there are {len(facts['effects'])} receipts for one write"
    yield from only_owners_wrote(scratch)


def only_owners_wrote(scratch: Scratch) -> Found:
    """Between two claims nobody but the first one's worker wrote in the job's history."""
    owner = ""
    for event, actor, name, seq in scratch.rows(
        "SELECT event, actor, actor_name, seq FROM publisher_jobevent ORDER BY job_id, seq"
    ):
        if event == "claimed":
            owner = name
        elif actor == "worker" and name != owner:
            yield f"{name} wrote event {seq} while {owner} held the job"


def _answer_lost(scratch: Scratch) -> Found:
    """The remote takes the push, and the line breaks before it can say so."""
    scratch.hook("post-receive", 'rm -f "$0"; kill -9 $PPID')
    scratch.work()
    yield from published_once(scratch)


def _killed(point: str) -> Callable[[Scratch], Found]:
    def run(scratch: Scratch) -> Found:
        scratch.work(fault=point)
        scratch.work()
        yield from published_once(scratch)

    return run


def _stale_worker(scratch: Scratch) -> Found:
    """A suspended worker comes back while the job is in the hands of another."""
    stale = scratch.pause_at("before:record.commit")
    scratch.work(fault="before:record.commit")
    scratch.go_on(stale)
    scratch.work()
    yield from published_once(scratch)


def _duplicate_delivery(scratch: Scratch) -> Found:
    """The queue hands the job to a second worker while the first is at work."""
    first = scratch.pause_at("after:record.commit", lease=LONG_LEASE_SECONDS)
    scratch.work(once=True)
    claims = scratch.rows(
        "SELECT COUNT(*) FROM publisher_jobevent WHERE event = 'claimed' AND generation > "
        "(SELECT MAX(generation) FROM publisher_jobevent WHERE event = 'commit')"
    )
    scratch.go_on(first)
    if claims != [(0,)]:
        yield "the second delivery took a job that was being worked on"
    yield from published_once(scratch)


def _remote_moved(scratch: Scratch) -> Found:
    """Somebody else pushes between our look and our push."""
    worker = scratch.pause_at("before:repository.push", lease=LONG_LEASE_SECONDS)
    theirs = scratch.somebody_commits(OTHER, b"Theirs.\n")
    scratch.go_on(worker)
    scratch.work()
    if theirs not in scratch.git("rev-list", "main").decode().split():
        yield "somebody else's commit is gone from the branch"
    yield from published_once(scratch)


def _target_changed(scratch: Scratch) -> Found:
    """Somebody else changes the very article between our look and our push."""
    worker = scratch.pause_at("before:repository.push", lease=LONG_LEASE_SECONDS)
    scratch.somebody_commits(PATH, ARTICLE + b"\nTheirs.\n")
    scratch.go_on(worker)
    scratch.work()
    if scratch.published() != ARTICLE + b"\nTheirs.\n":
        yield "somebody else's words were written over"
    if (state := scratch.facts()["state"]) != "CONFLICT":
        yield f"the job is {state}, and no person is asked to join the two"


def _forged_trailer(scratch: Scratch) -> Found:
    """A commit by somebody else carries the job's true trailers, and other bytes."""
    worker = scratch.pause_at("before:repository.push", lease=LONG_LEASE_SECONDS)
    ((manifest,),) = scratch.rows("SELECT manifest_hash FROM publisher_effect")
    trailers = f"Blog-Job-Id: {scratch.job}\nBlog-Manifest-Sha256: {manifest[7:]}\n"
    scratch.somebody_commits(PATH, b"Forged.\n", f"Update\n\n{trailers}")
    scratch.go_on(worker)
    scratch.work()
    if scratch.facts()["state"] == "PUBLISHED":
        yield "a forged trailer passed for a publication"
    if scratch.published() != b"Forged.\n":
        yield "something was pushed onto a branch that nobody understands"


def _restored_row(scratch: Scratch) -> Found:
    """The job store comes back from a copy that is older than the publication."""
    old = scratch.database.read_bytes()
    scratch.work()
    for name in ("-wal", "-shm"):
        scratch.database.with_name(scratch.database.name + name).unlink(missing_ok=True)
    scratch.database.write_bytes(old)
    scratch.work()
    yield from published_once(scratch)


def _approver_left(scratch: Scratch) -> Found:
    """The one who approved loses the right between the commit and the push."""
    worker = scratch.pause_at("before:record.deliver", lease=LONG_LEASE_SECONDS)
    scratch.command("user", "disable", "rui")
    scratch.go_on(worker)
    scratch.work()
    if scratch.commits():
        yield "it was pushed on the word of somebody who may not approve any more"


def _changed_bytes(scratch: Scratch) -> Found:
    """The stored draft is changed on the disk after it was approved."""
    for path in (scratch.folder / "var" / "artifacts").rglob("*"):
        if path.is_file() and path.read_bytes() == DRAFT:
            path.write_bytes(DRAFT.replace(b"second", b"hidden"))
    scratch.work(once=True)
    if scratch.commits() or scratch.published() != ARTICLE:
        yield "bytes that nobody approved were pushed"


def _silent_remote(scratch: Scratch) -> Found:
    """The remote takes calls and answers none while another site's job is due."""
    other = _at_another_site(scratch)
    beside = scratch.pause_at("before:locks.hold", lease=LONG_LEASE_SECONDS, job=other)
    with scratch.silence() as called:
        waiting = scratch.begin_work(lease=LONG_LEASE_SECONDS, once=True, job=scratch.job)
        try:
            called()
            scratch.go_on(beside)
            if waiting.poll() is not None:
                yield "the other site's job waited until the remote was given up"
            waiting.communicate(timeout=GIT_SECONDS * 3)
        finally:
            waiting.kill()
            waiting.communicate()
    if (state := scratch.facts(other)["state"]) != "PUBLISHED":
        yield f"the other site's job is {state}, not PUBLISHED"
    facts = scratch.facts()
    if facts["state"] != "RETRY_WAIT":
        yield f"the job is {facts['state']}, and is not tried again"
    if f"no answer in {GIT_SECONDS} seconds" not in facts["failure_message"]:
        yield "nobody is told that the remote gave no answer"
    scratch.work()
    yield from published_once(scratch)


def _at_another_site(scratch: Scratch) -> str:
    remote = scratch.folder / "other.git"
    shutil.copytree(scratch.remote, remote)
    scratch.command("site", "add", "other", "--remote", str(remote))
    job = scratch.submit("other")
    scratch.command("work", "--until-idle", "--job", job)
    scratch.approve(job)
    return job


EXPERIMENTS = (
    Experiment(
        "push-answer-lost",
        "A push without an answer is looked for, never sent twice.",
        _answer_lost,
    ),
    Experiment(
        "killed-before-push", "What was not sent is sent once.", _killed("before:repository.push")
    ),
    Experiment("killed-after-push", "What was sent is found.", _killed("after:repository.push")),
    Experiment(
        "killed-between-commit-and-row",
        "A commit whose row was not written is found or made again, and published once.",
        _killed("before:record.committed"),
    ),
    Experiment("stale-worker", "A worker past its lease writes nothing.", _stale_worker),
    Experiment("duplicate-delivery", "A job has one worker at a time.", _duplicate_delivery),
    Experiment("remote-moved", "Nobody's commit is lost under ours.", _remote_moved),
    Experiment("target-changed", "Nobody's words are written over.", _target_changed),
    Experiment("forged-trailer", "Only our own commit proves a publication.", _forged_trailer),
    Experiment("restored-row", "An older job store publishes nothing twice.", _restored_row),
    Experiment("approver-left", "Rights are checked anew at the push.", _approver_left),
    Experiment("changed-bytes", "What is pushed is what was approved.", _changed_bytes),
    Experiment("silent-remote", "A remote that never answers holds up no other.", _silent_remote),
)
