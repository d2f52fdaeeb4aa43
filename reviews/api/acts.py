"""Acts on a job: edit, new inputs, cancel, retry, skip, override, take back, record, publish anyway."""

from typing import Any

from django.http import HttpRequest
from ninja import Router, Status

from publisher import clock
from reviews.api import lookups
from reviews.api.auth import caller
from reviews.api.bodies import DraftBody, OverrideBody, ReasonBody, RevisionBody
from reviews.api.jobs import sources_of
from reviews.api.shapes import Json
from reviews.services import work

router = Router(tags=["acts"])


def _answer(job: Any) -> Json:
    return {
        "id": job.pk,
        "job_id": job.pk,
        "state": job.state,
        "revision": job.revision,
        "binding_hash": job.binding_hash or None,
    }


@router.put("/jobs/{job_id}/draft", response=Json, summary="Save an edited draft")
def draft(request: HttpRequest, job_id: str, body: DraftBody) -> Json:
    """A new revision, or the same one when nothing changed. 409 ``stale`` for an older base.

    A job that has no path yet takes that of its article: the only file, or ``target_path``.
    """
    job = lookups.job(request, job_id)
    before = job.revision
    files = work.by_path((file.path, file.content.encode()) for file in body.files)
    edited = work.edit(
        job,
        files=files,
        base_revision=body.base_revision,
        caller=caller(request),
        now=clock.now(),
        place=work.Place(body.target_path or "", body.action or ""),
    )
    return {**_answer(edited), "changed": edited.revision != before}


@router.post("/jobs/{job_id}/revisions", response={201: Json}, summary="Give other sources")
def revisions(request: HttpRequest, job_id: str, body: RevisionBody) -> Status[Json]:
    """A new revision, drafted from these sources."""
    job = lookups.job(request, job_id)
    sources = sources_of(body)
    given = work.give_inputs(job, sources=sources, caller=caller(request), now=clock.now())
    return Status(201, _answer(given))


@router.post("/jobs/{job_id}/cancel", response=Json, summary="Cancel a job")
def cancel(request: HttpRequest, job_id: str, body: ReasonBody | None = None) -> Json:
    """Stops the job for good; 409 ``too_late`` once its text may be on its way."""
    job = lookups.job(request, job_id)
    reason = body.reason if body else ""
    return _answer(work.cancel(job, caller=caller(request), now=clock.now(), reason=reason))


@router.post("/jobs/{job_id}/retry", response=Json, summary="Try a job again")
def retry(request: HttpRequest, job_id: str) -> Json:
    """Now, for a job that waits; with a new budget, for one that failed."""
    job = lookups.job(request, job_id)
    return _answer(work.retry(job, caller=caller(request), now=clock.now()))


@router.post("/jobs/{job_id}/skip", response=Json, summary="Give a job up")
def skip(request: HttpRequest, job_id: str, body: ReasonBody) -> Json:
    """Ends a job that waits for people; a reason is needed."""
    job = lookups.job(request, job_id)
    return _answer(work.skip(job, caller=caller(request), now=clock.now(), reason=body.reason))


@router.post("/jobs/{job_id}/override", response=Json, summary="Overrule a finding")
def override(request: HttpRequest, job_id: str, body: OverrideBody) -> Json:
    """The job goes on when no blocking finding is left."""
    job = lookups.job(request, job_id)
    overruled = work.override(
        job,
        finding_id=body.finding,
        caller=caller(request),
        now=clock.now(),
        reason=body.reason,
    )
    return _answer(overruled)


@router.post("/jobs/{job_id}/ask-again", response=Json, summary="Ask for approval again")
def ask_again(request: HttpRequest, job_id: str) -> Json:
    """For a job whose time to be decided ran out, or whose findings were overruled."""
    job = lookups.job(request, job_id)
    return _answer(work.ask_again(job, caller=caller(request), now=clock.now()))


@router.post(
    "/jobs/{job_id}/revert", response={200: Json, 201: Json}, summary="Take a publication back"
)
def revert(request: HttpRequest, job_id: str) -> Status[Json]:
    """201 with a new, linked job, which needs its own approval; 200 with the one still open."""
    job = lookups.job(request, job_id)
    done = work.revert(job, caller=caller(request), now=clock.now())
    answer = {**_answer(done.job), "created": done.created, "reverts": job.pk}
    return Status(201 if done.created else 200, answer)


@router.post(
    "/jobs/{job_id}/record-published", response={202: Json}, summary="Record a publication"
)
def record_published(request: HttpRequest, job_id: str, body: ReasonBody) -> Status[Json]:
    """For a job in review, after a restored backup: a worker looks at the remote.

    The job becomes PUBLISHED when its commit is there, byte for byte; else the history says what
    was looked at.
    """
    job = lookups.job(request, job_id)
    work.record_published(job, caller=caller(request), now=clock.now(), reason=body.reason)
    return Status(202, {**_answer(job), "status": "queued"})


@router.post(
    "/jobs/{job_id}/publish-anyway", response={200: Json, 201: Json}, summary="Appeal a skip"
)
def publish_anyway(request: HttpRequest, job_id: str) -> Status[Json]:
    """201 with a new, linked job, which needs its own approval; 200 with the one still open."""
    job = lookups.job(request, job_id)
    done = work.publish_anyway(job, caller=caller(request), now=clock.now())
    answer = {**_answer(done.job), "created": done.created, "appeals": job.pk}
    return Status(201 if done.created else 200, answer)
