"""What happens between the finding of hand edits and their push: a stop, a clash, an undo, a move."""

import os
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from typing import Any

import pytest

from publisher.engine.sites import refresh
from publisher.models import Site
from publisher.services import sites
from tests.support.clock import ManualClock
from tests.support.git import blob, git, second_person
from tests.support.journey import TARGET, Journey
from tests.support.live import Live, make_live

EDITED = b"Edited by hand.\n"
OTHER = "content/posts/other.mdx"


@pytest.fixture
def live(journey: Journey) -> Live:
    return make_live(journey)


def _set(live: Live, **columns: Any) -> None:
    Site.objects.filter(pk=live.journey.site.pk).update(**columns)


ACTS: list[tuple[Callable[[Live], None], bool]] = [
    (lambda live: sites.pause(live.site()), True),
    (lambda live: _set(live, removed_at=live.journey.now()), False),
    (lambda live: _set(live, branch="trunk"), False),
    (lambda live: _set(live, live_checkout=""), False),
    (lambda live: _set(live, live_checkout=str(live.journey.folder / "another")), False),
]


@pytest.mark.parametrize(("act", "is_kept"), ACTS)
def test_a_site_that_is_stopped_while_edits_are_read_has_none_pushed(
    live: Live, act: Callable[[Live], None], is_kept: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    live.write(TARGET, EDITED)
    live.scan()
    sending = import_module("publisher.engine.external_sync.send")
    plan, tip = sending._plan, live.journey.head()

    def stopped(*seen: Any) -> Any:
        act(live)
        return plan(*seen)

    monkeypatch.setattr(sending, "_plan", stopped)
    live.journey.deliver()
    assert live.journey.head() == tip
    assert [bool(message.last_error) for message in live.messages()] == [True] * is_kept


def clash(live: Live) -> None:
    """TARGET is edited here and by somebody else, OTHER here alone."""
    second_person(live.journey.remote, {TARGET: b"Theirs.\n"}, "the same file")
    live.write(TARGET, EDITED)
    live.write(OTHER, EDITED)
    live.sync()


def test_beside_a_clash_every_edit_of_another_file_is_sent(live: Live) -> None:
    before = live.read(OTHER)
    clash(live)
    for data in (b"Better.\n", before, EDITED, before, b"Best.\n"):
        live.write(OTHER, data)
        live.sync()
        assert blob(live.journey.remote, OTHER) == data
        live.again()
    assert blob(live.journey.remote, TARGET) == b"Theirs.\n"
    (waiting,) = [message for message in live.messages() if message.done_at is None]
    assert waiting.last_error == f"Somebody changed the same files on the remote: {TARGET}."
    live.git("checkout", "--", TARGET)
    live.sync()
    live.again()
    assert all(message.done_at for message in live.messages())
    assert (live.head(), live.status(), live.notes()) == (live.journey.head(), "", {})


def test_a_clash_is_one_message_however_often_found(live: Live) -> None:
    clash(live)
    live.sync()
    assert [message.done_at is None for message in live.messages()] == [True, False]


@pytest.mark.parametrize("is_edited", [False, True])
def test_what_was_pushed_before_a_death_is_known_beside_a_clash(
    live: Live, is_edited: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    sending = import_module("publisher.engine.external_sync.send")
    with monkeypatch.context() as dying:
        dying.setattr(sending, "_keep_sent", lambda *_: None)
        clash(live)
    assert blob(live.journey.remote, OTHER) == EDITED
    if is_edited:  # the next try finds another text than was registered, and drops the message
        live.write(TARGET, b"Mine again.\n")
    live.again()
    live.write(OTHER, b"Better.\n")
    live.sync()
    assert blob(live.journey.remote, OTHER) == b"Better.\n"


def test_what_one_branch_was_sent_is_sent_to_another_one_as_well(live: Live) -> None:
    git(live.journey.remote, "branch", "trunk", "main")
    live.write("README.md", b"mine\n")
    second_person(live.journey.remote, {"README.md": b"theirs\n"}, "readme")
    live.write(TARGET, EDITED)
    live.sync()
    live.git("checkout", "-q", "-b", "trunk")
    _set(live, branch="trunk")
    refresh(live.site(), live.journey.ports)
    live.sync()
    assert git(live.journey.remote, "show", f"trunk:{TARGET}") == EDITED


def test_an_undo_waits_for_the_quiet_time_as_an_edit_does(live: Live) -> None:
    """``git stash``, ``git pull``, ``git stash pop``, and a look in between."""
    clock = ManualClock(live.journey.now())
    live.journey.ports = replace(live.journey.ports, clock=clock)
    before = live.read(TARGET)
    live.write("README.md", b"mine\n")
    second_person(live.journey.remote, {"README.md": b"theirs\n"}, "readme")
    live.write(TARGET, EDITED)
    live.sync()
    _set(live, quiet_seconds=300)
    live.write(TARGET, before)
    clock.advance(200)
    assert not live.scan()
    assert live.notes()["fresh"] == [TARGET]
    clock.advance(200)
    live.sync()
    assert blob(live.journey.remote, TARGET) == before


@pytest.mark.parametrize("is_sent_before", [False, True])
def test_of_a_move_of_most_neither_half_is_sent(live: Live, is_sent_before: bool) -> None:
    more = "content/posts/third.md"
    second_person(live.journey.remote, {more: b"# Third\n"}, "a third article")
    live.git("pull", "-q")
    refresh(live.site(), live.journey.ports)
    if is_sent_before:
        live.write("README.md", b"mine\n")
        second_person(live.journey.remote, {"README.md": b"theirs\n"}, "readme")
        live.write(TARGET, EDITED)
        live.sync()
    tip = live.journey.head()
    (live.place / "content/posts").rename(live.place / "content/blog")
    live.write("content/blog/new.md", b"# New\n")
    live.sync()
    names = git(live.journey.remote, "diff", "--name-status", tip, "main").decode()
    assert names == "A\tcontent/blog/new.md\n"
    olds = sorted([TARGET, OTHER, more])
    live.scan()
    assert live.notes()["mass_removal"] == olds
    assert live.notes()["moved"] == [path.replace("/posts/", "/blog/") for path in olds]


def test_a_small_move_goes_out_as_one_when_its_removal_has_rested(live: Live) -> None:
    """A folder that is moved leaves the times of its files as they are."""
    clock = ManualClock(live.journey.now())
    live.journey.ports = replace(live.journey.ports, clock=clock)
    tip = live.journey.head()
    clock.advance(400)
    _set(live, quiet_seconds=300)
    (live.place / "content/posts").rename(live.place / "content/blog")
    gone = clock.now().timestamp()
    os.utime(live.place / "content", (gone, gone))
    assert not live.scan()
    assert live.notes() == {
        "fresh": sorted([TARGET, OTHER]),
        "moved": sorted(path.replace("/posts/", "/blog/") for path in (TARGET, OTHER)),
    }
    clock.advance(400)
    live.sync()
    names = git(live.journey.remote, "log", "--format=", "--name-status", f"{tip}..main").decode()
    assert sorted(line[0] for line in names.split("\n") if line) == ["R", "R"]
    assert (live.head(), live.status()) == (live.journey.head(), "")


def test_where_a_whole_tree_is_gone_its_copies_wait(live: Live) -> None:
    _set(live, articles="**/*.mdx")
    tip = live.journey.head()
    (live.place / "content").rename(live.place / "pages")
    live.sync()
    assert live.journey.head() == tip
    assert set(live.notes()) == {"folder_gone", "moved"}


@pytest.mark.parametrize("is_mount_point", [False, True])
def test_what_was_taken_down_while_its_tree_was_away_is_not_sent_again(
    live: Live, is_mount_point: bool
) -> None:
    (live.place / "content").rename(live.journey.folder / "away")
    if is_mount_point:
        (live.place / "content").mkdir()
    second_person(live.journey.remote, {OTHER: None}, "taken down")
    refresh(live.site(), live.journey.ports)
    live.sync()
    assert set(live.notes()) == {"folder_gone", "behind_dirty"}
    (live.journey.folder / "away").rename(live.place / "content")  # also onto an empty one
    live.sync()
    assert live.messages() == []
    assert (live.head(), live.status()) == (live.journey.head(), "")
    assert not (live.place / OTHER).exists()
