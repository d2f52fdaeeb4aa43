"""revert: a new job that puts back what the site held before a published one; approved like any other."""

import os
from datetime import datetime
from typing import Any

from django.db import transaction

from publisher import envelopes, journal, selectors
from publisher.domain.envelope import digest
from publisher.domain.errors import WrongState
from publisher.domain.ids import job_id
from publisher.domain.keys import compensation_key
from publisher.domain.states import TERMINAL, Lane, State
from publisher.journal import Who
from publisher.models import Job, Revision
from publisher.models.job import Operation
from publisher.services import keyed, search
from publisher.services.submit import Submitted, input_hash

KIND = "git.revert/v1"
OPPOSITE = {
    Operation.CREATE.value: Operation.DELETE.value,
    Operation.UPDATE.value: Operation.UPDATE.value,
    Operation.DELETE.value: Operation.CREATE.value,
}
"""What takes back what."""


class Asked(Exception):
    """Somebody asked before, and that job is still open."""

    def __init__(self, job: Job) -> None:
        super().__init__(job.pk)
        self.job = job


def revert(job: Job, *, who: Who, now: datetime) -> Submitted:
    """Ask for a published job to be taken back; while that is open, asking again gives the same job.

    The new job's bytes are what each path held before, from the artifacts of the published job.
    Whether the paths still hold what was published is looked at by prepare and again before the
    push, so a later change by others is never written over. Raises WrongState, or
    NotFound for a site that is no longer in use.
    """
    if job.state != State.PUBLISHED.value or job.lane != Lane.PUBLISH.value:
        raise WrongState("Only what was published can be taken back.", state=job.state)
    selectors.site(job.site.name, scopes=None)  # one that was taken out of use is not found
    made, inputs = _job(job, who, now), _inputs(job)
    made.source_sha256 = digest(inputs["content"] or inputs["removed"])
    try:
        _write(job, made, inputs, who, now)
    except Asked as asked:
        return Submitted(asked.job, created=False)
    return Submitted(made, created=True)


def _give_key(made: Job, job: Job) -> None:
    """The key counts how often it was asked for, so that the database refuses a second one, too."""
    made.idempotency_key = compensation_key(
        job_id=job.pk,
        step="deliver",
        resource=job.site.name,
        intent_version=job.compensations.count() + 1,
    )
    made.key_digest = keyed.digests(made.idempotency_key, is_own=True)[0]
    made.request_hash = f"sha256:{made.key_digest}"


def _open(job: Job) -> Job | None:
    ended = [state.value for state in TERMINAL]
    return job.compensations.exclude(state__in=ended).select_related("site").first()


def _write(job: Job, made: Job, inputs: dict[str, Any], who: Who, now: datetime) -> None:
    """Both jobs tell of each other, in one transaction."""

    def nobody_asked(fresh: Job) -> None:
        """Under the lock of the published job's row, so of several callers one goes on."""
        if known := _open(fresh):
            raise Asked(known)
        _give_key(made, fresh)

    text = search.text_of(made, inputs)
    with transaction.atomic():
        journal.note(job, "revert_asked", who=who, now=now, guard=nobody_asked, by=made.pk)
        journal.begin(made, who=who, now=now, revision=1, reverts=job.pk, commit=job.remote_commit)
        Revision.objects.create(
            job=made,
            number=1,
            inputs=inputs,
            input_hash=input_hash(made, inputs),
            content=inputs["content"] or "",
            author=who.name,
            why="takes back a publication",
            created_at=now,
        )
        search.keep(made, text)


def _inputs(job: Job) -> dict[str, Any]:
    """What a revision of a revert is made from: per path the bytes before, and what must be there."""
    bases = envelopes.bases_of(job)
    payload = envelopes.manifest_of(job).payload
    before = {entry.path: bases.get(entry.path) for entry in payload}
    target = job.target_path
    return {
        "sources": [],
        "content": before.get(target),
        "assets": [
            {"path": path, "artifact": name}
            for path, name in sorted(before.items())
            if name and path != target
        ],
        "removed": sorted(path for path, name in before.items() if not name and path != target),
        "action": OPPOSITE[job.operation],
        "set_front_matter": None,
        "redacted": [],
        "published": {entry.path: entry.sha256 for entry in payload},
    }


def _job(job: Job, who: Who, now: datetime) -> Job:
    return Job(
        id=job_id(unix_milliseconds=int(now.timestamp() * 1000), randomness=os.urandom(10)),
        site=job.site,
        kind=KIND,
        lane=Lane.PUBLISH.value,
        scope=job.scope,
        requester=who.name,
        ready_draft=True,
        provider=job.provider,
        topic=job.topic,
        title=job.title,
        summary=job.summary,
        operation=OPPOSITE[job.operation],
        target_path=job.target_path,
        compensates=job,
        available_at=now,
        created_at=now,
        updated_at=now,
    )
