"""Jobs: submit, read, wait."""

import re
import threading
import time
from typing import Annotated, Any

from django.http import HttpRequest, HttpResponse
from ninja import Header, Query, Router, Status

from publisher import artifacts, clock
from publisher import selectors as engine
from publisher import selectors_jobs as lists
from publisher.domain import workflows
from publisher.domain.errors import ArtifactDamaged, InvalidInput, KeyRequired, NotFound
from publisher.domain.states import PEOPLES, TERMINAL, State
from publisher.selectors_reverts import reverts_of
from reviews import selectors
from reviews.api import lookups, shapes
from reviews.api.auth import caller
from reviews.api.bodies import ClosedTopicBody, RevisionBody, SubmitBody
from reviews.api.lookups import Cursor, Limit
from reviews.api.shapes import Json
from reviews.services import work

router = Router(tags=["jobs"])

LONGEST_WAIT = 30
_LOOK_EVERY = 0.5
_waiting = threading.BoundedSemaphore(4)  # the other threads of a web process stay free
_JOB_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_HASH = re.compile(r"(?:sha256:)?([0-9a-f]{64})")


def sources_of(body: SubmitBody | RevisionBody | ClosedTopicBody) -> tuple[work.Source, ...]:
    """The sources of a request, whichever way they were written."""
    if body.source is not None and body.sources is not None:
        raise InvalidInput("sources", "Give either source or sources, not both.")
    if body.source is not None:
        return (work.Source("source", body.source),)
    return tuple(work.Source(source.id, source.text) for source in body.sources or ())


def _request(body: SubmitBody, key: str | None) -> work.SubmitRequest:
    if body.source is not None and not body.source.strip():
        raise InvalidInput("source", "The source is empty.")
    return work.SubmitRequest(
        site=body.site,
        kind=body.kind,
        sources=sources_of(body),
        content=None if body.content is None else body.content.encode(),
        action=body.action,
        target_path=body.target_path,
        topic=body.topic,
        title=body.title,
        summary=body.summary,
        assets=tuple(work.Asset(asset.path, asset.data()) for asset in body.assets),
        set_front_matter=body.set_front_matter,
        key=key,
        provider=body.provider,
        not_before=body.not_before,
        memory_scope=body.memory_scope,
    )


def _as_sent(header: str) -> str:
    """A header's text: WSGI hands its bytes over as Latin-1 (PEP 3333), and people write UTF-8."""
    try:
        return header.encode("latin-1").decode()
    except UnicodeError:
        raise InvalidInput("Idempotency-Key", "Write the key in UTF-8.") from None


@router.post("/jobs", response={200: Json, 201: Json}, summary="Submit a job")
def submit(
    request: HttpRequest,
    body: SubmitBody,
    idempotency_key: Annotated[str | None, Header(alias="Idempotency-Key")] = None,
) -> Status[Json]:
    """201 with a new job, or 200 with the job that the same key and request made before."""
    if not idempotency_key or not idempotency_key.strip():
        raise KeyRequired("Idempotency-Key", "Send an Idempotency-Key header with each submit.")
    asked = _request(body, _as_sent(idempotency_key))
    done = work.submit(asked, caller=caller(request), now=clock.now())
    answer = {
        "id": done.job.pk,
        "job_id": done.job.pk,
        "state": done.job.state,
        "revision": done.job.revision,
        "created": done.created,
    }
    return Status(201 if done.created else 200, answer)


@router.post("/jobs/validate", response=Json, summary="Check a job without storing anything")
def validate(request: HttpRequest, body: SubmitBody) -> Json:
    """``{"valid": true}``, or the refusal that submit would give."""
    work.validate(_request(body, None), caller=caller(request), now=clock.now())
    return {"valid": True}


