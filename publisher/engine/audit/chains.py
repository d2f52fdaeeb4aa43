"""Chains: every job's events are gapless, chained by hash, legal, and agree with the job's row."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial

from publisher.domain.states import State
from publisher.engine.audit import keys, stored_events
from publisher.engine.audit.breach import Breach, unreadable
from publisher.engine.audit.spread import Spread
from publisher.engine.audit.stored_events import Share
from publisher.journal import event_hash
from publisher.models import Job, JobEvent
from publisher.spoiled import ERRORS, whole, why

Told = tuple[str, str, str]
"""The rule, the subject and what is wrong."""
Besides = Callable[[Share], Iterable[Told]]
"""What else is asked of the jobs of a share; another process may ask it."""
TRIES = 5
"""How often a job that moves while it is read is read again."""


def check(site: str, spread: Spread, besides: Besides | None = None) -> Iterator[Breach]:
    """One quick pass over all histories; whatever is not surely sound is read again exactly.

    The pass begins at once, in whatever processes ``spread`` has; what it found is asked for later.
    ``besides`` is asked about the jobs of each share in the same processes.
    """
    found = spread(partial(_look, site, besides), stored_events.shares())
    return (breach for ids, told in found for breach in _tell(ids, told))


def _look(site: str, besides: Besides | None, share: Share) -> tuple[list[str], list[Told]]:
    """Where a row spoils the quick pass over all jobs of a share, each is looked at by itself."""
    told = _asked(partial(keys.told, site=site), "publisher_effect", share, site)
    if besides is not None:
        told += _asked(besides, "reviews_approval", share, site)
    try:
        return stored_events.suspects(share, site=site), told
    except ERRORS:
        return stored_events.ids(share, site), told


def _asked(ask: Besides, table: str, share: Share, site: str) -> list[Told]:
    try:
        return list(ask(share))
    except ERRORS:
        each = stored_events.ids(share, site)
    return [
        told
        for job_id in each
        for told in whole(job_id, partial(ask, (job_id, job_id)), partial(_spoiled, table))
    ]


def _spoiled(table: str, job_id: str, why: str) -> Told:
    told = unreadable(f"{table} of")(job_id, why)
    return told.rule, told.subject, told.message


def _tell(ids: list[str], told: list[Told]) -> Iterator[Breach]:
    for job_id in ids:
        yield from whole(job_id, partial(_check_again, job_id), unreadable("publisher_job"))
    for rule, subject, message in told:
        yield Breach(rule, subject, message)


def _check_again(job_id: str) -> Iterator[Breach]:
    job = Job.objects.filter(pk=job_id).first()
    if job is not None:
        yield from check_job(job)
    elif JobEvent.objects.filter(job_id=job_id).exists():
        yield Breach("event_orphaned", job_id, "There are events of it, and the job is gone.")


def check_job(job: Job) -> Iterator[Breach]:
    """Read a job's history again and compare each link."""
    for _ in range(TRIES):
        found = list(_check(job))
        present = Job.objects.filter(pk=job.pk).first()
        if not found or present is None or present.event_seq == job.event_seq:
            break
        job = present
    yield from found


def _check(job: Job) -> Iterator[Breach]:
    previous, state, proof, last, generation = "", "", "", 0, 0
    for event in _events(job):
        if isinstance(event, Breach):
            yield event
            return
        if event.seq != last + 1:
            yield Breach("event_gap", job.pk, f"Event {last + 1} is missing.")
        if event.previous_hash != previous or _hash(event) != event.hash:
            yield Breach("event_changed", job.pk, f"Event {event.seq} is not what was written.")
        if event.generation < generation:
            message = f"Event {event.seq} was written by a worker that had lost the job."
            yield Breach("stale_generation", job.pk, message)
        if event.target:
            move = (event.source, event.event, event.target, event.actor)
            if event.source != state or move not in stored_events.LEGAL:
                message = f"Event {event.seq} moves {event.source or 'start'} to {event.target}."
                yield Breach("illegal_move", job.pk, message)
            state = event.target
            if state == State.PUBLISHED.value:
                proof = stored_events.commit_of(event.facts)
        previous, last, generation = event.hash, event.seq, event.generation
    yield from _check_row(job, state, last, previous)
    yield from _check_kind(job, generation)
    yield from _check_requester(job)
    if job.state == state == State.PUBLISHED.value and job.remote_commit != proof:
        message = "The commit that it names is not the one that its history confirms."
        yield Breach("proof_differs", job.pk, message)


def _check_requester(job: Job) -> Iterator[Breach]:
    first = JobEvent.objects.filter(job=job, seq=1).values_list("actor_name", "facts")
    for name, facts in first:
        if name != job.requester:
            message = "Somebody else asked for it, as its history tells."
            yield Breach("requester_differs", job.pk, message)
        if wrong := stored_events.differing_request(facts, job.request_hash, job.key_digest):
            message = f"It did not come with this {' and '.join(wrong)}, as its history tells."
            yield Breach("job_changed", job.pk, message)


def _check_kind(job: Job, generation: int) -> Iterator[Breach]:
    """Whatever a worker that lost the job may still do is decided by these columns."""
    if job.generation < generation:
        message = (
            "Its generation is lower than its history's, so a worker that lost it could write."
        )
        yield Breach("stale_generation", job.pk, message)
    if (job.kind, job.lane) not in stored_events.LANES:
        yield Breach("job_changed", job.pk, f"There is no {job.kind} in the lane {job.lane}.")


def _events(job: Job) -> Iterator[JobEvent | Breach]:
    """A history in its order; one event that cannot be read hides what it is of, and ends it."""
    rows = JobEvent.objects.filter(job=job).order_by("seq")
    try:
        yield from list(rows)
    except ERRORS:
        for key, seq in rows.values_list("pk", "seq"):
            try:
                yield rows.get(pk=key)
            except ERRORS as error:
                message = f"Event {seq} is not what was written, and cannot be read: {why(error)}."
                yield Breach("event_changed", job.pk, message)


def _hash(event: JobEvent) -> str:
    """The event's hash anew; "" for one that holds what has none."""
    try:
        return event_hash(event)
    except ERRORS:
        return ""


def _check_row(job: Job, state: str, last: int, previous: str) -> Iterator[Breach]:
    if (job.event_seq, job.event_hash) != (last, previous):
        message = f"The job says {job.event_seq} events, there are {last}."
        if job.event_seq == last:
            message = "The job's last event is not the one that it was."
        yield Breach("head_differs", job.pk, message)
    if job.state not in State.__members__:
        yield Breach("unknown_state", job.pk, f"There is no state {job.state}.")
    elif job.state != state:
        yield Breach("state_differs", job.pk, f"The job says {job.state}, its history {state}.")
