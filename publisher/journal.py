"""The journal: the only writer of Job.state, and of the hash-chained events that tell of it."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import transaction

from publisher import statements, wakeup
from publisher.domain.envelope import digest
from publisher.domain.errors import IllegalMove, NotFound, StaleWorker, WrongState
from publisher.domain.secrets import scrub_text, scrub_value
from publisher.domain.states import CLAIMABLE, TERMINAL, Actor, Event, Lane, State, find, targets
from publisher.models import Job, JobEvent, Outbox, Site


@dataclass(frozen=True, slots=True)
class Who:
    """Who raises an event: the part played, and the name of the person or process."""

    actor: Actor
    name: str = ""


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to work on a job; every write of a worker repeats it in its filter."""

    job_id: str
    owner: str
    generation: int


@dataclass(frozen=True, slots=True)
class Message:
    """An outbox message to write with the event; ``id`` must be deterministic."""

    id: str
    kind: str
    payload: Mapping[str, Any] = field(default_factory=dict)


Guard = Callable[[Job], Mapping[str, Any] | None]
"""Runs first inside the transaction on the fresh, locked row; may refuse by raising, or add columns."""

FENCED = frozenset({State.PUSHING, State.DISPATCHING})
"""Whoever enters these is about to write outside: never without a guard."""
_SEEN = ("id", "state", "state_version", "generation", "owner", "event_seq")


def record(
    job: Job,
    event: Event,
    *,
    who: Who,
    now: datetime,
    to: State | None = None,
    lease: Lease | None = None,
    guard: Guard | None = None,
    reason: str = "",
    changes: Mapping[str, Any] | None = None,
    messages: Iterable[Message] = (),
    **facts: Any,
) -> JobEvent:
    """Move a job, in one transaction (joining the caller's), and tell of it.

    1. Lock and re-read the row; StaleWorker when it is not the row that the caller saw.
    2. Run the guard; what it raises leaves everything as it was.
    3. Check the table (IllegalMove), update by compare-and-swap, append the event and the messages.
    4. Hint the queue on commit.

    ``to`` is needed only where the event has several targets. ``job`` is brought up to date.
    Without a guard nothing enters the states behind the fence; RESUME leads where the wait began.
    """
    with transaction.atomic():
        fresh = _locked(job, lease, now)
        columns = _columns(fresh, guard, changes)
        target = _target(fresh, event, to, who)
        if target in FENCED and guard is None:
            raise IllegalMove(f"Only a fence leads to {target}.", event=event, target=target)
        columns.update(state=target.value, state_version=fresh.state_version + 1, updated_at=now)
        columns.update(_upkeep(fresh, target, columns, now))
        entry = _append(fresh, event.value, who, now, target, reason, facts)
        columns = _swap(fresh, columns, entry)
        _send(fresh, messages, now)
        if target in CLAIMABLE and lease is None:
            wakeup.hint(fresh.pk, due_at=columns.get("available_at", fresh.available_at), now=now)
    _show(job, fresh, columns)
    return entry


def note(
    job: Job,
    event: str,
    *,
    who: Who,
    now: datetime,
    lease: Lease | None = None,
    guard: Guard | None = None,
    reason: str = "",
    changes: Mapping[str, Any] | None = None,
    messages: Iterable[Message] = (),
    **facts: Any,
) -> JobEvent:
    """Append an event without a move: a claim, a checkpoint, a decision below quorum."""
    with transaction.atomic():
        fresh = _locked(job, lease, now)
        columns = _columns(fresh, guard, changes)
        if "state" in columns:
            raise IllegalMove("A note never changes the state.", event=event)
        columns["updated_at"] = now
        fence = columns.get("generation", fresh.generation)
        entry = _append(fresh, event, who, now, None, reason, facts, generation=fence)
        columns = _swap(fresh, columns, entry)
        _send(fresh, messages, now)
    _show(job, fresh, columns)
    return entry


def begin(job: Job, *, who: Who, now: datetime, reason: str = "", **facts: Any) -> JobEvent:
    """Write a new job's row and its first event, in one transaction (joining the caller's).

    The event holds what the job stands for: a repeat finds it by these two.
    """
    facts = {"request_hash": job.request_hash, "key_digest": job.key_digest or "", **facts}
    with transaction.atomic():
        if find(None, Event.SUBMIT, State.RECEIVED, actor=who.actor, lane=Lane(job.lane)) is None:
            raise IllegalMove("This actor may not submit.", actor=who.actor)
        require_site(job.site_id)
        job.state = State.RECEIVED.value
        job.save(force_insert=True)
        entry = _append(job, Event.SUBMIT.value, who, now, State.RECEIVED, reason, facts, source="")
        columns = _swap(job, {}, entry)
        wakeup.hint(job.pk, due_at=job.available_at, now=now)
    _show(job, job, columns)
    return entry


def require_site(site_id: int) -> None:
    """Refuse, in the transaction that opens a job, a site out of use.

    The row is locked: whoever takes the site out of use does so too, and counts the open jobs.
    """
    rows = statements.rows(Site, locks=True, id=site_id)
    if not rows or rows[0].removed_at is not None:
        raise WrongState("The site was removed. Nothing can be published there any more.")


