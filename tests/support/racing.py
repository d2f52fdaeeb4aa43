"""Races of real processes on a database of their own; a race without an overlap is a failure."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

from tests.support import migrated

ROOT = Path(__file__).resolve().parents[2]
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


@dataclass
class Arena:
    """A migrated database (no address: the SQLite file below the folder), and where racers find it."""

    url: str
    folder: Path
    environment: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        kept = {key: value for key, value in os.environ.items() if key != "IMPRIMATUR_FAULT"}
        self.environment = {
            **kept,
            "DATABASE_URL": self.url,
            "IMPRIMATUR_DATA_DIR": str(self.folder / "data"),
            "DJANGO_SETTINGS_MODULE": "publisher.settings",
            "SECRET_KEY": "a key for races only, long enough to be one",
        }
        migrated.fill(self.folder / "data", self.url)

    def race(
        self,
        processes: list[list[Json]],
        *,
        rounds: int,
        reviewers: list[str],
        jobs: str = "waiting",
    ) -> Race:
        """Let these processes, each with its racers, meet for every one of ``rounds`` jobs.

        ``jobs`` are "waiting" for a decision, "free" for a worker, "stale" in a dead one's hands,
        "published", or no jobs yet but "topics".
        """
        plan = {"act": "prepare", "rounds": rounds, "reviewers": reviewers, "jobs": jobs}
        targets = self._act(plan)
        barrier = self.folder / "barrier"
        barrier.mkdir()
        count = sum(len(racers) for racers in processes)
        plan = {"act": "race", "targets": targets, "folder": str(barrier), "count": count}
        running = [self.start({**plan, "racers": racers}) for racers in processes]
        rounds_: list[dict[str, Json]] = [{} for _ in range(rounds)]
        for number, (racers, process) in enumerate(zip(processes, running, strict=True)):
            out, err = process.communicate(timeout=240)
            assert process.returncode == 0, err
            for racer, answers in zip(racers, json.loads(out), strict=True):
                assert len(answers) == rounds, err
                for index, answer in enumerate(answers):
                    rounds_[index][racer["id"]] = {**answer, "process": number}
        return Race(rounds_, self._act({"act": "look", "targets": targets}))

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
            env=self.environment,
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
            env=self.environment,
        )
        assert process.stdin is not None
        process.stdin.write(json.dumps(plan))
        process.stdin.close()
        process.stdin = None  # communicate() would close it again
        return process
