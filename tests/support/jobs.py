"""Jobs of the tests, brought to a state by the journal, with the rows that the engine would leave."""

import itertools
import os
from datetime import UTC, datetime
from typing import Any

from publisher import artifacts, authority, envelopes, journal
from publisher.domain.envelope import binding_hash
from publisher.domain.ids import job_id
from publisher.domain.manifest import Entry, Manifest
from publisher.domain.states import Actor, Event, Lane, State
from publisher.journal import Who
from publisher.models import Effect, Finding, Job, Revision, Site, Step
from publisher.models.site import CloneState
from publisher.services import search
from publisher.services.submit import input_hash
from reviews.models import Approval

NOW = datetime(2026, 5, 3, 12, 0, tzinfo=UTC)
WORKER = Who(Actor.WORKER, "worker-1")
TEXT = "---\ntitle: Tides\n---\n\nThe tide turns twice a day.\n"
_counter = itertools.count(1)


def site(name: str = "blog", *, scope: str = "default") -> Site:
    """A site whose clone is ready; the same name gives the same site."""
    found, _ = Site.objects.get_or_create(
        name=name,
        defaults={
            "scope": scope,
            "remote": f"/srv/git/{name}.git",
            "branch": "main",
            "clone_state": CloneState.READY.value,
            "head": "a" * 40,
            "created_at": NOW,
        },
    )
    return found


def received(
    *,
    requester: str = "ada",
    text: str = TEXT,
    at: Site | None = None,
    path: str = "",
    now: datetime = NOW,
    **columns: Any,
) -> Job:
    """A ready draft that was just submitted."""
    place = at or site()
    job = Job(
        id=job_id(unix_milliseconds=int(now.timestamp() * 1000), randomness=os.urandom(10)),
        site=place,
        kind="blog.publish/v1",
        lane=Lane.PUBLISH.value,
        scope=place.scope,
        requester=requester,
        available_at=now,
        created_at=now,
        updated_at=now,
        **{
            "ready_draft": True,
            "title": "Tides",
            "operation": "create",
            "target_path": path or f"content/tides-{next(_counter)}.md",
            **columns,
        },
    )
    journal.begin(job, who=Who(Actor.SUBMITTER, requester), now=now, revision=1)
    content = artifacts.store(text.encode(), kind="content", now=now)
    inputs: dict[str, Any] = {
        "sources": [],
        "content": content,
        "assets": [],
        "action": "create",
        "set_front_matter": None,
        "redacted": [],
    }
    Revision.objects.create(
        job=job,
        number=1,
        inputs=inputs,
        input_hash=input_hash(job, inputs),
        content=content,
        author=requester,
        why="submitted",
        created_at=now,
    )
    search.keep(job, search.text_of(job, inputs))
    return job


def preparing(job: Job, *, now: datetime = NOW) -> Job:
    """A worker took it."""
    journal.record(job, Event.PREPARE, who=WORKER, now=now)
    return job


def waiting(job: Job | None = None, *, now: datetime = NOW, **options: Any) -> Job:
    """Prepared, and open for decisions; a new job with these options when none is given."""
    job = preparing(job or received(now=now, **options), now=now)
    revision = job.revisions.get(number=job.revision)
    _steps(job, revision, now)

    def guard(fresh: Job) -> dict[str, Any]:
        for name, value in _manifest_columns(fresh, revision, now).items():
            setattr(fresh, name, value)
        envelope = envelopes.of(fresh)
        bound = binding_hash(envelope)
        fresh.binding_hash = bound
        authority.current().open(fresh, envelope, bound, now)
        return {**_manifest_columns(fresh, revision, now), "binding_hash": bound}

    journal.record(job, Event.ASK, who=WORKER, now=now, guard=guard)
    return job


def in_review(job: Job | None = None, *, now: datetime = NOW, **options: Any) -> Job:
    """Stopped by a gate's blocking finding."""
    job = preparing(job or received(now=now, **options), now=now)
    step = _step(job, "mdx", 5, {}, now)
    Finding.objects.create(
        step=step,
        severity="block",
        path=job.target_path,
        line=3,
        rule="mdx_syntax",
        message="This does not parse.",
        advice="Close the tag.",
    )
    journal.record(job, Event.BLOCK, who=WORKER, now=now, changes={"failure_code": "findings"})
    return job


def skipped(*, now: datetime = NOW) -> Job:
    """Judged to say what an article says already."""
    job = preparing(received(now=now), now=now)
    changes = {"failure_code": "duplicate"}
    journal.record(job, Event.SKIP, who=WORKER, now=now, changes=changes)
    return job


def moved(job: Job, event: Event, to: State | None = None, *, now: datetime = NOW) -> Job:
    """One more move of the worker; into PUSHING without the rows that the fence would write."""
    guard = _no_fence if event is Event.DELIVER else None
    journal.record(job, event, who=WORKER, now=now, to=to, guard=guard)
    return job


def _no_fence(_fresh: Job) -> None:
    """For tests whose own rows stand for what a fence leaves."""


def published(job: Job | None = None, *, now: datetime = NOW, commit: str = "c" * 40) -> Job:
    """On the site, as the engine would have left it."""
    job = moved(job or waiting(now=now), Event.APPROVE, State.READY_TO_COMMIT, now=now)
    for event in (Event.COMMIT, Event.COMMITTED, Event.DELIVER):
        moved(job, event, now=now)
    journal.record(
        job, Event.CONFIRM, who=WORKER, now=now, changes={"remote_commit": commit}, commit=commit
    )
    return job


def with_intent(job: Job, *, now: datetime = NOW) -> Effect:
    """The outside write that the fence would have written down for this job."""
    return Effect.objects.create(
        job=job,
        step="deliver",
        action="git.push",
        operation_key=f"op-{job.pk}-{job.revision}",
        policy="reconcile-first",
        status="intent",
        manifest_hash=job.manifest_hash,
        created_at=now,
        updated_at=now,
    )


def request_of(job: Job) -> Approval:
    """The newest request for approval of a job."""
    return Approval.objects.select_related("job__site").filter(job=job).order_by("-pk")[0]


def reloaded(job: Job) -> Job:
    """The row as it is now."""
    return Job.objects.select_related("site").get(pk=job.pk)


def _steps(job: Job, revision: Revision, now: datetime) -> None:
    bases = {job.target_path: None}
    files = {job.target_path: revision.content} if revision.content else {}
    _step(job, "collect", 1, {"base_commit": "a" * 40, "bases": bases, "sources": []}, now)
    _step(job, "draft", 3, {"files": files, "bases": bases, "target_path": job.target_path}, now)
    _step(job, "manifest", 8, {"diffs": {}, "binary": []}, now)


def _step(job: Job, name: str, position: int, outputs: dict[str, Any], now: datetime) -> Step:
    return Step.objects.create(
        job=job,
        revision=job.revision,
        name=name,
        position=position,
        state="succeeded",
        outputs=outputs,
        started_at=now,
        finished_at=now,
    )


def _manifest_columns(job: Job, revision: Revision, now: datetime) -> dict[str, Any]:
    entry = Entry(job.target_path, None, 0, "absent")
    if revision.content:
        size = len(artifacts.load(revision.content))
        entry = Entry(job.target_path, revision.content, size, "content")
    manifest = Manifest((entry,))
    return {
        "base_commit": "a" * 40,
        "manifest_hash": manifest.manifest_hash,
        "manifest_artifact": artifacts.store(manifest.to_json(), kind="manifest", now=now),
        "payload_hash": manifest.payload_hash,
    }
