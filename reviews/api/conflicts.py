"""Conflicts: read the three versions, and settle them on exactly the two that were shown."""

from django.http import HttpRequest
from ninja import Router

from publisher import clock
from reviews import lists
from reviews.api import conflict_shapes, lookups, shapes
from reviews.api.auth import caller
from reviews.api.bodies import ReasonBody, ResolutionBody
from reviews.api.lookups import Cursor, Limit
from reviews.api.shapes import Json
from reviews.services import work

router = Router(tags=["conflicts"])


@router.get("/conflicts", response=Json, summary="List open conflicts, oldest first")
def listing(request: HttpRequest, after: Cursor = 0, limit: Limit = 50) -> Json:
    """A page of open ones within reach; what it names as next goes into after."""
    found = lists.conflicts(lookups.reader(request), after=after, limit=limit)
    return shapes.page(map(conflict_shapes.conflict, found.items), found.next)


@router.get("/conflicts/{int:conflict_id}", response=Json, summary="Read a conflict")
def read(request: HttpRequest, conflict_id: int) -> Json:
    """The conflict with base, ours and theirs of each file."""
    return conflict_shapes.whole_conflict(lookups.conflict(request, conflict_id, to_read=True))


@router.post("/conflicts/{int:conflict_id}/resolution", response=Json, summary="Settle a conflict")
def resolution(request: HttpRequest, conflict_id: int, body: ResolutionBody) -> Json:
    """A new revision, which is checked and approved again. 409 moved on other versions."""
    choices = [
        work.Choice(
            path=file.path,
            choice=file.choice,
            content=None if file.content is None else file.content.encode(),
            new_path=file.new_path,
        )
        for file in body.files
    ]
    job = work.settle(
        lookups.conflict(request, conflict_id),
        files=choices,
        ours_sha256=body.ours_sha256,
        theirs_sha256=body.theirs_sha256,
        caller=caller(request),
        now=clock.now(),
    )
    return {"id": conflict_id, "job_id": job.pk, "state": job.state, "revision": job.revision}


@router.post("/conflicts/{int:conflict_id}/give-up", response=Json, summary="Publish nothing")
def give_up(request: HttpRequest, conflict_id: int, body: ReasonBody) -> Json:
    """Leaves the site as it is; a reason is needed."""
    found = lookups.conflict(request, conflict_id)
    job = work.give_up(found, caller=caller(request), now=clock.now(), reason=body.reason)
    return {"id": conflict_id, "job_id": job.pk, "state": job.state}
