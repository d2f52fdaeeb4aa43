"""Jobs of one site that are ready together, and what a worker does on their way."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from publisher import selectors
from publisher.domain.states import State
from publisher.engine import relay, worker
from publisher.engine.run import Run
from publisher.journal import Lease
from publisher.leases import Delivery
from publisher.models import Job
from publisher.ports import CommitPlan, Repository, SiteSpec
from tests.support.journey import Calm, Journey, fresh, told

WORDS = (
    "anchor", "basalt", "cedar", "dune", "ember", "fjord", "granite", "harbour", "island",
    "juniper", "kelp", "lagoon", "meadow", "nectar", "orchard", "pebble", "quartz", "ridge",
    "summit", "tundra", "upland", "valley", "willow", "yarrow",
)  # fmt: skip


def article(word: str, letters: str = "") -> bytes:
    """An article that shares no sentence with another word's."""
    text = " ".join(f"{word}{number} {word[::-1]}{number * 7}" for number in range(60))
    return f'---\ntitle: "On {word}"\n---\n\n{text} {letters}'.rstrip().encode() + b"\n"


def path_of(word: str) -> str:
    return f"content/posts/{word}.mdx"


def ready(journey: Journey, *words: str, letters: Mapping[str, str] | None = None) -> list[Job]:
    """Approved jobs, one a word, that no worker has seen since; ``letters`` are said beside it."""
    said = letters or {}
    jobs = [
        journey.submit(article(word, said.get(word, "")), path_of(word), action="create")
        for word in words
    ]
    journey.work()
    for job in jobs:
        assert fresh(job).state == State.WAITING_APPROVAL, told(job)
        journey.approve(job)
    return [fresh(job) for job in jobs]


class Watched:
    """Hands every call on to a repository, counts them, and lets something happen before a push."""

    def __init__(self, real: Repository, calls: list[str], act: Callable[[str], None]) -> None:
        self._real = real
        self._calls = calls
        self._act = act

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._real, name)
        if name in ("fetch", "build_commit", "build_commits"):
            self._calls.append(name)
        return found

    def push(self, commit: str, *, lease: str) -> None:
        """Act, then push."""
        self._calls.append("push")
        self._act(commit)
        self._real.push(commit, lease=lease)


def watch(
    journey: Journey, act: Callable[[str], object] | None = None, times: int = 1
) -> list[str]:
    """The calls that cost most, of every repository from now on; ``act`` before the first pushes."""
    calls: list[str] = []
    left = [times if act else 0]
    real = journey.ports.repository

    def once(commit: str) -> None:
        if left[0] > 0 and act is not None:
            left[0] -= 1
            act(commit)

    def repository(spec: SiteSpec, cancelled: Callable[[], bool]) -> Any:
        return Watched(real(spec, cancelled), calls, once)

    journey.ports = replace(journey.ports, repository=repository)
    return calls


def events(job: Job) -> list[str]:
    return [entry.event for entry in selectors.events(fresh(job))]


def states(jobs: list[Job]) -> list[str]:
    return [fresh(job).state for job in jobs]


def advance(journey: Journey, job: Job) -> None:
    """What one worker does once the queue has told it of the job."""
    engine = journey.engine()
    worker.advance(
        job.pk,
        ports=engine.ports,
        owner=engine.owner,
        node=engine.node,
        heartbeat=engine.heartbeat,
        lease_seconds=engine.lease_seconds,
    )


def all_published(journey: Journey, jobs: list[Job]) -> None:
    for job in jobs:
        assert fresh(job).state == State.PUBLISHED, told(job)
        assert fresh(job).owner == ""
    journey.is_sound(*jobs)


class Losing(Calm):
    """A heartbeat that may be told that one lease is lost."""

    def __init__(self, lease: Lease | Delivery, beats: dict[str, "Losing"]) -> None:
        self.lost = False
        self._beats = beats
        beats[lease.job_id if isinstance(lease, Lease) else lease.message_id] = self

    def also(self, lease: Lease | Delivery) -> "Losing":
        """Another that may be lost."""
        return Losing(lease, self._beats)

    def __enter__(self) -> "Losing":
        return self

    def __exit__(self, *_: object) -> None: ...


def break_the_plan(monkeypatch: pytest.MonkeyPatch, job: Job) -> None:
    """Let planning this one job's commit meet a defect."""
    planning = relay.plan

    def broken(run: Run) -> CommitPlan:
        if run.job.pk == job.pk:
            raise ValueError("a defect")
        return planning(run)

    monkeypatch.setattr(relay, "plan", broken)
