"""Sites, policies and outside writes: what an operator's program reads."""

from django.http import HttpRequest
from ninja import Router, Status

from publisher import clock
from publisher import selectors as engine
from reviews import selectors
from reviews.api import lookups, shapes
from reviews.api.auth import caller
from reviews.api.shapes import Json
from reviews.services import work

router = Router(tags=["sites"])


@router.get("/sites", response=Json, summary="List sites")
def sites(request: HttpRequest) -> Json:
    """All sites of the caller's scopes."""
    asking = lookups.reader(request)
    found = [
        row for row in engine.sites(scopes=asking.scopes) if asking.may("read", row.scope, row)
    ]
    return shapes.page(map(shapes.site, found), None)


@router.get("/sites/{name}", response=Json, summary="Read a site")
def site(request: HttpRequest, name: str) -> Json:
    """One site with its head, its last fetch and what is wrong."""
    return shapes.site(lookups.site(request, name, to_read=True))


@router.post("/sites/{name}/check", response={202: Json}, summary="Ask for a check of a site")
def check(request: HttpRequest, name: str) -> Status[Json]:
    """A worker tries what delivery needs; the result appears in ``check_report``."""
    found = lookups.site(request, name)
    work.look_at_site(found, caller=caller(request), now=clock.now())
    return Status(202, {"id": found.pk, "status": "queued"})


@router.get("/policies", response=Json, summary="List the rules of approval")
def policies(request: HttpRequest) -> Json:
    """The newest version of each policy in the caller's scopes."""
    asking = lookups.reader(request)
    return shapes.page(map(shapes.policy, selectors.policies_for(asking)), None)


@router.get("/effects", response=Json, summary="List outside writes whose outcome is open")
def effects(request: HttpRequest) -> Json:
    """Oldest first."""
    asking = lookups.reader(request)
    found = lookups.within_reach(asking, engine.open_effects(scopes=asking.scopes))
    return shapes.page(map(shapes.effect, found), None)
