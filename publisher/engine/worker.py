"""The worker: claims a job, and those that go along, until each is finished, waits, or is another's."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from functools import partial
from random import random

import structlog
from django.db import OperationalError

from publisher import leases, wakeup
from publisher.domain.errors import (
    AdapterError,
    BranchGone,
    CredentialsRefused,
    ImprimaturError,
    InvalidInput,
    NotYet,
    RepositoryUnsafe,
    StaleWorker,
)
from publisher.domain.states import Event, State
from publisher.engine import effects, group, recheck, recover, relay, sites, waiting
from publisher.engine.run import HeartbeatOf, Run
from publisher.journal import Lease
from publisher.models import Job
from publisher.ports import Ports
from publisher.prepare import pipeline

log = structlog.get_logger(__name__)

_STOPS_DELIVERY = (CredentialsRefused, BranchGone, RepositoryUnsafe)


def _start(run: Run) -> None:
    run.record(
        Event.PREPARE, changes={"deadline_at": run.after(run.limits.prepare_deadline_seconds)}
    )


def _commit_or_recover(run: Run) -> None:
    """Inside LOCAL_COMMITTING a fresh claim knows nothing; the claim that moved here goes on."""
    if "look" in run.fields or run.fields.get("recovered"):
        relay.committing(run)
    else:
        recover.lose_sight(run)


def _recover(run: Run) -> None:
    recover.recover(run)
    run.fields["recovered"] = True


HANDLERS: Mapping[State, Callable[[Run], None]] = {
    State.RECEIVED: _start,
    State.PREPARING: pipeline.prepare,
    State.READY_TO_COMMIT: relay.ready,
    State.LOCAL_COMMITTING: _commit_or_recover,
    State.LOCAL_COMMITTED: relay.committed,
    State.RECOVERING: _recover,
    State.RECHECK_CANDIDATES: recheck.judge,
    State.PUSHING: relay.pushing,
    State.RETRY_WAIT: relay.resume,
}
"""What a worker does in each state."""


def advance(
    job_id: str,
    *,
    ports: Ports,
    owner: str,
    node: str,
    heartbeat: HeartbeatOf,
    lease_seconds: float,
    alone: bool = False,
) -> bool:
    """Claim the job and take it as far as it goes; False when there was nothing to claim.

    Others that are ready for the same site go along, unless it is to go ``alone``.
    """
    claimed = _claim(job_id, owner, ports.clock.now(), lease_seconds)
    if claimed is None:
        return False
    job, lease = claimed
    with heartbeat(lease) as beat:
        runs: list[Run] = []
        # Git stops when nobody is left to work for; each job is checked before each effect.
        repository = ports.repository(
            job.site.spec, lambda: beat.lost and all(run.is_lost() for run in runs)
        )
        runs.append(
            Run(job=job, lease=lease, ports=ports, repository=repository, beat=beat, node=node,
                random=random)
        )  # fmt: skip
        try:
            if not alone:
                _gather(runs, lease_seconds)
            _together(runs) if len(runs) > 1 else _guarded(runs[0], _work)
        finally:
            repository.close()
    for run in runs:
        _let_go(run, hints=len(runs) > 1)
    return True


def is_held_up(job_id: str, ports: Ports) -> bool:
    """Whether work on it would only wait for a remote for which another here waits in vain.

    A remote that never answers holds one worker that way, and not all of them.
    """
    job = Job.objects.select_related("site").filter(pk=job_id).first()
    if job is None:
        return False
    return sites.is_silent(job.site, ports, pushes=waiting.phase_of(job) == "deliver")


def _claim(job_id: str, owner: str, now: datetime, seconds: float) -> tuple[Job, Lease] | None:
    """None also where the claim goes wrong, which stops neither the worker nor the other jobs.

    A database that is busy for longer than a statement waits loses nothing: whoever looks next
    finds the job due, or its lease over.
    """
    try:
        return leases.claim(job_id, owner=owner, now=now, seconds=seconds)
    except OperationalError as busy:
        log.warning("claim_missed", job_id=job_id, reason=str(busy))
    except Exception:
        log.exception("claim_crashed", job_id=job_id)
    return None


def _let_go(run: Run, *, hints: bool) -> None:
    """Give the job back; what is left to do for one of several is told to the queue."""
    job = run.job
    if job.owner == run.lease.owner:
        try:
            leases.release(run.lease)
        except OperationalError as busy:
            log.warning("release_missed", job_id=job.pk, reason=str(busy))
            return
    if hints and run.state in HANDLERS:
        wakeup.hint(job.pk, due_at=job.available_at, now=run.now())


def _gather(runs: list[Run], lease_seconds: float) -> None:
    """Claim what can go along with the first; a trouble here leaves it with those it has."""
    first = runs[0]
    try:
        for job in group.companions(first):
            taken = leases.take(
                job, owner=first.lease.owner, now=first.now(), seconds=lease_seconds
            )
            if taken is not None:
                beat = first.beat.also(taken[1])
                runs.append(replace(first, job=job, lease=taken[1], beat=beat, fields={}))
    except Exception as trouble:
        # Whatever it is, the job that was claimed for its own sake goes on.
        log.warning("group_incomplete", job_id=first.job.pk, reason=str(trouble))


def _together(runs: list[Run]) -> None:
    """One push for all; what concerns all of those who are left is each one's own trouble."""
    members = list(runs)
    try:
        group.deliver(members, _guarded)
    except Exception as error:
        for run in members:
            _guarded(run, partial(_fail, error=error))


