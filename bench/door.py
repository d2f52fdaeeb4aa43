"""Door: submits, looks and approves as people do; imported only after Django was set up."""

import hashlib

from publisher import selectors
from publisher.clock import now
from publisher.domain.states import Actor
from publisher.journal import Who
from publisher.models import Job
from publisher.services import submit as service
from reviews.permissions import Caller
from reviews.selectors import approval_of
from reviews.services import decisions, people

WORDS = [
    "harbour",
    "market",
    "ferry",
    "lamp",
    "bridge",
    "garden",
    "school",
    "river",
    "winter",
    "letter",
    "bread",
    "stone",
]


def submit(site: str, path: str, number: int) -> str:
    """Hand in a ready draft whose words are its own, and return the job's id."""
    digest = hashlib.sha256(path.encode()).hexdigest()
    words = " ".join(f"{WORDS[int(digit, 16) % 12]} {digest[place : place + 5]}"
                     for place, digit in enumerate(digest))  # fmt: skip
    front = f"title: Note {number} {digest[:8]}\ndate: 2026-05-01\nsummary: {words[:70]}"
    text = f"---\n{front}\n---\n\n{words.capitalize()}.\n"
    request = service.SubmitRequest(site=site, content=text.encode(), target_path=path)
    who = Who(Actor.SUBMITTER, "ada")
    return service.submit(request, who=who, scope="default", now=now()).job.pk


def is_claimed(job: str) -> bool:
    """Whether a worker has taken the job."""
    return bool(Job.objects.filter(pk=job, generation__gt=0).exists())


def state(job: str) -> str:
    """The job's state."""
    return selectors.job(job, scopes=None).state


def approve(job: str) -> None:
    """Say yes as the demo's reviewer."""
    approval = approval_of(selectors.job(job, scopes=None))
    if approval is None:
        raise SystemExit(f"Nothing asks for approval of {job}; it is {state(job)}.")
    decisions.decide(
        approval,
        caller=Caller(people.find("rui"), "CLI"),
        decision="approve",
        reviewed_hash=approval.binding_hash,
        request_id=f"bench {job}",
        now=now(),
    )
