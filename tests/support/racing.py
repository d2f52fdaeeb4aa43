"""Races of real processes on a database of their own; a race without an overlap is a failure."""

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from tests.support.crash import ROOT, Installation

Json = dict[str, Any]
PROCESSES = 8
"""More than any race has."""


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


@dataclass
class Arena:
    """A migrated database (no address: the SQLite file below the folder), and where racers find it."""

    url: str
    folder: Path

    def __post_init__(self) -> None:
        self.here.migrate()

    @property
    def here(self) -> Installation:
        """Whose database it is; some races need its remote too."""
        return Installation(self.folder, self.url)

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
        "free" for a worker, "stale" in a dead one's hands, "published", or no jobs yet but "topics".
        ``with_worker``: one works on them meanwhile.
        """
        plan = {"act": "prepare", "rounds": rounds, "reviewers": reviewers, "jobs": jobs}
        targets = self._act(plan)
        barrier = self.folder / "barrier"
        barrier.mkdir()
        count = sum(len(racers) for racers in processes)
        plan = {"act": "race", "targets": targets, "folder": str(barrier), "count": count}
        running = [self.start({**plan, "racers": racers}) for racers in processes]
        working = [self.start({**plan, "act": "work"})] if with_worker else []
        rounds_: list[dict[str, Json]] = [{} for _ in range(rounds)]
        told = self._ends_of(running)
        (barrier / "over").touch()
        told.extend(self._ends_of(working))
        said = "\n".join(err for _, err in told)
        assert not any(process.returncode for process in [*running, *working]), said
        for number, (racers, (out, _)) in enumerate(zip(processes, told, strict=False)):
            for racer, answers in zip(racers, json.loads(out), strict=True):
                assert len(answers) == rounds, said
                for index, answer in enumerate(answers):
                    rounds_[index][racer["id"]] = {**answer, "process": number}
        return Race(rounds_, self._act({"act": "look", "targets": targets}))

    def _ends_of(self, processes: "list[subprocess.Popen[str]]") -> list[tuple[str, str]]:
        """What they printed; read side by side, because a full pipe holds its writer."""
        with ThreadPoolExecutor(PROCESSES) as readers:
            return list(readers.map(lambda process: process.communicate(timeout=240), processes))

    def _act(self, plan: Json) -> list[Json]:
        answer: list[Json] = json.loads(self._run(["-m", "tests.support.racer"], json.dumps(plan)))
        return answer

    def _run(self, arguments: list[str], given: str | None) -> str:
        done = subprocess.run(
            [sys.executable, *arguments],
            input=given,
            text=True,
            capture_output=True,
            check=False,
            cwd=ROOT,
            env=self.here.environment,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def start(self, plan: Json) -> "subprocess.Popen[str]":
        """A process of the races, with its plan."""
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.racer"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env=self.here.environment,
        )
        assert process.stdin is not None
        process.stdin.write(json.dumps(plan))
        process.stdin.close()
        process.stdin = None  # communicate() would close it again
        return process
