"""Sites, policies and outside writes: what an operator's program reads."""

from django.http import HttpRequest
from ninja import Router, Status

from publisher import clock
from reviews import lists, trials
from reviews.api import lookups, shapes
from reviews.api.auth import caller
from reviews.api.bodies import TrialBody
from reviews.api.lookups import Cursor, Limit
from reviews.api.shapes import Json
from reviews.services import policy_trial, work

router = Router(tags=["sites"])


@router.get("/sites", response=Json, summary="List sites")
def sites(request: HttpRequest, after: str = "", limit: Limit = 50) -> Json:
    """A page of the sites within reach, by name; what it names as next goes into after."""
    found = lists.sites(lookups.reader(request), after=after, limit=limit)
    return shapes.page(map(shapes.site, found.items), found.next)


@router.get("/sites/{name}", response=Json, summary="Read a site")
def site(request: HttpRequest, name: str) -> Json:
    """One site with its head, its last fetch and what is wrong."""
    return shapes.site(lookups.site(request, name, to_read=True))


@router.post("/sites/{name}/check", response={202: Json}, summary="Ask for a check of a site")
def check(request: HttpRequest, name: str) -> Status[Json]:
    """A worker tries what delivery needs; the result appears in check_report."""
    found = lookups.site(request, name)
    work.look_at_site(found, caller=caller(request), now=clock.now())
    return Status(202, {"id": found.pk, "status": "queued"})


@router.get("/policies", response=Json, summary="List the rules of approval")
def policies(request: HttpRequest, after: str = "", limit: Limit = 50) -> Json:
    """The newest version of each policy within reach; what a page names as next goes into after."""
    found = lists.policies(lookups.reader(request), after=after, limit=limit)
    return shapes.page(map(shapes.policy, found.items), found.next)


@router.post("/policies/dry-run", response=Json, summary="Try out a change of the rules")
def dry_run(request: HttpRequest, body: TrialBody) -> Json:
    """What the change would do to the open requests within reach; nothing is stored."""
    asking = lookups.reader(request)
    site = lookups.site(request, body.site, to_read=True) if body.site else None
    trial = policy_trial.run(
        caller=asking,
        scope=site.scope if site else body.scope,
        site=site,
        action=body.action,
        rules=body.rules,
    )
    return trials.as_json(trial)


@router.get("/effects", response=Json, summary="List outside writes whose outcome is open")
def effects(request: HttpRequest, after: Cursor = 0, limit: Limit = 50) -> Json:
    """A page of them, oldest first; what it names as next goes into after."""
    found = lists.effects(lookups.reader(request), after=after, limit=limit)
    return shapes.page(map(shapes.effect, found.items), found.next)
