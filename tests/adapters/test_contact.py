"""Whether somebody waits in vain for a remote is known to every process of the machine."""

import os
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from publisher.adapters.git import contact
from publisher.adapters.git.runner import Interrupted
from publisher.domain.errors import LockBusy

LOOKS = ("fetch", "ls-remote")


def long_ago(folder: Path, command: str) -> None:
    """Date the last sign of life back."""
    moment = time.time() - contact.SILENT_SECONDS - 1
    os.utime(folder / f"contact.{command}", (moment, moment))


def test_nobody_waits_in_vain_where_nobody_waits(tmp_path: Path) -> None:
    assert not contact.is_silent(tmp_path, LOOKS)
    with contact.waiting(tmp_path, "fetch"):
        long_ago(tmp_path, "fetch")
    assert not contact.is_silent(tmp_path, LOOKS)


def test_a_wait_is_in_vain_once_it_took_longer_than_an_answer_takes(tmp_path: Path) -> None:
    with contact.waiting(tmp_path, "fetch"):
        assert not contact.is_silent(tmp_path, LOOKS)
        long_ago(tmp_path, "fetch")
        assert contact.is_silent(tmp_path, LOOKS)
        assert not contact.is_silent(tmp_path, ["push"])


def test_an_answer_to_another_is_a_sign_of_life(tmp_path: Path) -> None:
    with contact.waiting(tmp_path, "fetch"):
        long_ago(tmp_path, "fetch")
        with contact.waiting(tmp_path, "fetch"):
            assert contact.is_silent(tmp_path, LOOKS)
        assert not contact.is_silent(tmp_path, LOOKS)


def test_after_a_wait_in_vain_the_next_one_counts_as_vain_until_it_is_answered(
    tmp_path: Path,
) -> None:
    with pytest.raises(Interrupted), contact.waiting(tmp_path, "fetch"):
        raise Interrupted("deadline", "No answer.")
    assert not contact.is_silent(tmp_path, LOOKS)
    with contact.waiting(tmp_path, "fetch"):
        assert contact.is_silent(tmp_path, LOOKS)
    with contact.waiting(tmp_path, "fetch"):
        assert not contact.is_silent(tmp_path, LOOKS)


def test_a_wait_that_was_ended_from_here_says_nothing_of_the_remote(tmp_path: Path) -> None:
    with pytest.raises(Interrupted), contact.waiting(tmp_path, "fetch"):
        raise Interrupted("cancelled", "Somebody else is at it.")
    with contact.waiting(tmp_path, "fetch"):
        assert not contact.is_silent(tmp_path, LOOKS)


@contextmanager
def asking(folder: Path) -> Iterator["Future[str]"]:
    """Somebody else, who asks in turn while the block runs and has got as far as waiting for it."""
    begun = threading.Event()

    def ask() -> str:
        begun.set()
        with contact.in_turn(folder, "fetch"):
            return "asked"

    with ThreadPoolExecutor(1) as others:
        future = others.submit(ask)
        assert begun.wait(30)
        yield future


def test_nobody_takes_turns_where_nobody_waits(tmp_path: Path) -> None:
    for _ in range(2):
        with contact.in_turn(tmp_path, "fetch"), contact.in_turn(tmp_path, "ls-remote"):
            assert not contact.is_silent(tmp_path, LOOKS)


def test_the_second_asks_when_the_first_was_answered(tmp_path: Path) -> None:
    with contact.waiting(tmp_path, "fetch"), asking(tmp_path) as second:
        with pytest.raises(TimeoutError):
            second.result(timeout=0.2)
        with contact.waiting(tmp_path, "fetch"):
            pass  # an answer, while the first still waits for theirs
        assert second.result(timeout=30) == "asked"


def test_the_second_gives_up_when_the_first_waits_in_vain(tmp_path: Path) -> None:
    with contact.waiting(tmp_path, "fetch"), asking(tmp_path) as second:
        long_ago(tmp_path, "fetch")
        with pytest.raises(LockBusy, match="does not answer"):
            second.result(timeout=30)


def test_the_second_asks_when_the_first_is_gone_without_an_answer(tmp_path: Path) -> None:
    with pytest.raises(Interrupted), contact.waiting(tmp_path, "fetch"):
        raise Interrupted("deadline", "No answer.")
    with asking(tmp_path) as second:
        assert second.result(timeout=30) == "asked"


def test_remotes_that_are_known_to_be_silent_are_waited_for_one_at_a_time(tmp_path: Path) -> None:
    one, other, fine = tmp_path / "1", tmp_path / "2", tmp_path / "3"
    for folder in (one, other):
        with pytest.raises(Interrupted), contact.waiting(folder, "fetch"):
            raise Interrupted("deadline", "No answer.")
    assert not contact.is_silent(other, LOOKS)
    with contact.waiting(one, "fetch"):
        assert contact.is_silent(other, LOOKS)
        assert not contact.is_silent(fine, LOOKS)
    assert not contact.is_silent(other, LOOKS)


def test_a_wait_that_is_young_keeps_nobody_from_a_remote_that_was_silent(tmp_path: Path) -> None:
    with pytest.raises(Interrupted), contact.waiting(tmp_path / "1", "fetch"):
        raise Interrupted("deadline", "No answer.")
    with contact.waiting(tmp_path / "2", "fetch"):
        assert not contact.is_silent(tmp_path / "1", LOOKS)
