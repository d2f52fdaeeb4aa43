"""Reach: rows that the caller has a role for. What is out of reach is not found."""

from collections.abc import Iterable
from typing import Any

from django.http import HttpRequest

from publisher import selectors as engine
from publisher.domain.errors import NotFound
from reviews import selectors
from reviews.permissions import Caller, caller_of


def job(request: HttpRequest, job_id: str) -> Any:
    """A job within reach."""
    caller = caller_of(request)
    found = engine.job(job_id, scopes=caller.scopes)
    return _reached(caller, found, found)


def approval(request: HttpRequest, approval_id: int) -> Any:
    """A request for approval whose job is within reach."""
    caller = caller_of(request)
    found = selectors.approval(approval_id, scopes=caller.scopes)
    return _reached(caller, found, found.job)


def conflict(request: HttpRequest, conflict_id: int) -> Any:
    """A conflict whose job is within reach."""
    caller = caller_of(request)
    found = engine.conflict(conflict_id, scopes=caller.scopes)
    return _reached(caller, found, found.job)


def site(request: HttpRequest, name: str) -> Any:
    """A site within reach."""
    caller = caller_of(request)
    found = engine.site(name, scopes=caller.scopes)
    if not caller.may("read", found.scope, found):
        raise NotFound(f"There is no site {name} that you may see.")
    return found


def sites(caller: Caller) -> list[Any]:
    """All sites within reach."""
    return [row for row in engine.sites(scopes=caller.scopes) if caller.may("read", row.scope, row)]


def within(caller: Caller, rows: Iterable[Any]) -> list[Any]:
    """Those rows (jobs, or rows of one) that the caller may read."""
    jobs = [(row, getattr(row, "job", row)) for row in rows]
    return [row for row, job in jobs if caller.may("read", job.scope, job.site)]


def _reached(caller: Caller, found: Any, job: Any) -> Any:
    if not caller.may("read", job.scope, job.site):
        raise NotFound("There is nothing here that you may see.")
    return found
