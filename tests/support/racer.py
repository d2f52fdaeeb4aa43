"""One process of a race: acts on job after job, each time together with all the others.

A fork of the warm process is handed a plan; it prints JSON. The plan's ``act`` is ``prepare`` (make
the people and the jobs), ``look`` (tell what became of them), ``race``, or ``work`` (on all jobs,
beside the race).
"""

import json
import sys
import threading
import time
from datetime import timedelta
from hashlib import sha256
from pathlib import Path
from textwrap import wrap
from typing import Any

from django.db import connection
from django.db.models import F
from django.test import override_settings

from publisher import clock, journal, leases, wiring
from publisher.domain.errors import ImprimaturError
from publisher.domain.states import Event
from publisher.engine import sites
from publisher.engine.foreground import Foreground
from publisher.engine.reconcile import visibility
from publisher.models import Job, Site, TopicCursor
from reviews.services import people as accounts
from reviews.services import work
from tests.support import jobs, people, rivals
from tests.support.git import second_person
from tests.support.requests import As
from tests.support.waiting import until

Json = dict[str, Any]
EDITED = "# Edited meanwhile\n"
HEAD_START = 0.006
"""Seconds; about what a call takes, so that either may win."""


def draft(number: int) -> str:
    """What Rui sees; no two are alike, or the judge would look at all that wait for each that arrives."""
    return f"# Piece {number}\n\n{' '.join(wrap(sha256(str(number).encode()).hexdigest(), 5))}\n"


def prepare(plan: Json) -> list[Json]:
    """Everybody, and as many waiting jobs as there are rounds."""
    people.everybody()
    for name in plan.get("reviewers", ()):
        people.add(name, "reviewer")
    if plan["jobs"] == "keys":
        jobs.site()
        return [{"key": f"key-{number}"} for number in range(plan["rounds"])]
    if plan["jobs"] == "topics":
        jobs.site()
        return [{"session": f"session-{number}"} for number in range(plan["rounds"])]
    if plan["jobs"] == "published":
        return [{"job": jobs.published(now=clock.now()).pk} for _ in range(plan["rounds"])]
    if plan["jobs"] == "lost":
        return [{"job": job.pk} for job in _lost(plan["rounds"])]
    if plan["jobs"] == "handed_in":
        made = _handed_in(plan["rounds"])
    elif plan["jobs"] == "waiting":
        made = [jobs.waiting(now=clock.now()) for _ in range(plan["rounds"])]
    elif plan["jobs"] == "apart":
        return rivals.apart(plan["rounds"])
    else:
        return [_for_workers(plan["jobs"]) for _ in range(plan["rounds"])]
    return [
        {
            "job": job.pk,
            "path": job.target_path,
            "approval": jobs.request_of(job).pk,
            "hash": job.binding_hash,
        }
        for job in made
    ]


def _handed_in(count: int) -> list[Job]:
    """Ready drafts for the real site "blog", prepared by the engine."""
    ada = As("ada")
    for number in range(count):
        path = f"content/posts/piece-{number}.md"
        body = {"site": "blog", "action": "create", "target_path": path}
        key = {"Idempotency-Key": f"piece-{number}"}
        answer = ada.post("/jobs", {**body, "content": draft(number)}, **key)
        assert answer.status_code == 201, answer.content
    _foreground().until_idle()
    return list(Job.objects.order_by("pk"))


def _lost(count: int) -> list[Job]:
    """Publications on the real site "blog", each changed by somebody since the last look at them."""
    site, now = Site.objects.get(name="blog"), clock.now() - timedelta(seconds=100)
    paths = [f"content/posts/piece-{number}.md" for number in range(count)]
    made = [jobs.published(jobs.waiting(at=site, path=path, now=now), now=now) for path in paths]
    for text in (b"Once.\n", b"By hand.\n"):
        Site.objects.update(watched_head=F("head"), watched_at=clock.now())
        second_person(Path(site.remote), dict.fromkeys(paths, text), "By hand")
        sites.refresh(site, wiring.ports())
    return made


