"""What dies again and again is not started again and again at once."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from publisher.processes import kernel, supervisor
from publisher.processes.restarts import LONGEST_SECONDS, YOUNG_SECONDS, Restarts
from publisher.processes.supervisor import Supervisor


def pause(restarts: Restarts, *, lived: float) -> float:
    """For how long it stays down after it lived so long, in whole seconds."""
    restarts.began(100.0)
    end = 100.0 + lived
    restarts.ended(end)
    return next(seconds for seconds in range(60) if restarts.are_due(end + seconds))


def test_what_never_ran_is_started_at_once() -> None:
    assert Restarts().are_due(0.0)


def test_the_oftener_it_dies_young_the_later_it_is_started() -> None:
    restarts = Restarts()
    pauses = [pause(restarts, lived=0.1) for _ in range(9)]
    assert pauses[:4] == [0, 1, 2, 3]
    assert pauses[-1] == LONGEST_SECONDS


def test_who_lived_for_long_is_started_at_once_again() -> None:
    restarts = Restarts()
    for _ in range(3):
        pause(restarts, lived=0.1)
    assert pause(restarts, lived=YOUNG_SECONDS + 1) == 0


class Forks:
    """Processes that are dead at the next look, unless they are killed before."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.begun = 0
        self.ended: dict[int, int] = {}

    def fork(self, _work: object, *, own_session: bool) -> int:
        self.begun += 1
        self.ended[self.begun] = 1
        return self.begun

    def reap(self) -> dict[int, int]:
        ended, self.ended = self.ended, {}
        return ended


@pytest.fixture
def forks(monkeypatch: pytest.MonkeyPatch) -> Forks:
    made = Forks()
    monkeypatch.setattr(kernel, "fork", made.fork)
    monkeypatch.setattr(kernel, "reap", made.reap)
    monkeypatch.setattr(kernel, "kill_orphans", lambda _known: [])
    monkeypatch.setattr(supervisor, "time", SimpleNamespace(monotonic=lambda: made.now))
    monkeypatch.setattr("publisher.processes.supervisor.connections.close_all", lambda: None)
    monkeypatch.setattr(Supervisor, "_start_cluster", lambda *_: None)
    return made


def test_due_work_that_dies_at_once_is_not_started_several_times_a_second(
    forks: Forks, tmp_path: Path
) -> None:
    supervising = Supervisor(folder=tmp_path, due=lambda: None)
    for _ in range(240):  # a minute
        supervising._look()
        forks.now += supervisor.LOOK_SECONDS
    assert 10 <= forks.begun <= 20
