"""The worker: claims one job and advances it until it is finished, waits, or is somebody else's."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from random import random

import structlog
from django.db import OperationalError

from publisher import leases
from publisher.domain.errors import (
    AdapterError,
    BranchGone,
    CredentialsRefused,
    ImprimaturError,
    RepositoryUnsafe,
    StaleWorker,
)
from publisher.domain.states import Event, State
from publisher.engine import recheck, recover, relay, waiting
from publisher.engine.run import Beat, Run
from publisher.journal import Lease
from publisher.ports import Ports
from publisher.prepare import pipeline

log = structlog.get_logger(__name__)

HeartbeatOf = Callable[[Lease], AbstractContextManager[Beat]]
"""Renews a lease while the block runs; handed in, so that the engine owns no thread."""

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
) -> bool:
    """Claim the job and take it as far as it goes; False when there was nothing to claim.

    A database that is busy for longer than a statement waits loses nothing: whoever looks next
    finds the job due, or its lease over.
    """
    try:
        claimed = leases.claim(job_id, owner=owner, now=ports.clock.now(), seconds=lease_seconds)
    except OperationalError as busy:
        log.warning("claim_missed", job_id=job_id, reason=str(busy))
        return False
    if claimed is None:
        return False
    job, lease = claimed
    with heartbeat(lease) as beat:
        repository = ports.repository(job.site.spec, lambda: beat.lost)
        run = Run(
            job=job, lease=lease, ports=ports, repository=repository, beat=beat, node=node,
            random=random,
        )  # fmt: skip
        try:
            with structlog.contextvars.bound_contextvars(
                job_id=job.pk, generation=lease.generation
            ):
                _work(run)
        finally:
            repository.close()
    if job.owner == owner:
        _release(lease)
    return True


def _release(lease: Lease) -> None:
    try:
        leases.release(lease)
    except OperationalError as busy:
        log.warning("release_missed", job_id=lease.job_id, reason=str(busy))


def _work(run: Run) -> None:
    """Handlers until nothing is due; every failure ends as a move, a note or silence."""
    try:
        if _give_up(run):
            return
        while run.state in HANDLERS:
            before = (run.job.state, run.job.state_version)
            HANDLERS[run.state](run)
            if (run.job.state, run.job.state_version) == before and "look" in run.fields:
                return
            if run.job.owner != run.lease.owner:
                return
    except StaleWorker as stale:
        log.info("stale_worker", reason=stale.message)
    except (ImprimaturError, OSError, OperationalError) as error:
        _trouble(run, error)
    except Exception as error:
        # A defect of one job must stop neither the worker nor the other jobs.
        log.exception("job_crashed")
        _trouble(run, AdapterError(f"Unexpected {type(error).__name__}.", kind="defect"))


def _give_up(run: Run) -> bool:
    """The budget is used up: a last look, then FAILED."""
    why = waiting.is_used_up(run)
    if not why:
        return False
    if waiting.phase_of(run) == "prepare":
        code = "crash_loop" if why == "attempts" else "deadline"
        waiting.fail(run, code, "Preparing it did not succeed in the tries or time it has.")
        return True
    if relay.last_look(run):
        return True
    waiting.fail(
        run,
        "delivery_exhausted",
        "It could not be delivered in the tries or time it has. It is still looked for every hour.",
    )
    return True


def _trouble(run: Run, error: Exception) -> None:
    """Answer a failure: wait and try again, or hand it to a person."""
    known = (
        error
        if isinstance(error, ImprimaturError)
        else AdapterError(f"{type(error).__name__}: {error}", kind="system")
    )
    log.warning("job_trouble", code=known.code, reason=known.message, state=run.job.state)
    try:
        if isinstance(known, _STOPS_DELIVERY) and run.state is not State.RETRY_WAIT:
            _ask_person(run, known)
        else:
            waiting.later(run, known)
    except StaleWorker as stale:
        log.info("stale_worker", reason=stale.message)
    except OperationalError as busy:
        # The trouble cannot even be told: the lease ends by itself, and the job is looked at again.
        log.warning("trouble_untold", reason=str(busy))


def _ask_person(run: Run, error: ImprimaturError) -> None:
    if run.state is State.PREPARING:
        pipeline.block(run, error.message, code=error.code)
    elif run.state in (State.READY_TO_COMMIT, State.LOCAL_COMMITTED):
        relay.refuse(run, error.message, code=error.code)
    else:
        waiting.later(run, error)
