"""A worker died in the middle of git: its rebase and its locks stop nobody; those of people stay."""

import os
import time
from pathlib import Path

import pytest

from publisher.domain.states import State
from publisher.engine.reconcile import workspaces
from publisher.engine.sites import refresh
from publisher.models import Job
from tests.support.died import LAST_CALLS, Grave
from tests.support.git import blob, git, second_person
from tests.support.journey import FRESH, FRESH_TEXT, HELLO, TARGET, Journey, fresh, told
from tests.support.live import make_live

EDITED = HELLO.replace(b"Second", b"2nd")
HOURS = 2 * 3600
LOCKS = (
    "config.lock",
    "HEAD.lock",
    "packed-refs.lock",
    "shallow.lock",
    "refs/remotes/origin/main.lock",
)
STATES = pytest.mark.parametrize("state", list(LAST_CALLS))


@pytest.fixture
def grave(journey: Journey, monkeypatch: pytest.MonkeyPatch) -> Grave:
    return Grave(journey, monkeypatch)


def stop_in_rebase(grave: Grave, job: Job, path: str, theirs: bytes) -> None:
    """The dead worker's git stands in the middle of a rebase onto what a person pushed meanwhile."""
    place = grave.place(job)
    git(place, "reset", "-q", "--hard")
    (place / path).write_bytes(b"ours\n")
    git(place, "commit", "-qam", "ours")
    second_person(grave.journey.remote, {path: theirs}, "theirs")
    tracking = "refs/remotes/origin/main"
    git(place, "fetch", "-q", str(grave.journey.remote), f"+refs/heads/main:{tracking}")
    with pytest.raises(AssertionError, match=r"(?i)conflict"):
        git(place, "rebase", tracking)
    assert (grave.kept(job) / "rebase-merge").is_dir()


def lock(path: Path) -> Path:
    """A lock file of no bytes that somebody left two hours ago."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    moment = time.time() - HOURS
    os.utime(path, (moment, moment))
    return path


def words(job: Job) -> str:
    """All that was ever said of a job."""
    return f"{told(job)}\n{list(job.events.values_list('facts', flat=True))}"


@STATES
def test_a_rebase_that_a_dead_worker_left_stops_nobody(grave: Grave, state: State) -> None:
    job = grave.die(grave.journey.submit(EDITED, TARGET), state)
    stop_in_rebase(grave, job, "README.md", b"# theirs\n")
    other = grave.journey.published(FRESH_TEXT, FRESH, action="create")
    assert fresh(job).state == state
    grave.go_on(job)
    assert not (grave.kept(job) / "rebase-merge").exists()
    grave.publish(job)
    assert blob(grave.journey.remote, TARGET) == EDITED
    assert blob(grave.journey.remote, "README.md") == b"# theirs\n"
    assert "rebase" not in words(job).lower()
    grave.journey.is_sound(job, other)


def test_a_rebase_that_died_over_the_jobs_own_lines_ends_with_the_people(grave: Grave) -> None:
    job = grave.die(grave.journey.submit(EDITED, TARGET), State.PUSHING)
    theirs = HELLO.replace(b"Second", b"Zweite")
    stop_in_rebase(grave, job, TARGET, theirs)
    grave.go_on(job)
    assert fresh(job).state == State.CONFLICT, told(job)
    assert "rebase" not in words(job).lower()
    other = grave.journey.published(FRESH_TEXT, FRESH, action="create")
    assert blob(grave.journey.remote, TARGET) == theirs
    grave.journey.is_sound(job, other)


def test_a_rebase_of_people_stays_while_the_dead_workers_goes(grave: Grave) -> None:
    live = make_live(grave.journey)
    live.write(TARGET, b"Mine.\n")
    live.git("commit", "-qam", "mine")
    job = grave.die(grave.journey.submit(FRESH_TEXT, FRESH, action="create"), State.PUSHING)
    stop_in_rebase(grave, job, TARGET, b"Theirs.\n")
    live.git("fetch", "-q")
    with pytest.raises(AssertionError, match=r"(?i)conflict"):
        live.git("rebase", "origin/main")
    before = live.picture()
    live.sync()
    grave.publish(job)
    live.sync()
    assert live.picture() == before
    assert live.notes()["operation"] == ["rebase"]
    assert not grave.kept(job).exists()


@STATES
def test_locks_that_a_dead_worker_left_stop_nobody(grave: Grave, state: State) -> None:
    job = grave.die(grave.journey.submit(EDITED, TARGET), state)
    for name in LOCKS:
        lock(grave.clone / name)
    for name in ("index.lock", "HEAD.lock"):
        lock(grave.kept(job) / name)
    second_person(grave.journey.remote, {"README.md": b"# theirs\n"}, "theirs")
    other = grave.journey.submit(FRESH_TEXT, FRESH, action="create")
    grave.journey.work()
    assert fresh(other).state == State.WAITING_APPROVAL, told(other)
    grave.go_on(job)
    assert not list(grave.clone.rglob("index.lock"))
    grave.publish(job)
    assert "wait" not in job.events.values_list("event", flat=True), told(job)


@pytest.mark.parametrize("name", ["refs/heads/imprimatur/job/{}", "refs/imprimatur/replay/{}/3"])
def test_a_lock_on_a_jobs_own_ref_costs_it_no_try(grave: Grave, name: str) -> None:
    job = grave.die(grave.journey.submit(EDITED, TARGET), State.LOCAL_COMMITTING)
    lock(grave.clone / f"{name.format(job.pk)}.lock")
    grave.publish(job)
    assert "wait" not in job.events.values_list("event", flat=True), told(job)


def test_the_sweep_and_the_look_at_a_site_get_past_old_locks(grave: Grave) -> None:
    job = grave.journey.published(EDITED, TARGET)
    for name in LOCKS:
        lock(grave.clone / name)
    workspaces.run(grave.journey.ports)
    theirs = second_person(grave.journey.remote, {"README.md": b"# theirs\n"}, "theirs")
    assert refresh(grave.journey.site, grave.journey.ports) == theirs
    repository = grave.journey.repository()
    try:
        assert job.pk not in repository.jobs_with_refs()
    finally:
        repository.close()


def test_an_index_lock_goes_with_our_workspace_and_is_told_in_the_checkout(grave: Grave) -> None:
    live = make_live(grave.journey)
    live.sync()
    job = grave.die(grave.journey.submit(EDITED, TARGET), State.LOCAL_COMMITTING)
    ours, theirs = lock(grave.kept(job) / "index.lock"), lock(live.place / ".git/index.lock")
    live.write("content/posts/other.mdx", b"Edited by hand.\n")
    before = live.picture()
    other = grave.journey.submit(FRESH_TEXT, FRESH, action="create")
    grave.journey.work()
    assert fresh(other).state == State.WAITING_APPROVAL, told(other)
    grave.publish(job)
    live.sync()
    (since,) = live.notes()["locked"]
    assert (
        since == f"since {time.strftime('%Y-%m-%d %H:%M', time.gmtime(theirs.stat().st_mtime))} UTC"
    )
    assert (ours.exists(), live.picture()) == (False, before)
    theirs.unlink()
    live.sync()
    assert live.head() == grave.journey.head()
    assert live.status() == ""
