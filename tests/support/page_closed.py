"""Requests that are no longer asked about, one in each way to end, for pages that tell of it."""

from collections.abc import Callable
from datetime import datetime, timedelta

from publisher.domain.states import Actor
from publisher.journal import Who
from publisher.models import Job, Site
from publisher.services import revise
from reviews.models import Approval
from reviews.permissions import PAGE
from reviews.services import approvals, decisions
from tests.support import jobs, page_rows, people

WEEK = timedelta(days=7)


def every(*, at: Site, now: datetime) -> dict[str, Approval]:
    """The requests by how they ended; ``later`` has its yes and waits for its day."""
    ways: dict[str, Callable[[Job, datetime], object]] = {
        "rejected": _rejected,
        "withdrawn": _withdrawn,
        "superseded": _superseded,
        "expired": _expired,
        "later": page_rows.approved,
    }
    found = {}
    for name, end in ways.items():
        job = page_rows.new_article(
            at=at, now=now, title=f"It was {name}", path=f"content/posts/it-was-{name}.md",
            not_before=now + WEEK if name == "later" else None,
        )  # fmt: skip
        found[name] = jobs.request_of(job)
        end(job, now)
    return found


def _answer(job: Job, decision: str, now: datetime) -> None:
    request = jobs.request_of(job)
    decisions.decide(
        request, caller=people.caller("rui"), decision=decision, door=PAGE, now=now,
        reviewed_hash=request.binding_hash, request_id=f"{decision}-{job.pk}",
        acknowledged=[part["id"] for part in request.parts],
    )  # fmt: skip


def _rejected(job: Job, now: datetime) -> None:
    _answer(job, "reject", now)


def _withdrawn(job: Job, now: datetime) -> None:
    _answer(job, "approve", now)
    _answer(job, "withdraw", now)


def _superseded(job: Job, now: datetime) -> None:
    who = Who(Actor.SUBMITTER, "ada")
    files = {job.target_path: b"---\ntitle: Anew\n---\n\nWritten once more.\n"}
    jobs.waiting(revise.revise(job, files=files, base_revision=1, who=who, now=now), now=now)


def _expired(job: Job, now: datetime) -> None:
    request = jobs.request_of(job)
    Approval.objects.filter(pk=request.pk).update(wait_until=now - timedelta(seconds=1))
    approvals.lapse(jobs.request_of(job), now)
