"""One process of a race: acts on job after job, each time together with all the others.

Run as ``python -m tests.support.racer`` with a JSON plan on stdin; prints JSON. The plan's ``act``
is ``prepare`` (make the people and the jobs), ``look`` (tell what became of them) or ``race``.
"""

import json
import sys
import threading
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import django

if __name__ == "__main__":
    django.setup()

from django.db import connection

from publisher import clock, journal, leases
from publisher.domain.errors import ImprimaturError
from publisher.domain.states import Event
from publisher.models import Job, TopicCursor
from reviews.models import Approval
from reviews.services import decisions, work
from tests.support import jobs, people
from tests.support.waiting import until

Json = dict[str, Any]


def prepare(plan: Json) -> list[Json]:
    """Everybody, and as many waiting jobs as there are rounds."""
    people.everybody()
    for name in plan.get("reviewers", ()):
        people.add(name, "reviewer")
    if plan["jobs"] == "topics":
        jobs.site()
        return [{"session": f"session-{number}"} for number in range(plan["rounds"])]
    if plan["jobs"] == "published":
        return [{"job": jobs.published(now=clock.now()).pk} for _ in range(plan["rounds"])]
    if plan["jobs"] != "waiting":
        return [_for_workers(plan["jobs"]) for _ in range(plan["rounds"])]
    made = [jobs.waiting(now=clock.now()) for _ in range(plan["rounds"])]
    return [
        {"job": job.pk, "approval": jobs.request_of(job).pk, "hash": job.binding_hash}
        for job in made
    ]


def _for_workers(kind: str) -> Json:
    """A job that is due; a stale one was claimed by a worker that died."""
    job = jobs.received(now=clock.now() - timedelta(seconds=100))
    if kind == "stale":
        long_ago = clock.now() - timedelta(seconds=95)
        assert leases.claim(job.pk, owner="dead", now=long_ago, seconds=90) is not None
    return {"job": job.pk}


def look(plan: Json) -> list[Json]:
    """What became of each job."""
    found = []
    for target in plan["targets"]:
        if "session" in target:
            found.append(_closes(target["session"]))
            continue
        job = Job.objects.get(pk=target["job"])
        approvals = list(job.approvals.order_by("pk"))
        found.append(
            {
                "state": job.state,
                "owner": job.owner,
                "generation": job.generation,
                "claims": job.events.filter(event="claimed").count(),
                "revision": job.revision,
                "statuses": [approval.status for approval in approvals],
                "decisions": sum(approval.decisions.count() for approval in approvals),
                "moves": job.events.filter(event="approve").count(),
                "reverts": [revert.pk for revert in job.compensations.all()],
                "asked": job.events.filter(event="revert_asked").count(),
            }
        )
    return found


def _closes(session: str) -> Json:
    """How often a session's topic was closed, and which jobs came of it."""
    cursor = TopicCursor.objects.get(session=session)
    made = Job.objects.filter(events__seq=1, events__facts__topic_session=session)
    return {
        "open": cursor.is_open,
        "close_revision": cursor.close_revision,
        "jobs": [job.pk for job in made],
    }


def race(plan: Json) -> list[list[Json]]:
    """Each racer of this process in a thread of its own; their rounds, one list a racer."""
    results: list[list[Json]] = [[] for _ in plan["racers"]]
    threads = [
        threading.Thread(target=_rounds, args=(plan, racer, results[index]))
        for index, racer in enumerate(plan["racers"])
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def _rounds(plan: Json, racer: Json, results: list[Json]) -> None:
    connection.ensure_connection()
    for number, target in enumerate(plan["targets"]):
        _meet(Path(plan["folder"]), number, racer["id"], plan["count"])
        began = time.monotonic()
        answer = _act(racer, target)
        results.append({**answer, "began": began, "ended": time.monotonic()})
    connection.close()


def _meet(folder: Path, number: int, racer: str, count: int) -> None:
    """The barrier: nobody goes before all have come."""
    (folder / f"{number}-{racer}").touch()
    until(
        lambda: len(list(folder.glob(f"{number}-*"))) >= count,
        seconds=120,
        what="all racers at the barrier",
        every=0.001,
    )


def _act(racer: Json, target: Json) -> Json:
    doers = {"claim": _work, "late_write": _work, "close": _ask, "revert": _ask}
    return doers.get(racer["act"], _decide)(racer, target)


def _ask(racer: Json, target: Json) -> Json:
    """A session's topic is closed, or a published job taken back."""
    asking, now = people.caller(racer["name"], door="api"), clock.now()
    try:
        if racer["act"] == "revert":
            job = jobs.reloaded(Job(pk=target["job"]))
            done: Any = work.revert(job, caller=asking, now=now)
        else:
            sources = (work.Source("chat", "The pool opens on 3 June."),)
            request = work.SubmitRequest("blog", sources=sources)
            done = work.close_topic(request, target["session"], caller=asking, now=now)
    except ImprimaturError as refused:
        return {"code": refused.code, "body": {}}
    return {"code": "", "body": {"job": done.job.pk, "created": done.created}}


def _work(racer: Json, target: Json) -> Json:
    """A worker claims the job, or one that died long ago writes as if it held it still."""
    now = clock.now()
    if racer["act"] == "claim":
        taken = leases.claim(target["job"], owner=racer["name"], now=now, seconds=90)
        return {"code": "", "body": {"generation": taken[1].generation if taken else 0}}
    job = jobs.reloaded(Job(pk=target["job"]))
    lease = journal.Lease(job.pk, racer["name"], 1)
    try:
        journal.record(job, Event.PREPARE, who=jobs.WORKER, now=now, lease=lease)
    except ImprimaturError as refused:
        return {"code": refused.code, "body": {}}
    return {"code": "", "body": {}}


def _decide(racer: Json, target: Json) -> Json:
    asking = people.caller(racer["name"], door="api")
    try:
        if racer["act"] == "edit":
            job = jobs.reloaded(Job(pk=target["job"]))
            files = {job.target_path: b"# Edited meanwhile\n"}
            edited = work.edit(job, files=files, base_revision=1, caller=asking, now=clock.now())
            return {"code": "", "body": {"revision": edited.revision}}
        outcome = decisions.decide(
            Approval.objects.select_related("job__site").get(pk=target["approval"]),
            caller=asking,
            decision=racer["act"],
            reviewed_hash=target["hash"],
            request_id=racer["request_id"],
            now=clock.now(),
        )
    except ImprimaturError as refused:
        return {"code": refused.code, "body": {}}
    return {"code": "", "body": {name: getattr(outcome, name) for name in outcome.__slots__}}


if __name__ == "__main__":
    given = json.load(sys.stdin)
    act = {"prepare": prepare, "look": look, "race": race}[given["act"]]
    json.dump(act(given), sys.stdout)