def _for_workers(kind: str) -> Json:
    """A job that is due; a stale one was claimed by a worker that died."""
    job = jobs.received(now=clock.now() - timedelta(seconds=100))
    if kind == "stale":
        long_ago = clock.now() - timedelta(seconds=95)
        assert leases.claim(job.pk, owner="dead", now=long_ago, seconds=90) is not None
    return {"job": job.pk}


def look(plan: Json) -> list[Json]:
    """What became of each job."""
    found: list[Json] = []
    for target in plan["targets"]:
        if "key" in target:
            found.append({"jobs": Job.objects.count()})
            continue
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
                "leaves": rivals.would_leave(job),
                "told": list(job.events.order_by("seq").values_list("event", flat=True)),
                "missed": job.events.filter(event=visibility.CHANGED).count(),
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
        if racer.get("waits_in") == number % 2:
            threading.Event().wait(racer.get("waits", HEAD_START))
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
    doers: dict[str, rivals.Doer] = {
        "claim": _work,
        "late_write": _work,
        "close": _ask,
        "submit": _ask,
        "revert": _ask,
        "sweep": _sweep,
        "disable": _disable,
    }
    doers |= rivals.ACTS
    return doers.get(racer["act"], _decide)(racer, target)


def _ask(racer: Json, target: Json) -> Json:
    """A text is handed in, a session's topic closed, or a published job taken back."""
    asking, now = people.caller(racer["name"], door="api"), clock.now()
    try:
        if racer["act"] == "revert":
            job = jobs.reloaded(Job(pk=target["job"]))
            done: Any = work.revert(job, caller=asking, now=now)
        else:
            sources = (work.Source("chat", "The pool opens on 3 June."),)
            request = work.SubmitRequest("blog", sources=sources, key=target.get("key"))
            if racer["act"] == "submit":
                done = work.submit(request, caller=asking, now=now)
            else:
                done = work.close_topic(request, target["session"], caller=asking, now=now)
    except ImprimaturError as refused:
        return {"code": refused.code, "body": {}}
    return {"code": "", "body": {"job": done.job.pk, "created": done.created}}


def _sweep(racer: Json, target: Json) -> Json:
    """One look of a sweep at all that was published."""
    visibility.run(wiring.ports())
    return {"code": "", "body": {}}


def _disable(racer: Json, target: Json) -> Json:
    """An admin closes the account that is their own."""
    admin = people.caller(racer["name"])
    try:
        accounts.disable(admin.principal, caller=admin, now=clock.now())
    except ImprimaturError as refused:
        return {"code": refused.code, "body": {}}
    return {"code": "", "body": {}}


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
    """Through the API, as a program or a person would."""
    somebody = As(racer["name"] or target["reviewer"])
    if racer["act"] == "edit":
        file = {"path": target["path"], "content": EDITED}
        answer = somebody.put(f"/jobs/{target['job']}/draft", {"files": [file], "base_revision": 1})
    else:
        decision = {
            "decision": racer["act"],
            "reviewed_hash": target["hash"],
            "request_id": racer["request_id"],
        }
        answer = somebody.post(f"/approvals/{target['approval']}/decision", decision)
    if answer.status_code != 200:
        return {"code": answer.json()["code"], "status": answer.status_code, "body": {}}
    return {"code": "", "status": 200, "body": answer.json()}


def work_beside(plan: Json) -> None:
    """Advance whatever is due while the others race, and all that is left when they are through."""
    engine, over = _foreground(), Path(plan["folder"]) / "over"
    while not over.exists():
        engine.once()
    engine.until_idle()


def _foreground() -> Foreground:
    return Foreground(wiring.ports(), wiring.owner(), "race/one", wiring.heartbeat(90), 90)


def main(plan: Json) -> None:
    """Do what the plan says, and print what came of it."""
    act = {"prepare": prepare, "look": look, "race": race, "work": work_beside}[plan["act"]]
    with override_settings(ALLOWED_HOSTS=["*"]):
        json.dump(act(plan), sys.stdout)
