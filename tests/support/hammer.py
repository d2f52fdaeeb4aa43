"""One process that hammers a database, and counts every refusal of it and the longest wait for it.

Run as ``python -m tests.support.hammer`` with a JSON plan on stdin; prints JSON.
"""

import itertools
import json
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from typing import Any

import django

if __name__ == "__main__":
    django.setup()

from django.core.management import call_command
from django.db import connection, connections, transaction
from django.db.backends.signals import connection_created
from django.db.utils import OperationalError
from django.test import override_settings

from publisher import clock, wiring
from publisher.engine import reconcile
from publisher.engine.foreground import Foreground
from publisher.models import Site
from publisher.models.site import CloneState
from reviews.models import Approval
from tests.support import jobs, people
from tests.support.requests import As
from tests.support.waiting import until

Json = dict[str, Any]
DESK, SITE = "desk", "blog"
PUBLISHED_A_SECOND = 1.0
"""How many jobs are handed in for real; more would only have to be worked off afterwards."""


@dataclass
class Tally:
    """What a process did, and what the database said to it."""

    operations: int = 0
    errors: list[str] = field(default_factory=list)
    longest: float = 0.0
    answers: list[float] = field(default_factory=list)
    jobs: list[str] = field(default_factory=list)
    decided: list[str] = field(default_factory=list)
    replies: list[Json] = field(default_factory=list)

    def watch(self, execute: Callable[..., Any], *arguments: Any) -> Any:
        """Stand around every statement of every connection."""
        began = time.monotonic()
        try:
            return execute(*arguments)
        except OperationalError as error:
            self.errors.append(str(error))
            raise
        finally:
            self.longest = max(self.longest, time.monotonic() - began)

    @contextmanager
    def answer(self) -> Iterator[None]:
        """Measure one answer that a person waits for."""
        began = time.monotonic()
        yield
        self.answers.append(time.monotonic() - began)


def prepare(plan: Json, tally: Tally) -> None:
    """Everybody with their tokens, and a desk whose jobs no worker takes."""
    people.everybody()
    for name in ("ada", "rui"):
        As(name)
    jobs.site(DESK)
    far = clock.now().replace(year=2090)
    Site.objects.filter(name=DESK).update(clone_state=CloneState.PENDING.value, fetched_at=far)


def load(person: As) -> None:
    """Answer once unmeasured: the first answer of a process imports what the others find there."""
    person.get("/jobs")


def decide(plan: Json, tally: Tally) -> None:
    """Make a job that waits, reject it, and send the same decision once more."""
    rui = As("rui")
    load(rui)
    for number in _until(plan):
        job = jobs.waiting(now=clock.now(), at=jobs.site(DESK))
        asked = jobs.request_of(job)
        body = {
            "decision": "reject",
            "reviewed_hash": job.binding_hash,
            "request_id": f"{os.getpid()}-{number}",
        }
        with tally.answer():
            first = rui.post(f"/approvals/{asked.pk}/decision", body)
        again = rui.post(f"/approvals/{asked.pk}/decision", body)
        assert (first.status_code, again.status_code) == (200, 200), (first.content, again.content)
        assert first.json() == again.json()
        tally.decided.append(job.pk)
        tally.operations += 1


def edit(plan: Json, tally: Tally) -> None:
    """Hand in drafts, each twice with the same key, and approve what is asked."""
    ada, rui = As("ada"), As("rui")
    load(ada)
    began, sent = time.monotonic(), 0
    for number in _until(plan):
        if sent <= (time.monotonic() - began) * PUBLISHED_A_SECOND:
            body = {"site": SITE, "action": "create", "content": f"# Piece {sent}\n\nBody {sent}.\n",
                    "target_path": f"content/posts/piece-{sent}.md"}  # fmt: skip
            key = {"Idempotency-Key": f"piece-{sent}"}
            with tally.answer():
                made = ada.post("/jobs", body, **key)
            known = ada.post("/jobs", body, **key)
            assert (made.status_code, known.status_code) == (201, 200), made.content
            assert made.json()["job_id"] == known.json()["job_id"]
            tally.jobs.append(made.json()["job_id"])
            tally.operations += 1
            sent += 1
        tally.operations += approve_all(rui, tally, f"{number}")


def approve_all(rui: As, tally: Tally, request: str) -> int:
    """Say yes to everything that is asked for the real site; how much that was."""
    asked = list(Approval.objects.filter(status="pending", job__site__name=SITE))
    for approval in asked:
        body = {
            "decision": "approve",
            "reviewed_hash": approval.binding_hash,
            "request_id": f"{approval.pk}-{request}",
        }
        with tally.answer():
            answer = rui.post(f"/approvals/{approval.pk}/decision", body)
        assert answer.status_code == 200, answer.content
    return len(asked)


def work(plan: Json, tally: Tally) -> None:
    """Advance what is due, as a worker does."""
    ports = wiring.ports()
    engine = Foreground(ports, wiring.owner(), "test/one", wiring.heartbeat(10), 10)
    for _ in _until(plan):
        tally.operations += engine.once()


def sweep(plan: Json, tally: Tally) -> None:
    """Sweep round after round."""
    for _ in _until(plan):
        done = reconcile.sweep(wiring.ports())
        assert done.failed == (), done
        tally.operations += 1


def hold(plan: Json, tally: Tally) -> None:
    """Stay inside a write for a while, as a backup tool or a person's shell may."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("UPDATE publisher_site SET quiet_seconds = quiet_seconds")
        until(_after(plan["hold"]), seconds=plan["hold"] + 5, what="the hold's end")
    tally.operations += 1


def backup(plan: Json, tally: Tally) -> None:
    """Make one copy after the other, and keep the last."""
    for number in _until(plan):
        call_command("backup", to=Path(plan["to"], str(number)), stdout=StringIO())
        shutil.rmtree(Path(plan["to"], str(number - 1)), ignore_errors=True)
        tally.operations += 1


def finish(plan: Json, tally: Tally) -> None:
    """Bring everything that was handed in to its end."""
    engine = Foreground(wiring.ports(), wiring.owner(), "test/one", wiring.heartbeat(10), 10)
    rui = As("rui")
    while engine.until_idle() + approve_all(rui, tally, "last"):
        tally.operations += 1


def submit(plan: Json, tally: Tally) -> None:
    """Hand in one draft, and keep what was answered."""
    body = {"site": SITE, "action": "create", "content": "# Late\n\nBody.\n",
            "target_path": "content/posts/late.md"}  # fmt: skip
    answer = As("ada").post("/jobs", body, **{"Idempotency-Key": "late"})
    reply = {"status": answer.status_code, "retry": answer.get("Retry-After", "")}
    tally.replies.append({**answer.json(), **reply})


def _until(plan: Json) -> Iterator[int]:
    over = _after(plan["seconds"])
    return itertools.takewhile(lambda _: not over(), itertools.count())


def _after(seconds: float) -> Callable[[], bool]:
    end = time.monotonic() + seconds
    return lambda: time.monotonic() >= end


ACTS = {
    act.__name__: act for act in (prepare, decide, edit, work, sweep, hold, backup, finish, submit)
}


def main() -> None:
    """Do what the plan says, and print the tally."""
    plan, tally = json.load(sys.stdin), Tally()

    def watch_new(connection: Any, **_: Any) -> None:
        connection.execute_wrappers.append(tally.watch)

    connection_created.connect(watch_new, weak=False)
    with override_settings(ALLOWED_HOSTS=["*"]):
        ACTS[plan["act"]](plan, tally)
    connections.close_all()
    json.dump(vars(tally), sys.stdout)


if __name__ == "__main__":
    main()