def _fail(_run: Run, error: Exception) -> bool:
    raise error


def _guarded(run: Run, act: Callable[[Run], bool]) -> bool:
    """Do something for a job; every failure ends as a move, a note or silence, and as False."""
    with structlog.contextvars.bound_contextvars(
        job_id=run.job.pk, generation=run.lease.generation
    ):
        try:
            return act(run)
        except StaleWorker as stale:
            log.info("stale_worker", reason=stale.message)
        except (ImprimaturError, OSError, OperationalError) as error:
            _trouble(run, error)
        except Exception as error:
            # A defect of one job must stop neither the worker nor the other jobs.
            log.exception("job_crashed")
            _trouble(run, AdapterError(f"Unexpected {type(error).__name__}.", kind="defect"))
        return False


def _work(run: Run) -> bool:
    """Handlers until nothing is due."""
    if _give_up(run):
        return True
    while run.state in HANDLERS:
        before = (run.job.state, run.job.state_version)
        HANDLERS[run.state](run)
        if (run.job.state, run.job.state_version) == before and "look" in run.fields:
            return True
        if run.job.owner != run.lease.owner:
            return True
    return True


def _give_up(run: Run) -> bool:
    """The budget is used up: a last look, then FAILED."""
    why = waiting.is_used_up(run)
    if not why:
        return False
    if waiting.phase_of(run.job) == "prepare":
        code = "crash_loop" if why == "attempts" else "deadline"
        if run.state is State.RECEIVED:
            _start(run)  # nothing fails before it began
        waiting.fail(run, code, _unprepared(run.job.failure_message))
        return True
    if waiting.may_look(run) and relay.last_look(run):
        return True
    is_open = effects.open_effect(run.job) is not None
    message = _LOOKED_FOR if is_open else waiting.NOT_PUBLISHED
    waiting.fail(run, "delivery_exhausted", message)
    return True


_LOOKED_FOR = (
    "It could not be delivered in the tries or time it has. It is still looked for every hour."
)


def _unprepared(cause: str) -> str:
    if not cause:
        return "Preparing it did not succeed in the tries or time it has."
    return f"Preparing it did not succeed in the tries or time it has. The last trouble: {cause}"


def _trouble(run: Run, error: Exception) -> None:
    """Answer a failure: wait and try again, or hand it to a person."""
    known = (
        error
        if isinstance(error, ImprimaturError)
        else AdapterError(f"{type(error).__name__}: {error}", kind="system")
    )
    log.warning("job_trouble", code=known.code, reason=known.message, state=run.job.state)
    try:
        if isinstance(known, NotYet):
            waiting.hold(run, known)
        elif _needs_person(known, run.state):
            _ask_person(run, known)
        else:
            waiting.later(run, known)
    except StaleWorker as stale:
        log.info("stale_worker", reason=stale.message)
    except (ImprimaturError, OperationalError) as untold:
        # The trouble cannot even be told: the lease ends, and the job is looked at again.
        log.warning("trouble_untold", reason=str(untold))


def _needs_person(error: ImprimaturError, state: State) -> bool:
    """Whether no later try can end otherwise."""
    if isinstance(error, InvalidInput):
        return state is State.PREPARING
    return isinstance(error, _STOPS_DELIVERY) and state is not State.RETRY_WAIT


def _ask_person(run: Run, error: ImprimaturError) -> None:
    if run.state is State.PREPARING:
        pipeline.block(run, error.message, code=error.code)
    elif run.state in (State.READY_TO_COMMIT, State.LOCAL_COMMITTED):
        relay.refuse(run, error.message, code=error.code)
    else:
        waiting.later(run, error)
