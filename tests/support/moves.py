"""What each event writes besides the state: the columns, the facts and the rows that its move needs."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from publisher.domain.states import Event, Lane, Move, State
from publisher.journal import Guard
from publisher.models import Conflict, Delta, Effect, Job, JobEvent
from tests.support import jobs
from tests.support.jobs import NOW

TIP = "a" * 40
COMMIT = "c" * 40
BOUND = "sha256:" + "b" * 64
HELD_OPEN = frozenset({State.PUSHING, State.DISPATCHING, State.RECONCILING})
"""Whoever is here announced an outside write."""


@dataclass(frozen=True, slots=True)
class Written:
    """``ends`` is what becomes of the outside write: announced ("intent"), or ended in this way."""

    columns: Mapping[str, Any] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)
    ends: str = ""
    rows: Callable[[Job], None] | None = None
    row_of: type[Conflict] | type[Delta] | None = None
    reason: str = ""


def _conflict(job: Job) -> None:
    Conflict.objects.create(
        job=job, revision=job.revision, kind="content", files=[], base_commit=TIP, tip=COMMIT,
        ours_sha256=BOUND, theirs_sha256=BOUND, created_at=NOW,
    )  # fmt: skip


def _delta(job: Job) -> None:
    Delta.objects.create(job=job, fingerprint=BOUND, head=TIP, verdict="KEEP", created_at=NOW)


def _failure(code: str, failure_class: str = "NEEDS_HUMAN") -> dict[str, Any]:
    return {"failure_class": failure_class, "failure_code": code, "failure_message": "It says so."}


_BUDGET = {"attempt": 0, "deadline_at": None}
_LOOKED = {"tip": TIP, "commit": COMMIT}
_DECISION = {"approval": 7, "decision": "approve", "reviewed_hash": BOUND, "door": "page"}
_ANNOUNCED = {**_LOOKED, "manifest": BOUND, "binding_hash": BOUND}
_INTENT = Written({"local_commit": COMMIT}, _ANNOUNCED, ends="intent")
_JUDGED = Written({"attempt": 0}, {"verdict": "KEEP", "tip": TIP}, rows=_delta, row_of=Delta)

BY_EVENT: Mapping[Event, Written] = {
    Event.PREPARE: Written({"deadline_at": NOW + timedelta(minutes=10)}),
    Event.SKIP: Written({"failure_code": "duplicate"}, reason="It says the same."),
    Event.BLOCK: Written({**_failure("mdx_syntax"), "deadline_at": None}, reason="It says so."),
    Event.ASK: Written({**_BUDGET, "binding_hash": BOUND}, {"binding_hash": BOUND}),
    Event.APPROVE: Written(_BUDGET, {**_DECISION, "policy_version": 1, "quorum": "1 of 1"}),
    Event.REJECT: Written({}, {**_DECISION, "decision": "reject"}, reason="No."),
    Event.REQUEST_CHANGES: Written(
        {"failure_code": "changes_requested"},
        {**_DECISION, "decision": "request_changes"},
        reason="Shorter, please.",
    ),
    Event.EXPIRE: Written({"failure_code": "approval_expired"}, {"approval": 7}),
    Event.MEMORY_CHANGED: Written({"failure_code": "memory_changed"}, ends="absent"),
    Event.REVISE: Written({"revision": 2, "manifest_hash": ""}, {"revision": 2}),
    Event.OVERRIDE: Written(_BUDGET),
    Event.ASK_AGAIN: Written({**_BUDGET, "binding_hash": BOUND}),
    Event.RESTORE: Written(
        {"remote_commit": COMMIT}, _LOOKED, ends="confirmed", reason="From a backup."
    ),
    Event.GIVE_UP: Written(reason="Nobody needs it."),
    Event.COMMIT: Written({"committing_at": NOW}, {"tip": TIP}),
    Event.COMMITTED: Written({"local_commit": COMMIT}, {"commit": COMMIT, "parent": TIP}),
    Event.LOSE_SIGHT: Written(reason="The worker before stopped while committing."),
    Event.RECOVER: Written({"local_commit": COMMIT}, {"commit": COMMIT}),
    Event.RECHECK: Written(
        {"recheck_head": TIP, "recheck_delta": BOUND}, {"delta": BOUND}, ends="absent"
    ),
    Event.KEEP: _JUDGED,
    Event.CLASH: Written(
        _failure("conflict_content"),
        {"kinds": ["content"], "paths": ["content/a.md"], "tip": COMMIT},
        ends="absent",
        rows=_conflict,
        row_of=Conflict,
    ),
    Event.FOUND_UPSTREAM: Written(
        {"remote_commit": COMMIT, "failure_code": "already_upstream"},
        {"commit": COMMIT, "author": "Grace"},
        ends="absent",
    ),
    Event.DELIVER: _INTENT,
    Event.CONFIRM: Written({"remote_commit": COMMIT}, _LOOKED, ends="confirmed"),
    Event.REFUSE: Written(_failure("remote_refused"), ends="absent", reason="It says so."),
    Event.DISPATCH: _INTENT,
    Event.RECEIPT: Written({}, {"external_id": "r-1"}, ends="confirmed"),
    Event.DOUBT: Written(_failure("outcome_unknown", "NEEDS_RECONCILIATION"), ends="unknown"),
    Event.READ_BACK: Written({}, {"fresh_write_performed": False}, ends="confirmed"),
    Event.ALLOW_RETRY: Written(_BUDGET, {"proof": "It accepts the call no more."}, ends="absent"),
    Event.CLOSE: Written({}, {"evidence": "They said so."}, ends="closed"),
    Event.WAIT: Written(_failure("fetch_failed", "RETRYABLE"), {"code": "fetch_failed"}),
    Event.RESUME: Written(),
    Event.VOID: Written({**_BUDGET, "binding_hash": BOUND}, {"why": "expired"}, ends="absent"),
    Event.FAIL: Written(
        {**_failure("delivery_exhausted"), "available_at": NOW + timedelta(hours=1)},
        {"code": "delivery_exhausted"},
    ),
    Event.RETRY: Written(_BUDGET),
    Event.RESOLVE: Written({"revision": 2, "manifest_hash": ""}, {"revision": 2}),
    Event.CANCEL: Written({"generation": 1}),
}  # fmt: skip

_FROM: Mapping[tuple[State | None, Event], Written] = {
    (State.RECHECK_CANDIDATES, Event.SKIP): _JUDGED,
}
_TO: Mapping[tuple[Event, State], Written] = {
    (Event.RECOVER, State.LOCAL_COMMITTING): Written(reason="The stored files are intact."),
    (Event.RECOVER, State.REVIEW): Written(_failure("artifact_damaged"), reason="It says so."),
    (Event.RESUME, State.PUSHING): _INTENT,
    (Event.RESUME, State.DISPATCHING): _INTENT,
}


def written(move: Move) -> Written:
    """What is written with this move of the table."""
    given = _FROM.get((move.source, move.event)) or _TO.get((move.event, move.target))
    found = given or BY_EVENT[move.event]
    if move.event is Event.WAIT and move.source is not None:
        return Written({**found.columns, "resume_state": move.source.value}, found.facts)
    return found


def before(job: Job, move: Move) -> None:
    """The row and the outside write that whoever is about to move here finds."""
    if move.event is Event.RESUME:
        Job.objects.filter(pk=job.pk).update(resume_state=move.target.value)
    if move.event is Event.CANCEL:  # refused while a write is open
        return
    proves = written(move).ends == "confirmed"
    waited = move.source is State.RETRY_WAIT and written(move).ends not in ("", "intent")
    if proves or waited or move.source in HELD_OPEN:
        jobs.with_intent(job)


def guard(move: Move) -> Guard:
    """Writes this move's rows, as the one who makes it would in the same transaction."""
    told = written(move)

    def write(fresh: Job) -> dict[str, Any]:
        if told.ends == "intent":
            effect = jobs.with_intent(fresh)
            Effect.objects.filter(pk=effect.pk).update(tip=TIP, commit=COMMIT)
        elif told.ends:
            fresh.effects.filter(status="intent").update(status=told.ends)
        if told.rows is not None:
            told.rows(fresh)
        return dict(told.columns)

    return write


def at(state: State, lane: Lane = Lane.PUBLISH) -> Job:
    """A row that is in this state from its first moment; nothing else of it matters here."""
    number = hashlib.sha256(f"{state}{lane}".encode()).hexdigest()[:20]
    return Job.objects.create(
        id=f"job-{number}",
        site=jobs.site(),
        kind="blog.publish/v1",
        lane=lane.value,
        scope="default",
        requester="ada",
        state=state.value,
        available_at=NOW,
        created_at=NOW,
        updated_at=NOW,
    )


def told(job: Job) -> int:
    """How many events a job has."""
    return JobEvent.objects.filter(job=job).count()


def row(job: Job) -> dict[str, Any]:
    """A job's columns as they are now."""
    return dict(Job.objects.filter(pk=job.pk).values().get())