def _locked(job: Job, lease: Lease | None, now: datetime) -> Job:
    """The row as it is now, locked for this transaction; refuses when somebody was faster."""
    try:
        fresh = statements.locked(Job, job.pk)
    except Job.DoesNotExist:
        raise NotFound(f"There is no job {job.pk} any more.") from None
    seen = (job.state, job.state_version, job.generation)
    if (fresh.state, fresh.state_version, fresh.generation) != seen:
        raise StaleWorker("The job moved on meanwhile.", job_id=job.pk, state=fresh.state)
    if lease is not None and not _holds(fresh, lease, now):
        raise StaleWorker("The lease is lost.", job_id=job.pk, generation=lease.generation)
    return fresh


def _holds(fresh: Job, lease: Lease, now: datetime) -> bool:
    return (
        fresh.generation == lease.generation
        and fresh.owner == lease.owner
        and fresh.lease_until is not None
        and fresh.lease_until > now
    )


def _columns(fresh: Job, guard: Guard | None, changes: Mapping[str, Any] | None) -> dict[str, Any]:
    """The caller's columns and those that its guard adds; or the guard's refusal."""
    added = None if guard is None else guard(fresh)
    return {**(changes or {}), **(added or {})}


def _target(fresh: Job, event: Event, to: State | None, who: Who) -> State:
    source = State(fresh.state)
    possible = [
        target
        for target in targets(source, event)
        if (to is None or target == to)
        and (event is not Event.RESUME or target == fresh.resume_state)
        and find(source, event, target, actor=who.actor, lane=Lane(fresh.lane)) is not None
    ]
    if len(possible) != 1:
        raise IllegalMove(
            f"{event} does not lead from {source} to {to or 'one state'} for {who.actor}.",
            source=source,
            event=event,
            target=to,
            actor=who.actor,
        )
    return possible[0]


def _upkeep(fresh: Job, target: State, columns: Mapping[str, Any], now: datetime) -> dict[str, Any]:
    """Columns that follow from the target: a free lease where no worker goes on, the end's time."""
    upkeep: dict[str, Any] = {}
    if target not in CLAIMABLE or target is State.RETRY_WAIT:
        upkeep.update(owner="", lease_until=None)
    if target in CLAIMABLE and "available_at" not in columns:
        upkeep["available_at"] = now
    if target in TERMINAL:
        upkeep["finished_at"] = now
    elif fresh.finished_at is not None:
        upkeep["finished_at"] = None
    return upkeep


def _append(
    fresh: Job,
    event: str,
    who: Who,
    now: datetime,
    target: State | None,
    reason: str,
    facts: Mapping[str, Any],
    source: str | None = None,
    generation: int | None = None,
) -> JobEvent:
    entry = JobEvent(
        job_id=fresh.pk,
        seq=fresh.event_seq + 1,
        event=event,
        actor=who.actor.value,
        actor_name=who.name,
        source=fresh.state if source is None else source,
        target=target.value if target else "",
        reason=scrub_text(reason),
        generation=fresh.generation if generation is None else generation,
        facts=scrub_value(facts),
        at=now,
        previous_hash=fresh.event_hash,
    )
    entry.hash = event_hash(entry)
    statements.add(entry)
    return entry


def event_hash(entry: JobEvent) -> str:
    """The chain's hash of one event: over all its columns and the hash before it."""
    return digest(
        {
            "job": entry.job_id,
            "seq": entry.seq,
            "event": entry.event,
            "actor": entry.actor,
            "actor_name": entry.actor_name,
            "source": entry.source,
            "target": entry.target,
            "reason": entry.reason,
            "generation": entry.generation,
            "facts": entry.facts,
            "at": entry.at.isoformat(),
            "previous": entry.previous_hash,
        }
    )


def _swap(fresh: Job, columns: dict[str, Any], entry: JobEvent) -> dict[str, Any]:
    """The compare-and-swap; what was written. Zero rows means that somebody was faster."""
    written = {**_without_secrets(columns), "event_seq": entry.seq, "event_hash": entry.hash}
    seen = {name: getattr(fresh, name) for name in _SEEN}
    changed = statements.change(Job, seen, written)
    if changed != 1:
        raise StaleWorker("The job moved on meanwhile.", job_id=fresh.pk)
    return written


def _show(job: Job, fresh: Job, written: Mapping[str, Any]) -> None:
    """Bring the caller's copy up to what was written, without asking the database again."""
    columns = {name: value for name, value in vars(fresh).items() if not name.startswith("_")}
    for name, value in {**columns, **written}.items():
        setattr(job, name, value)


def _without_secrets(columns: dict[str, Any]) -> dict[str, Any]:
    """A failure's message may repeat what a remote or a provider said."""
    if "failure_message" in columns:
        return {**columns, "failure_message": scrub_text(columns["failure_message"])}
    return columns


def _send(fresh: Job, messages: Iterable[Message], now: datetime) -> None:
    for message in messages:
        Outbox.objects.get_or_create(
            pk=message.id,
            defaults={
                "kind": message.kind,
                "payload": dict(message.payload),
                "job_id": fresh.pk,
                "due_at": now,
                "created_at": now,
            },
        )
