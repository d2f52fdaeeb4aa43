"""Waiting and failing: retries with full jitter, holds that use no attempt, approvals that no longer hold."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import Q

from publisher import envelopes, journal, leases
from publisher.domain.envelope import binding_hash
from publisher.domain.errors import ImprimaturError, LockBusy, NotAuthorised, NotYet
from publisher.domain.retries import backoff_seconds, classify
from publisher.domain.states import Event, State
from publisher.engine import effects
from publisher.engine.run import Run
from publisher.journal import Guard
from publisher.models import Job

PREPARE_STATES = frozenset({State.RECEIVED, State.PREPARING})
IN_PREPARE = Q(state__in=sorted(PREPARE_STATES)) | Q(
    state=State.RETRY_WAIT.value, resume_state__in=sorted(PREPARE_STATES)
)
"""The jobs of which ``phase_of`` says "prepare"."""
PAUSE_SECONDS = 15
HELD_SECONDS = 600
"""When a job of a paused site may ask anew; ``leases`` leaves it alone for longer before it is sent."""
NOT_PUBLISHED = (
    "It could not be delivered in the tries or time it has. Nothing of it was published."
)
LAST_LOOKS = 3
"""Claims beyond the budget that may look once more before they give up."""


def phase_of(job: Job) -> str:
    """ "prepare" or "deliver": which budget and deadline count."""
    waits = job.state == State.RETRY_WAIT.value
    state = State(job.resume_state if waits else job.state)
    return "prepare" if state in PREPARE_STATES else "deliver"


def is_used_up(run: Run) -> str:
    """Why no further try is allowed ("attempts", "deadline"), or "" when one is."""
    limits = run.limits
    allowed = limits.prepare_attempts if phase_of(run.job) == "prepare" else limits.push_attempts
    if run.job.attempt > allowed:
        return "attempts"
    if run.job.deadline_at is not None and run.job.deadline_at <= run.now():
        return "deadline"
    return ""


def may_look(run: Run) -> bool:
    """Whether the last look is still to be taken; where it ends its worker each time, it is not."""
    return run.job.attempt <= run.limits.push_attempts + LAST_LOOKS


def delivery_deadline(run: Run) -> Mapping[str, Any]:
    """The columns that start the deliver phase's clock, if it does not run yet."""
    if run.job.deadline_at is not None:
        return {}
    return {"deadline_at": run.after(run.limits.deliver_deadline_seconds)}


def later(run: Run, error: ImprimaturError) -> None:
    """Something passing went wrong: wait with full jitter, inside the budget."""
    trouble = {
        "failure_class": classify(error).value,
        "failure_code": error.code,
        "failure_message": error.message,
        **(_in_line(run) if isinstance(error, LockBusy) else _backed_off(run)),
    }
    if run.state is State.RETRY_WAIT or run.state is State.RECEIVED:
        run.note("waits_again", reason=error.message, code=error.code, changes=trouble)
        leases.release(run.lease)
        return
    changes = {**trouble, "resume_state": run.state.value}
    run.record(
        Event.WAIT, guard=_untaken(run), reason=error.message, changes=changes, code=error.code
    )  # fmt: skip


def alone(run: Run, refusal: ImprimaturError) -> None:
    """A push of several was refused: each is due at once by itself, and not yet in trouble."""
    changes = {"available_at": run.now(), "resume_state": run.state.value}
    run.record(
        Event.WAIT, guard=_untaken(run), reason=refusal.message, changes=changes, code=refusal.code
    )  # fmt: skip


def _untaken(run: Run) -> Guard | None:
    """Closes the intent after an answer by which surely nothing of the push was taken."""
    not_taken = run.fields.pop("not_taken", False)
    return effects.absent(run, "the remote took nothing of it") if not_taken else None


def _backed_off(run: Run) -> dict[str, Any]:
    delay = backoff_seconds(
        run.job.attempt,
        base=run.limits.backoff_base_seconds,
        cap=run.limits.backoff_cap_seconds,
        random=run.random,
    )
    return {"available_at": run.after(delay)}


def _in_line(run: Run) -> dict[str, Any]:
    """Whoever only waited for a lock tried nothing: that uses no attempt, and time to deliver alone.

    Otherwise one process that stands still with a lock would fail every job of its site, and a
    remote that is away while its articles are to be listed would fail every draft.
    """
    pause = 2 * PAUSE_SECONDS * run.random()
    deadline = run.job.deadline_at
    columns: Mapping[str, Any] = {}
    if phase_of(run.job) == "deliver":
        columns = delivery_deadline(run)
    elif deadline is not None:
        columns = {"deadline_at": deadline + timedelta(seconds=pause)}
    return {
        "available_at": run.after(pause),
        "attempt": max(run.job.attempt - 1, 0),
        **columns,
    }


def hold(run: Run, early: NotYet) -> None:
    """The time has not come: wait without using up an attempt."""
    until = early.until or run.now() + timedelta(seconds=HELD_SECONDS)
    run.note(
        "held",
        reason=early.message,
        changes={
            "available_at": until,
            "attempt": max(run.job.attempt - 1, 0),
            "deadline_at": until + timedelta(seconds=run.limits.deliver_deadline_seconds),
        },
        until=until.isoformat(),
    )
    leases.release(run.lease)


def void(run: Run, refusal: NotAuthorised, *, tip: str) -> None:
    """The approval no longer holds: ask again, with the present envelope.

    Where the policy needs nobody's yes, or one still holds, the job is ready again at once, with
    the attempts and the time that it had left.
    """
    gone = effects.absent(run, effects.left(tip), tip=tip)
    holds = False

    def guard(fresh: Job) -> dict[str, Any]:
        nonlocal holds
        gone(fresh)
        now = run.now()
        run.ports.authority.void(fresh, str(refusal.facts["why"]), now)
        envelope = envelopes.of(fresh)
        bound = binding_hash(envelope)
        holds = run.ports.authority.open(fresh, envelope, bound, now)
        budget = {} if holds else {"attempt": 0, "deadline_at": None}
        return {"binding_hash": bound, **budget}

    with transaction.atomic():
        run.record(
            Event.VOID, guard=guard, reason=refusal.message, to=State.WAITING_APPROVAL,
            why=refusal.facts["why"],
        )  # fmt: skip
        if holds:
            # Waiting for people gave the lease up, so this is no longer the claim's own write.
            journal.record(run.job, Event.APPROVE, who=run.who, now=run.now())


def fail(run: Run, code: str, message: str) -> None:
    """FAILED: the budget is used up; an open intent stays open and is probed."""
    run.record(
        Event.FAIL,
        reason=message,
        changes={
            "failure_class": "NEEDS_HUMAN",
            "failure_code": code,
            "failure_message": message,
            "available_at": run.after(run.limits.probe_seconds),
        },
        code=code,
    )