@router.get("/jobs", response=Json, summary="List jobs, newest first")
def listing(
    request: HttpRequest,
    state: str = "",
    kind: str = "",
    site: str = "",
    q: str = "",
    after: str = "",
    limit: Limit = 50,
) -> Json:
    """A page of jobs; what it names as next goes into after."""
    asking = lookups.reader(request)
    if state and state not in State.__members__.values():
        raise InvalidInput("state", f"There is no such state; known: {', '.join(State)}.")
    if kind:
        workflows.action(kind)
    if site:
        lookups.known_site(asking, site)
    if after and _JOB_ID.fullmatch(after) is None:
        raise InvalidInput("after", "Give what the page before named as next.")
    found = lists.jobs(
        asking.within("read"), state=state, kind=kind, site=site, q=q, after=after, limit=limit
    )
    return shapes.page(map(shapes.job, found.items), found.next)


@router.get("/jobs/{job_id}", response=Json, summary="Read a job")
def read(
    request: HttpRequest, job_id: str, wait: Annotated[int, Query(ge=0, le=LONGEST_WAIT)] = 0
) -> Json:
    """The job. With ``wait`` the answer comes when it moves, needs a person, ends, or time is up."""
    job = lookups.job(request, job_id, to_read=True)
    if wait and not _rests(job) and _waiting.acquire(blocking=False):
        try:
            job = _awaited(job, wait)
        finally:
            _waiting.release()
    request_for = selectors.approval_of(job)
    conflict = engine.open_conflict(job)
    return shapes.whole_job(
        job,
        approval_id=request_for.pk if request_for else None,
        conflict_id=conflict.pk if conflict else None,
        reverts=reverts_of(job),
    )


def _rests(job: Any) -> bool:
    return State(job.state) in TERMINAL | PEOPLES


def _awaited(job: Any, seconds: int) -> Any:
    end = time.monotonic() + seconds
    pause = threading.Event()
    seen = job.event_seq
    while job.event_seq == seen and time.monotonic() < end:
        pause.wait(_LOOK_EVERY)
        job.refresh_from_db()
    return job


@router.get("/jobs/{job_id}/events", response=Json, summary="Read a job's history")
def events(request: HttpRequest, job_id: str, after: Cursor = 0, limit: Limit = 100) -> Json:
    """Events in order; what a page names as next goes into after."""
    job = lookups.job(request, job_id, to_read=True)
    found = engine.events(job, after=after, limit=limit)
    following = str(found[-1].seq) if len(found) == limit else None
    return shapes.page(map(shapes.event, found), following)


@router.get("/jobs/{job_id}/approval", response=Json, summary="Read what is asked about a job")
def approval(request: HttpRequest, job_id: str) -> Json:
    """The newest request for approval, with envelope, findings, parts and links."""
    found = selectors.approval_of(lookups.job(request, job_id, to_read=True))
    if found is None:
        raise NotFound("This job has not asked for approval yet.")
    return whole(found)


def whole(found: Any) -> Json:
    """A request with all that a reviewer reads; the files are those of its own revision."""
    proposal = selectors.proposal_of(found)
    return shapes.whole_approval(
        found,
        decisions=selectors.decisions_of(found),
        findings=engine.findings(found.job, revision=found.revision),
        files=proposal.files if proposal else (),
    )


@router.get("/jobs/{job_id}/artifacts/{sha256}", summary="Download bytes that belong to a job")
def artifact(request: HttpRequest, job_id: str, sha256: str) -> HttpResponse:
    """The bytes, as an attachment. Bytes of other jobs are not found, whoever knows their hash."""
    job = lookups.job(request, job_id, to_read=True)
    match = _HASH.fullmatch(sha256)
    name = f"sha256:{match[1]}" if match else ""
    if name not in selectors.artifacts_of(job):
        raise NotFound("This job has no such artifact.")
    try:
        data = artifacts.load(name)
    except ArtifactDamaged:
        raise NotFound("These bytes are no longer stored.") from None
    response = HttpResponse(data, content_type="application/octet-stream")
    response["Content-Disposition"] = f'attachment; filename="{name[7:23]}.bin"'
    response["X-Content-Type-Options"] = "nosniff"
    response["Cache-Control"] = "private, max-age=31536000, immutable"
    return response
