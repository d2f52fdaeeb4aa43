"""Races of real processes on a database of their own; a race without an overlap is a failure."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import combinations, count
from pathlib import Path
from typing import Any

from tests.support.crash import Installation
from tests.support.git import make_remote
from tests.support.warm import Warm

Json = dict[str, Any]


@dataclass
class Race:
    """What came out: ``rounds[n][racer id]`` is an answer, ``after[n]`` what became of job n."""

    rounds: list[dict[str, Json]]
    after: list[Json]

    def overlapped(self) -> int:
        """In how many rounds at least two racers of different processes were at it together."""
        return sum(
            any(
                one["process"] != other["process"]
                and max(one["began"], other["began"]) < min(one["ended"], other["ended"])
                for one, other in combinations(answers.values(), 2)
            )
            for answers in self.rounds
        )


@dataclass(frozen=True)
class Started:
    """A process of a race, and the file that it writes its answer to."""

    pid: int
    said: Path


@dataclass
class Arena:
    """A migrated database (no address: the SQLite file below the folder), and where racers find it.

    Its processes are forks of one that has loaded the program, since there are many.
    """

    url: str
    folder: Path
    warm: Warm
    numbers: Iterator[int] = field(default_factory=count)

    @property
    def here(self) -> Installation:
        """Whose database it is; some races need its remote too."""
        return Installation(self.folder, self.url)

    def connect(self) -> None:
        """A real remote with one article, and its site "blog" with a finished clone."""
        self.here.remote.parent.mkdir(parents=True, exist_ok=True)
        make_remote(self.here.remote, {"content/posts/first.md": b"# First\n"})
        self.here.command("site", "add", "blog", "--remote", str(self.here.remote))
        self.here.work()

    def race(
        self,
        processes: list[list[Json]],
        *,
        rounds: int,
        reviewers: list[str],
        jobs: str = "waiting",
        with_worker: bool = False,
    ) -> Race:
        """Let these processes, each with its racers, meet for every one of ``rounds`` jobs.

        ``jobs`` are "waiting" for a decision, "handed_in" (the same, on the real remote of ``here``),
        "free" for a worker, "stale" in a dead one's hands, "published", "lost" (the same, changed by
        somebody on the real remote), or no jobs yet but "topics" or "keys".
        ``with_worker``: one works on them meanwhile.
        """
        plan = {"act": "prepare", "rounds": rounds, "reviewers": reviewers, "jobs": jobs}
        targets = self.answer(self.start(plan))
        barrier = self.folder / "barrier"
        barrier.mkdir()
        racing = sum(len(racers) for racers in processes)
        plan = {"act": "race", "targets": targets, "folder": str(barrier), "count": racing}
        running = [self.start({**plan, "racers": racers}) for racers in processes]
        working = [self.start({**plan, "act": "work"})] if with_worker else []
        rounds_: list[dict[str, Json]] = [{} for _ in range(rounds)]
        for number, (racers, process) in enumerate(zip(processes, running, strict=True)):
            for racer, answers in zip(racers, self.answer(process), strict=True):
                assert len(answers) == rounds, answers
                for index, answer in enumerate(answers):
                    rounds_[index][racer["id"]] = {**answer, "process": number}
        (barrier / "over").touch()
        for process in working:
            self.answer(process)
        return Race(rounds_, self.answer(self.start({"act": "look", "targets": targets})))

    def start(self, plan: Json) -> Started:
        """A process of the races, with its plan."""
        said = self.folder / f"race-{next(self.numbers)}.json"
        return Started(self.warm.begin(("race", json.dumps(plan)), said), said)

    def answer(self, process: Started) -> Any:
        """What it said in the end."""
        ended = self.warm.wait(process.pid, seconds=240)
        assert ended == 0, (ended, process.said.with_suffix(".json.err").read_text())
        return json.loads(process.said.read_text())


@contextmanager
def opened(url: str, folder: Path) -> Iterator[Arena]:
    """An arena with its database made; its warm process ends with it."""
    here = Installation(folder, url)
    here.migrate()
    warm = Warm(here.environment, "tests.support.racer", "publisher.urls")
    try:
        yield Arena(url, folder, warm)
    finally:
        warm.close()
