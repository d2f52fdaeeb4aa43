"""The product side of the publication bench; imported only after Django was set up."""

import time
from dataclasses import dataclass
from datetime import datetime
from io import StringIO
from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.db import connection

from bench.meter import NETWORK, Meter
from publisher import nodes, selectors, wiring
from publisher.clock import now
from publisher.domain.states import Actor
from publisher.engine import worker
from publisher.engine.foreground import Foreground
from publisher.journal import Who
from publisher.models import Job
from publisher.services import sites, submit
from reviews.permissions import Caller
from reviews.selectors import approval_of
from reviews.services import decisions, people


@dataclass(frozen=True, slots=True)
class Spent:
    """Milliseconds in prepare and in delivery; queries, git processes and git time of the whole."""

    prepare: float
    deliver: float
    queries: int
    processes: int
    git: float
    network: float

    @property
    def whole(self) -> float:
        """All of the engine's time for one publication."""
        return self.prepare + self.deliver

    @property
    def own(self) -> float:
        """What is left without fetch and push."""
        return self.whole - self.network


@dataclass(frozen=True, slots=True)
class Delivered:
    """Milliseconds from the first claim to the last confirmation; queries, git processes, pushes."""

    spent: float
    queries: int
    processes: int
    pushes: int


class Counter:
    """Counts what is sent to the database."""

    def __init__(self) -> None:
        self.statements = 0

    def __call__(self, execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        """Count one statement and let it pass."""
        self.statements += 1
        return execute(sql, params, many, context)


class Product:
    """A scratch installation that publishes ready drafts to one remote."""

    def __init__(self, remote: Path) -> None:
        call_command("migrate", verbosity=0)
        for name, role in (("ada", "submitter"), ("rui", "reviewer")):
            call_command("user", "add", name, "--role", role, stdout=StringIO())
        sites.add(name="bench", remote=str(remote), scope="default", branch="main", now=now())
        self._meter = Meter()
        ports = self._meter.on(wiring.ports())
        self._worker: dict[str, Any] = {
            "ports": ports,
            "owner": wiring.owner(),
            "node": nodes.writer(wiring.node(), now()),
            "heartbeat": wiring.heartbeat(90),
            "lease_seconds": 90,
        }
        Foreground(**self._worker).once()

    def publish(self, files: dict[str, bytes]) -> Spent:
        """One publication: submit, prepare, approve, commit, deliver, confirm."""
        self._meter.reset()
        counter = Counter()
        # Django's own recording asks the database to quote each parameter: not the product's work.
        with connection.execute_wrapper(counter):
            job = self._submit(files)
            prepare = self._timed(job)
            self._approve(job, now())
            deliver = self._timed(job)
        _must_be_published(job)
        meter = self._meter
        return Spent(
            prepare,
            deliver,
            counter.statements,
            meter.processes(),
            meter.total(),
            meter.total(NETWORK),
        )

    def ready(self, files: dict[str, bytes]) -> Job:
        """A publication up to its approval."""
        job = self._submit(files)
        self._timed(job)
        self._approve(job, now())
        return job

    def deliver(self, jobs: list[Job]) -> Delivered:
        """Deliver what is ready, as a worker does that the queue tells of each job in turn."""
        self._meter.reset()
        counter = Counter()
        with connection.execute_wrapper(counter):
            spent = sum(self._timed(job) for job in jobs)
        for job in jobs:
            _must_be_published(job)
        pushes = self._meter.calls["push"]
        return Delivered(spent, counter.statements, self._meter.processes(), pushes)

    def _submit(self, files: dict[str, bytes]) -> Job:
        (path, content), *assets = files.items()
        request = submit.SubmitRequest(
            site="bench",
            content=content,
            target_path=path,
            assets=tuple(submit.Asset(*asset) for asset in assets),
        )
        return submit.submit(
            request, who=Who(Actor.SUBMITTER, "ada"), scope="default", now=now()
        ).job

    def _timed(self, job: Job) -> float:
        """What a worker does once the queue has told it of the job."""
        start = time.perf_counter()
        worker.advance(job.pk, **self._worker)
        return (time.perf_counter() - start) * 1000

    def _approve(self, job: Job, moment: datetime) -> None:
        approval = approval_of(selectors.job(job.pk, scopes=None))
        if approval is None:
            raise SystemExit("Nothing asks for approval.")
        decisions.decide(
            approval,
            caller=Caller(people.find("rui"), "CLI"),
            decision="approve",
            reviewed_hash=approval.binding_hash,
            request_id=f"bench {job.pk}",
            now=moment,
        )


def _must_be_published(job: Job) -> None:
    state = selectors.job(job.pk, scopes=None).state
    if state != "PUBLISHED":
        raise SystemExit(f"The publication ended in {state}.")
