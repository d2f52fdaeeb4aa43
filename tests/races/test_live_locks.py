"""Locks of the lanes: nobody waits for one that another lane holds without need."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from publisher.adapters.git.locks import FileLocks
from publisher.domain.errors import AdapterError, LockOrder, RemoteUnreachable
from publisher.domain.states import State
from publisher.engine import external_sync
from publisher.engine.sites import refresh
from publisher.models import Site
from publisher.ports import Repository, SiteSpec
from publisher.services.site_rules import checkout_folder
from tests.support.git import blob, second_person
from tests.support.journey import FRESH, FRESH_TEXT, TARGET, Journey, begin, fresh, told
from tests.support.live import Live, make_live

EDITED = b"Edited by hand.\n"


@pytest.fixture
def journey(db: None, tmp_path: Path) -> Journey:
    return begin(tmp_path)


@contextmanager
def _held(folder: Path, site: Site) -> Iterator[None]:
    """Somebody else holds the delivery and the checkout lock."""
    taken, over = threading.Event(), threading.Event()

    def hold() -> None:
        locks = FileLocks(folder / "locks")
        with (
            locks.hold("delivery", site.name),
            locks.hold("checkout", checkout_folder(site)),
        ):
            taken.set()
            over.wait(60)

    thread = threading.Thread(target=hold)
    thread.start()
    assert taken.wait(10)
    try:
        yield
    finally:
        over.set()
        thread.join(10)


def _is_free(folder: Path, name: str, site: str) -> bool:
    """Whether another thread gets this lock at once."""
    free: list[bool] = []

    def take() -> None:
        try:
            with FileLocks(folder / "locks").hold(name, site, timeout_seconds=0):
                free.append(True)
        except AdapterError:
            free.append(False)

    thread = threading.Thread(target=take)
    thread.start()
    thread.join(10)
    return free == [True]


class _Watched:
    """A repository whose named call is preceded by something."""

    def __init__(self, real: Repository, call: str, first: Callable[[], None]) -> None:
        self._real = real
        self._call = call
        self._first = first

    def __getattr__(self, name: str) -> Any:
        if name == self._call:
            self._first()
        return getattr(self._real, name)


def _watch(live: Live, call: str, first: Callable[[], None]) -> None:
    opened = live.journey.ports.repository

    def watched(spec: SiteSpec, cancelled: Callable[[], bool]) -> Any:
        return _Watched(opened(spec, cancelled), call, first)

    live.journey.ports = replace(live.journey.ports, repository=watched)


def test_prepare_runs_while_delivery_and_checkout_are_held(
    journey: Journey, tmp_path: Path
) -> None:
    make_live(journey)
    with _held(tmp_path, journey.site):
        job = journey.submit(FRESH_TEXT, FRESH)
        journey.work()
        assert fresh(job).state == State.WAITING_APPROVAL, told(job)


@pytest.mark.parametrize("call", ["fetch", "push"])
def test_no_network_call_is_made_under_the_checkout_lock(
    journey: Journey, tmp_path: Path, call: str
) -> None:
    live = make_live(journey)
    seen: list[bool] = []
    _watch(
        live,
        call,
        lambda: seen.append(_is_free(tmp_path, "checkout", checkout_folder(live.site()))),
    )
    live.write(TARGET, EDITED)
    live.sync()
    assert seen
    assert all(seen)
    assert blob(journey.remote, TARGET) == EDITED


def test_between_two_tries_no_lock_is_held(journey: Journey, tmp_path: Path) -> None:
    live = make_live(journey)
    is_away = [True]

    def refuse() -> None:
        if is_away[0]:
            raise RemoteUnreachable("The remote cannot be reached: no route")

    _watch(live, "push", refuse)
    live.write(TARGET, EDITED)
    live.sync()
    (message,) = live.messages()
    assert (message.tries, message.done_at) == (1, None)
    assert message.due_at > journey.now()
    for name in ("delivery", "repository"):
        assert _is_free(tmp_path, name, journey.site.name)
    assert _is_free(tmp_path, "checkout", checkout_folder(live.site()))
    is_away[0] = False
    live.again()
    assert blob(journey.remote, TARGET) == EDITED


def test_sites_that_share_a_checkout_take_turns(journey: Journey, tmp_path: Path) -> None:
    """No new site can; those of an older release may, each by a name of its own."""
    live = make_live(journey)
    (tmp_path / "link").symlink_to(live.place)
    docs = live.site()
    docs.pk, docs.name, docs.live_checkout = None, "docs", str(tmp_path / "link")
    docs.save()
    second_person(journey.remote, {TARGET: EDITED}, "newer")
    refresh(live.site(), journey.ports)
    free: list[bool] = []
    _watch(
        live, "changes", lambda: free.append(_is_free(tmp_path, "checkout", checkout_folder(docs)))
    )
    assert external_sync.forward(live.site(), journey.ports) == ""
    assert free == [False]
    assert live.head() == journey.head()


def test_a_scan_under_a_later_lock_is_refused(journey: Journey) -> None:
    live = make_live(journey)
    with journey.ports.locks.hold("repository", "magazine"), pytest.raises(LockOrder):
        external_sync.scan(live.site(), journey.ports)


class _Death(BaseException):
    """A process that ends here: nothing of the program can catch it."""


CALLS = ["fetch", "entries", "build_commits", "push", "changes"]


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("time", [1, 2])
def test_a_death_at_any_call_sends_the_edit_once(journey: Journey, call: str, time: int) -> None:
    """Registered, built, pushed and not acknowledged, or not yet brought forward: all end alike."""
    live = make_live(journey)
    count = [0]

    def die() -> None:
        count[0] += 1
        if count[0] == time:
            raise _Death

    live.write(TARGET, EDITED)
    live.write("package.json", b"{}")
    live.scan()
    _watch(live, call, die)
    with suppress(_Death):
        live.journey.deliver()
    count[0] = time
    live.again()
    live.sync()
    mine = [facts for facts in journey.history() if facts.author == "Imprimatur external sync"]
    assert len(mine) == 1
    assert [row.done_at is None for row in live.messages()] == [False]
    assert (live.head(), live.status()) == (journey.head(), "?? package.json\n")
