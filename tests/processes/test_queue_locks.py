"""The death-safe queue: a killed reader takes nothing with it."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from pathlib import Path
from queue import Empty
from types import SimpleNamespace
from typing import Any

import django_q.cluster
import pytest
from django_q.queues import Queue

from publisher.processes import kernel, queue_locks
from publisher.processes.queue_locks import DeathSafeLock, DeathSafeQueue
from tests.support.waiting import until

pytestmark = pytest.mark.xdist_group("processes")
context = multiprocessing.get_context("fork")


def run(work: Callable[..., object], *arguments: object) -> Any:
    process = context.Process(target=work, args=arguments)
    process.start()
    return process


def hold(lock: DeathSafeLock, path: Path) -> None:
    lock.acquire()
    path.touch()
    signal.pause()


def is_waiting_to_read(pid: int) -> bool:
    return Path(f"/proc/{pid}/wchan").read_text() in {"anon_pipe_read", "pipe_read", "pipe_wait"}


def kill_a_waiting_reader(queue: Any) -> None:
    reader = run(queue.get)
    until(lambda: is_waiting_to_read(reader.pid), seconds=60, what="the reader to wait")
    os.kill(reader.pid, signal.SIGKILL)
    reader.join()


def test_a_lock_is_refused_while_its_holder_lives_and_free_when_it_is_killed(
    tmp_path: Path,
) -> None:
    lock = DeathSafeLock(tmp_path / "lock")
    holder = run(hold, lock, tmp_path / "held")
    until((tmp_path / "held").exists, seconds=60, what="the holder")
    assert not lock.acquire(timeout=0.05)
    os.kill(holder.pid, signal.SIGKILL)
    holder.join()
    assert lock.acquire(timeout=60)
    lock.release()


def hold_one_and_wait_for_the_other(held: DeathSafeLock, other: DeathSafeLock, path: Path) -> None:
    held.acquire()
    path.touch()
    other.acquire()


def waits_for_a_lock(pid: int) -> bool:
    waits = [line.split() for line in Path("/proc/locks").read_text().splitlines() if "->" in line]
    return str(pid) in [words[5] for words in waits]


def test_two_that_wait_in_different_threads_are_no_deadlock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, write = DeathSafeLock(tmp_path / "read"), DeathSafeLock(tmp_path / "write")
    refused = threading.Event()
    monkeypatch.setattr(queue_locks, "time", SimpleNamespace(sleep=lambda _: refused.set()))
    read.acquire()
    other = run(hold_one_and_wait_for_the_other, write, read, tmp_path / "held")
    until((tmp_path / "held").exists, seconds=60, what="the other process")
    until(lambda: waits_for_a_lock(other.pid), seconds=60, what="its wait")
    feeder = threading.Thread(target=write.acquire)
    feeder.start()
    assert refused.wait(10), "the kernel saw no deadlock"
    read.release()
    feeder.join(10)
    assert not feeder.is_alive()
    other.join()
    assert other.exitcode == 0


def test_a_queue_is_readable_after_its_waiting_reader_was_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("django_q.cluster.Queue", Queue)  # put back at the end
    queue_locks.install(tmp_path)
    queue = DeathSafeQueue()
    kill_a_waiting_reader(queue)
    queue.put("task")
    assert queue.get(timeout=60) == "task"
    queue.close()
    queue.join_thread()


def test_without_these_locks_the_queue_is_lost() -> None:
    queue = Queue()
    kill_a_waiting_reader(queue)
    queue.put("task")
    with pytest.raises(Empty):
        queue.get(timeout=0.5)
    queue.close()
    queue.join_thread()


def test_a_worker_that_is_killed_over_its_result_leaves_its_timer_free(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("django_q.cluster.Queue", Queue)  # put back at the end
    monkeypatch.setattr("django_q.cluster.Value", multiprocessing.Value)
    queue_locks.install(tmp_path)
    timer, other = (django_q.cluster.Value("f", -1) for _ in range(2))
    holder = run(hold, timer.get_lock(), tmp_path / "held")
    until((tmp_path / "held").exists, seconds=60, what="the holder")
    assert not timer.get_lock().acquire(timeout=0.05)
    assert other.get_lock().acquire(timeout=0.05)
    os.kill(holder.pid, signal.SIGKILL)
    holder.join()
    with timer.get_lock():
        timer.value -= 1
    assert (timer.value, other.value) == (-2, -1)


def test_another_release_of_the_queue_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queue_locks, "version", lambda name: "1.12.0")
    with pytest.raises(queue_locks.UnknownQueue, match=r"1\.12\.0"):
        queue_locks.install(tmp_path)


def test_the_dead_are_not_alive() -> None:
    child = run(os.getpid)
    until(lambda: not kernel.is_alive(child.pid), seconds=60, what="the end of the child")
    child.join()
