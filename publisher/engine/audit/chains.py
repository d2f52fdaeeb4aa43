"""Chains: every job's events are gapless, chained by hash, legal, and agree with the job and its seals."""

from collections.abc import Iterator

from publisher.domain.envelope import digest
from publisher.domain.states import TRANSITIONS
from publisher.engine.audit.breach import Breach
from publisher.journal import event_hash
from publisher.models import Job, JobEvent, Seal

_LEGAL = {(move.source.value if move.source else "", move.target.value) for move in TRANSITIONS}


def check_job(job: Job) -> Iterator[Breach]:
    """Read a job's history again and compare each link."""
    previous, state, last = "", "", 0
    for event in JobEvent.objects.filter(job=job).order_by("seq").iterator():
        if event.seq != last + 1:
            yield Breach("event_gap", job.pk, f"Event {last + 1} is missing.")
        if event.previous_hash != previous or event_hash(event) != event.hash:
            yield Breach("event_changed", job.pk, f"Event {event.seq} is not what was written.")
        if event.target:
            if event.source != state or (event.source, event.target) not in _LEGAL:
                message = f"Event {event.seq} moves {event.source or 'start'} to {event.target}."
                yield Breach("illegal_move", job.pk, message)
            state = event.target
        previous, last = event.hash, event.seq
    if (job.event_seq, job.event_hash) != (last, previous):
        yield Breach(
            "head_differs", job.pk, f"The job says {job.event_seq} events, there are {last}."
        )
    if job.state != state:
        yield Breach("state_differs", job.pk, f"The job says {job.state}, its history {state}.")


def check_seals() -> Iterator[Breach]:
    """Sealed heads are still in the histories that they sealed."""
    previous = ""
    for seal in Seal.objects.order_by("number").iterator():
        wanted = digest({"number": seal.number, "heads": seal.heads, "previous": previous})
        if seal.previous_hash != previous or seal.hash != wanted:
            yield Breach("seal_changed", f"seal {seal.number}", "A seal is not what was written.")
        previous = seal.hash
        for job_id, (seq, head) in seal.heads.items():
            event = JobEvent.objects.filter(job_id=job_id, seq=seq).only("hash").first()
            if event is None or event.hash != head:
                yield Breach(
                    "seal_broken", job_id, f"Event {seq} was sealed and is gone or changed."
                )
