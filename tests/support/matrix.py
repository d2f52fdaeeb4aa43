"""The crash matrix: a job's way in stages, and one run of it with trouble at one fault point."""

import json
import os
import random
import signal
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from publisher.faults import EXIT
from tests.support import crash
from tests.support.crash import EDITED, PATH, Installation
from tests.support.git import blob, head, second_person
from tests.support.invariants import broken
from tests.support.warm import RUNNING, STOPPED

MODES = ("exit", "pause", "error", "full")
VICTIM_LEASE = 1.5
RESCUER_LEASE = 20.0
TRIES = 3
MEANWHILE = VICTIM_LEASE
"""How long others work at most beside a paused process before it goes on: its lease is over then.

The next one finds it over at once, unless the paused process holds the rows that say so.
"""


@dataclass
class Stage:
    """One ``work --until-idle`` of the way: what was kept before it, and what a person does after it."""

    name: str
    end: str = "PUBLISHED"
    then: str = ""
    bound: str = ""
    passed: list[str] = field(default_factory=list)

    @property
    def points(self) -> list[str]:
        """Each point that is passed, once, in order of first use."""
        return list(dict.fromkeys(self.passed))

    @property
    def passings(self) -> list[str]:
        """Each passing by the name that ``--fault`` takes: the point alone, then ``POINT:2``."""
        return numbered(self.passed)


@dataclass
class Way:
    """A lane's whole way to PUBLISHED, with the points that its stages pass."""

    here: Installation
    job: str
    stages: list[Stage]
    before: tuple[str, ...] = ()
    result: tuple[str, bytes] = (PATH, EDITED)
    traced_how: str = "--until-idle"

    @property
    def points(self) -> list[str]:
        """Each point once, in order of first use."""
        return list(dict.fromkeys(point for stage in self.stages for point in stage.points))

    def run(
        self, point: str, mode: str, *, again: str = "", turn: int = 0, to_end: bool = False
    ) -> Stage:
        """Trouble in a stage that passes the point; the stage, once others have gone on.

        ``POINT:N`` is its N-th passing there.
        ``again``: the first to come after it dies there. ``turn`` goes round among the stages that
        pass the point. ``to_end``: all of the way, not this stage alone.
        """
        first = self._first(point, turn)
        stage = self.stages[first]
        self._trouble(stage, point, mode)
        if again:
            self._trouble_again(again)
        self._work(RESCUER_LEASE)
        if not to_end:
            return stage
        for later in self.stages[first + 1 :]:
            self.do(stage.then)
            self._work(RESCUER_LEASE)
            stage = later
        return stage

    def recovery(self, point: str, mode: str, *, turn: int = 0) -> list[str]:
        """The passings in the one claim that comes after trouble there; ``again`` can be at each."""
        self._trouble(self.stages[self._first(point, turn)], point, mode)
        return numbered(self._told("second", VICTIM_LEASE, "--once"))

    def was_passed(self, passing: str, *, by: str) -> bool:
        """Whether what was to happen there happened to the victim or to the second."""
        return f'"point": "{named(passing)}"' in self._errors(by)

    def check(self, stage: Stage) -> None:
        """The stage ended where it does without trouble, and every promise holds."""
        rows = self.here.rows()
        (job,) = [row for row in rows.tables["jobs"] if row["id"] == self.job]
        assert job["state"] == stage.end, json.dumps(self.here.facts(self.job), indent=1)
        assert stage.bound in ("", job["binding_hash"])
        assert broken(rows, before=self.before) == []
        if stage.end == "PUBLISHED":
            path, data = self.result
            assert blob(self.here.remote, path) == data

    def do(self, act: str) -> None:
        """What a person does between two stages."""
        if act == "approve":
            self.here.approve(self.job)
        elif act == "settle":
            self.here.command("settle", self.job)

    def trace(self) -> None:
        """Walk the whole way once, keep each stage's start and write down its points."""
        self.before = (head(self.here.remote),)
        for stage in self.stages:
            if not (self.here.home / stage.name).exists():
                self.here.keep(stage.name)
            stage.passed = self._told("traced", RESCUER_LEASE, self.traced_how)
            stage.bound = self.bound()
            self.do(stage.then)

    def bound(self) -> str:
        """The hash of what is to be published as things stand."""
        return str(self.here.facts(self.job)["binding_hash"])

    def _first(self, point: str, turn: int) -> int:
        """The number of the stage that trouble is made in."""
        passing = [number for number, stage in enumerate(self.stages) if point in stage.passings]
        return passing[turn % len(passing)]

    def _told(self, name: str, lease: float, how: str) -> list[str]:
        """Each point that one without trouble passes, as often as it does."""
        path = self.here.home / "points.txt"
        path.unlink(missing_ok=True)
        pid = self._begin(name, lease, "", points=path, how=how, is_later=True)
        assert self._wait(pid) == 0, self._errors(name)
        return path.read_text().splitlines()

    def _trouble(self, stage: Stage, point: str, mode: str) -> None:
        """One claim of a victim that comes to the point; a starved one may lose its lease before."""
        for _ in range(TRIES):
            self.here.restore(stage.name)
            victim = self._begin("victim", VICTIM_LEASE, f"{point}={mode}", how="--once")
            ended = self._wait(victim)
            if self.was_passed(point, by="victim"):
                break
        else:
            raise AssertionError(f"{point} was not passed: {self._errors('victim')}")
        if mode == "exit":
            assert ended == EXIT, (point, self._errors("victim"))
        elif mode == "pause":
            assert ended == STOPPED, (point, ended)
            self._go_on_beside(victim)

    def _trouble_again(self, fault: str) -> None:
        """One claim of the next one as well, once the lease or the wait before it is over.

        One claim alone: a starved process that goes on would use up the tries of the job.
        """
        self._wait(self._begin("second", VICTIM_LEASE, fault, how="--once", is_later=True))

    def _go_on_beside(self, victim: int) -> None:
        """Another takes over when the lease is over; it may have to wait for what the victim holds."""
        rescuer = self._begin("rescuer", RESCUER_LEASE, "", is_later=True)
        done = self._wait(rescuer, seconds=MEANWHILE)
        os.kill(victim, signal.SIGCONT)
        assert self._wait(victim) == 0, self._errors("victim")
        if done == RUNNING:
            done = self._wait(rescuer)
        assert done == 0, self._errors("rescuer")

    def _work(self, lease: float) -> None:
        ended = self._wait(self._begin("rescuer", lease, "", is_later=True))
        assert ended == 0, (ended, self._errors("rescuer"))

    def _begin(
        self,
        name: str,
        lease: float,
        fault: str,
        *,
        points: Path | None = None,
        how: str = "--until-idle",
        is_later: bool = False,
    ) -> int:
        arguments = ["work", how, "--lease-seconds", str(lease)]
        if fault:
            arguments += ["--fault", fault]
        return self._start(name, *arguments, points=points, is_later=is_later)

    def _start(
        self, name: str, *arguments: str, points: Path | None = None, is_later: bool = False
    ) -> int:
        assert self.here.warm is not None
        return self.here.warm.begin(arguments, self.here.home / name, points, is_later=is_later)

    def _wait(self, pid: int, *, seconds: float = 120) -> int | str:
        assert self.here.warm is not None
        return self.here.warm.wait(pid, seconds=seconds)

    def _errors(self, name: str) -> str:
        return (self.here.home / f"{name}.err").read_text()


