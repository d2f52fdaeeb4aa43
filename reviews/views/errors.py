"""Errors: every refusal becomes a page that says what happened and the way on, in this one place."""

import uuid
from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.db import OperationalError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from publisher.domain import errors
from publisher.storage import is_full
from reviews import interrupted
from reviews.presenters import envelope, said
from reviews.views.navigation import frame

STATUS: tuple[tuple[type[errors.ImprimaturError], int], ...] = (
    (errors.NotFound, 404),
    (errors.NotAllowed, 403),
    (errors.TooManyTries, 429),
    (errors.TooLarge, 413),
    (errors.HashRequired, 400),
    (errors.InvalidInput, 400),
    (errors.Clash, 409),
    (errors.Expired, 410),
    (errors.ArtifactDamaged, 500),
)


def status_of(refusal: errors.ImprimaturError) -> int:
    """The HTTP status of a refusal."""
    return next((status for kind, status in STATUS if isinstance(refusal, kind)), 500)


def refused(request: HttpRequest, refusal: errors.ImprimaturError) -> HttpResponse:
    """A refusal as a page, with what differs, what was typed, and where to go."""
    status = status_of(refusal)
    context = {
        "message": said.in_words(refusal.message),
        "code": refusal.code,
        "changes": envelope.changes(refusal.facts.get("differences") or []),
        "others": refusal.facts.get("others") or [],
        "kept": interrupted.typed(request),
        "back": back_of(request),
    }
    return page(request, status, context)


def out_of_order(request: HttpRequest, trouble: OperationalError | OSError) -> HttpResponse:
    """A busy database or a full disk: say so, and lose nothing that was typed. Raises any other."""
    context = {"kept": interrupted.typed(request), "back": back_of(request)}
    if is_full(trouble):
        return page(request, 507, context, with_frame=False)
    said_so = str(trouble).lower()
    if isinstance(trouble, OSError) or not ("locked" in said_so or "timeout" in said_so):
        raise trouble
    response = page(request, 503, context, with_frame=False)
    response["Retry-After"] = "2"
    return response


def back_of(request: HttpRequest) -> str:
    """The page that a form was on: the address above the act's."""
    parts = [part for part in request.path.split("/") if part]
    if request.method == "POST" and len(parts) > 2:
        return "/" + "/".join(parts[:2]) + "/"
    return ""


def page(
    request: HttpRequest, status: int, context: Mapping[str, Any], *, with_frame: bool = True
) -> HttpResponse:
    """One of the error templates."""
    values = {**(frame(request) if with_frame else {"links": []}), **context, "status": status}
    return render(request, f"errors/{status}.html", values, status=status)


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """Django's own refusals of a request; one that is too large says the limit."""
    if isinstance(exception, RequestDataTooBig):
        limit = settings.DATA_UPLOAD_MAX_MEMORY_SIZE // (1024 * 1024)
        return page(request, 413, {"limit": limit}, with_frame=False)
    return page(request, 400, {}, with_frame=False)


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """An address that leads nowhere."""
    return page(request, 404, {})


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """No right to this."""
    return page(request, 403, {})


def csrf_failed(request: HttpRequest, reason: str = "") -> HttpResponse:
    """A form whose token is of another login: nothing is done, and the text is handed back."""
    values = {
        "links": [],
        "status": 403,
        "kept": interrupted.typed(request),
        "back": back_of(request),
    }
    return render(request, "403_csrf.html", values, status=403)


def locked_out(
    request: HttpRequest, original: HttpResponse | None = None, credentials: Any = None
) -> HttpResponse:
    """Too many wrong passwords; a form that came through this login is handed back."""
    texts = interrupted.resumed(request).get("texts", [])
    context = {"links": [], "kept": texts}
    return render(request, "registration/locked.html", context, status=429)


def broken(request: HttpRequest) -> HttpResponse:
    """A fault of ours: an id to tell, nothing else, and nothing that could fail again."""
    return render(None, "errors/500.html", {"reference": uuid.uuid4().hex[:8]}, status=500)
