"""Look-ups: rows within the caller's reach. What is out of reach is not found."""

from typing import Annotated, Any

from django.http import HttpRequest
from ninja import Query

from publisher import selectors as engine
from publisher.domain.errors import NotFound
from reviews import lists, selectors
from reviews.api.auth import caller
from reviews.models import Role
from reviews.permissions import Caller, require_somewhere

Limit = Annotated[int, Query(ge=1, le=200)]
"""How many rows a page of a list may have."""
Cursor = Annotated[int, Query(ge=0, le=2**63 - 1)]
"""Where a page begins that is ordered by number."""


def reader(request: HttpRequest) -> Caller:
    """The caller, who may read something."""
    found = caller(request)
    require_somewhere(found, "read")
    return found


def job(request: HttpRequest, job_id: str, *, to_read: bool = False) -> Any:
    """A job that the caller has any role for. With ``to_read`` the token must allow reading, too."""
    asking = reader(request) if to_read else caller(request)
    found = engine.job(job_id, scopes=asking.scopes)
    if not _reaches(asking, found):
        raise NotFound(f"There is no job {job_id} that you may see.")
    return found


def approval(request: HttpRequest, approval_id: int, *, to_read: bool = False) -> Any:
    """A request for approval whose job is within reach."""
    asking = reader(request) if to_read else caller(request)
    found = selectors.approval(approval_id, scopes=asking.scopes)
    if not _reaches(asking, found.job):
        raise NotFound("There is no such approval that you may see.")
    return found


def conflict(request: HttpRequest, conflict_id: int, *, to_read: bool = False) -> Any:
    """A conflict whose job is within reach."""
    asking = reader(request) if to_read else caller(request)
    found = engine.conflict(conflict_id, scopes=asking.scopes)
    if not _reaches(asking, found.job):
        raise NotFound("There is no such conflict that you may see.")
    return found


def site(request: HttpRequest, name: str, *, to_read: bool = False) -> Any:
    """A site that the caller has any role for; a role for one site says nothing of the others."""
    asking = reader(request) if to_read else caller(request)
    found = engine.site(name, scopes=asking.scopes)
    if not any(asking.has(role, found.scope, found) for role in Role):
        raise NotFound(f"There is no site {name} that you may see.")
    return found


def known_site(asking: Caller, name: str) -> None:
    """NotFound unless a site within reach is called so, be it removed; nobody learns of others."""
    if not lists.has_site(asking, name):
        raise NotFound(f"There is no site {name} that you may see.", field="site")


def _reaches(asking: Caller, found: Any) -> bool:
    return any(
        held.scope == found.scope and held.site_id in (None, found.site_id)
        for held in asking.memberships
    )
