"""Locks: one holder at a time, in one order, and none outlives its holder."""

import multiprocessing
import signal
import threading
from multiprocessing.synchronize import Event
from pathlib import Path

import pytest

from publisher.adapters.git.locks import ORDER, FileLocks
from publisher.domain.errors import LockBusy, LockOrder


@pytest.fixture
def locks(tmp_path: Path) -> FileLocks:
    return FileLocks(tmp_path / "locks")


def test_the_order_is_delivery_checkout_repository(locks: FileLocks) -> None:
    with (
        locks.hold("delivery", "site"),
        locks.hold("checkout", "site"),
        locks.hold("repository", "site"),
    ):
        pass
    assert ORDER == ("delivery", "checkout", "repository")


@pytest.mark.parametrize(
    ("first", "second"),
    [(one, other) for number, one in enumerate(ORDER) for other in ORDER[: number + 1]],
)
def test_taking_them_backwards_or_twice_raises(locks: FileLocks, first: str, second: str) -> None:
    with locks.hold(first, "site"), pytest.raises(LockOrder), locks.hold(second, "site"):
        pass


def test_the_order_holds_across_sites(locks: FileLocks) -> None:
    with locks.hold("delivery", "a"), pytest.raises(LockOrder), locks.hold("delivery", "b"):
        pass


def test_a_lock_may_be_skipped_and_taken_again(locks: FileLocks) -> None:
    for _ in range(2):
        with locks.hold("delivery", "site"), locks.hold("repository", "site"):
            pass


def test_no_lock_is_taken_inside_a_transaction(tmp_path: Path) -> None:
    locks = FileLocks(tmp_path, in_database_transaction=lambda: True)
    with pytest.raises(LockOrder), locks.hold("repository", "site"):
        pass


def test_a_failed_body_lets_go(locks: FileLocks) -> None:
    with pytest.raises(KeyError), locks.hold("delivery", "site"):
        raise KeyError
    with locks.hold("delivery", "site", timeout_seconds=0):
        pass


def test_another_thread_waits_and_gives_up_in_time(locks: FileLocks) -> None:
    refused: list[str] = []

    def take() -> None:
        try:
            with locks.hold("delivery", "site", timeout_seconds=0.05):
                refused.append("taken")
        except LockBusy as trouble:
            refused.append(trouble.code)

    with locks.hold("delivery", "site"):
        thread = threading.Thread(target=take)
        thread.start()
        thread.join(10)
    assert refused == ["lock_busy"]


def test_locks_of_two_sites_or_two_names_do_not_meet(locks: FileLocks) -> None:
    taken: list[str] = []

    def take() -> None:
        with locks.hold("delivery", "other", timeout_seconds=0):
            taken.append("other")
        with locks.hold("repository", "site", timeout_seconds=0):
            taken.append("repository")

    with locks.hold("delivery", "site"):
        thread = threading.Thread(target=take)
        thread.start()
        thread.join(10)
    assert taken == ["other", "repository"]


def test_a_sites_name_cannot_leave_the_folder(locks: FileLocks, tmp_path: Path) -> None:
    with locks.hold("delivery", "../../x"):
        pass
    assert len(list((tmp_path / "locks").iterdir())) == 1


def _hold_until_killed(root: Path, held: Event) -> None:
    with FileLocks(root).hold("delivery", "site"):
        held.set()
        signal.pause()


def test_a_killed_holder_lets_go(locks: FileLocks, tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    held = context.Event()
    process = context.Process(target=_hold_until_killed, args=(tmp_path / "locks", held))
    process.start()
    assert held.wait(30)
    with pytest.raises(LockBusy), locks.hold("delivery", "site", timeout_seconds=0):
        pass
    process.kill()
    process.join(30)
    with locks.hold("delivery", "site", timeout_seconds=0):
        pass


def test_a_name_longer_than_a_files_is_a_lock_of_its_own(locks: FileLocks, tmp_path: Path) -> None:
    folder = "/srv/" + "文章" * 100
    other = FileLocks(tmp_path / "locks")
    with locks.hold("checkout", folder):
        with pytest.raises(LockBusy), other.hold("checkout", folder, timeout_seconds=0):
            pass
        with other.hold("checkout", f"{folder}/two", timeout_seconds=0):
            pass