def numbered(points: Sequence[str]) -> list[str]:
    """Each passing by the name that ``--fault`` takes."""
    seen: Counter[str] = Counter()
    passings = []
    for point in points:
        seen[point] += 1
        passings.append(point if seen[point] == 1 else f"{point}:{seen[point]}")
    return passings


def named(passing: str) -> str:
    """The point of a passing."""
    head, _, number = passing.rpartition(":")
    return head if number.isdecimal() else passing


@contextmanager
def publish_way(home: Path, database: str = "") -> Iterator[Way]:
    """A ready draft from its submit to PUBLISHED."""
    with crash.warmed(home, database) as here:
        _, job = crash.install(home, database, here)
        here.restore("received")
        way = Way(here, job, [Stage("received", "WAITING_APPROVAL", "approve"), Stage("approved")])
        way.trace()
        yield way


@contextmanager
def conflict_way(home: Path, database: str = "") -> Iterator[Way]:
    """An approved draft whose target somebody else changed: it conflicts, is settled and published."""
    with crash.warmed(home, database) as here:
        _, job = crash.install(home, database, here)
        second_person(here.remote, {PATH: b"---\ntitle: Hello\n---\n\nTheirs.\n"}, "theirs")
        stages = [
            Stage("clashed", "CONFLICT", "settle"),
            Stage("settled", "WAITING_APPROVAL", "approve"),
            Stage("agreed"),
        ]
        way = Way(here, job, stages)
        way.trace()
        yield way


def modes(points: Sequence[str], seed: int) -> list[tuple[str, str]]:
    """Each point with one mode; another seed turns the modes on, so that four seeds make them all."""
    order = list(MODES)
    random.Random(0).shuffle(order)
    return [(point, order[(number + seed) % len(order)]) for number, point in enumerate(points)]
