"""Problems: every refusal of the API as RFC 9457 problem+json, with a code that never changes."""

from collections.abc import Mapping
from http import HTTPStatus
from json import JSONDecodeError
from typing import Any

from django.core.exceptions import RequestDataTooBig
from django.db import OperationalError
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from ninja import NinjaAPI
from ninja.errors import HttpError, ValidationError

from publisher.domain import errors
from publisher.storage import is_full

MEDIA_TYPE = "application/problem+json"
RETRY_SECONDS = 2

STATUS: tuple[tuple[type[errors.ImprimaturError], int], ...] = (
    (errors.KeyRequired, 400),
    (errors.HashRequired, 400),
    (errors.TooLarge, 413),
    (errors.InvalidInput, 422),
    (errors.NotFound, 404),
    (errors.NotAllowed, 403),
    (errors.TooManyTries, 429),
    (errors.Clash, 409),
    (errors.Expired, 410),
    (errors.StaleWorker, 409),
    (errors.IllegalMove, 409),
    (errors.NotAuthorised, 409),
    (errors.AdapterError, 503),
)
"""Situation -> HTTP status; the first class that fits counts."""

CODES = {
    400: "bad_request",
    401: "not_authenticated",
    403: "not_allowed",
    404: "not_found",
    405: "method_not_allowed",
    413: "too_large",
    415: "unsupported_media_type",
    422: "invalid",
    429: "too_many_requests",
    503: "busy",
    507: "disk_full",
}


def problem(
    status: int,
    *,
    code: str = "",
    detail: str = "",
    facts: Mapping[str, Any] | None = None,
    headers: Mapping[str, str] | None = None,
) -> HttpResponse:
    """One problem document. ``code`` is for programs, ``detail`` for people."""
    body = {
        **(facts or {}),
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "code": code or CODES.get(status, "error"),
        "detail": detail or HTTPStatus(status).description or HTTPStatus(status).phrase,
    }
    response = JsonResponse(body, status=status, content_type=MEDIA_TYPE)
    for name, value in (headers or {}).items():
        response[name] = value
    return response


def status_of(error: errors.ImprimaturError) -> int:
    """The HTTP status of a situation; 500 for what is a fault of ours."""
    return next((status for kind, status in STATUS if isinstance(error, kind)), 500)


def busy() -> HttpResponse:
    """The database is busy: nothing was done, try again shortly."""
    return problem(
        503,
        detail="The database is busy. Nothing was changed; try again shortly.",
        headers={"Retry-After": str(RETRY_SECONDS)},
    )


def full() -> HttpResponse:
    """There is no room left: nothing was done, and a person has to make some."""
    return problem(507, detail="The disk is full. Nothing was changed; make room and try again.")


def too_large() -> HttpResponse:
    """The request's body is over the limit."""
    return problem(413, detail="The request is over 16 MiB.")


def install(api: NinjaAPI) -> None:
    """Teach the API to answer with problems only."""
    api.add_exception_handler(errors.ImprimaturError, _situation)
    api.add_exception_handler(ValidationError, _invalid)
    api.add_exception_handler(HttpError, _http)
    api.add_exception_handler(Http404, lambda request, error: problem(404))
    api.add_exception_handler(RequestDataTooBig, lambda request, error: too_large())
    api.add_exception_handler(OperationalError, _database)
    api.add_exception_handler(OSError, _system)


def _situation(request: HttpRequest, error: Any) -> HttpResponse:
    status = status_of(error)
    headers = {"Retry-After": str(RETRY_SECONDS)} if status == 503 else None
    if isinstance(error, errors.TooManyTries):
        headers = {"Retry-After": str(error.retry_seconds)}
    if isinstance(error, errors.StaleWorker | errors.IllegalMove):
        detail = "The job moved on meanwhile. Look again."
        return problem(409, code="wrong_state", detail=detail)
    return problem(
        status, code=error.code, detail=error.message, facts=error.facts, headers=headers
    )


def _invalid(request: HttpRequest, error: Any) -> HttpResponse:
    if all(tuple(entry["loc"]) == ("body", "body") for entry in error.errors):
        detail = "Send one JSON object as the request's body; /api/v1/docs lists its fields."
        found = [{"field": "body", "message": detail}]
        return problem(422, detail=f"body: {detail}", facts={"field": "body", "errors": found})
    found = [
        {
            "field": ".".join(str(part) for part in entry["loc"][1:] if part != "body"),
            "message": entry["msg"].removeprefix("Value error, "),
        }
        for entry in error.errors
    ]
    first = found[0] if found else {"field": "", "message": ""}
    detail = f"{first['field']}: {first['message']}".strip(": ")
    return problem(422, detail=detail, facts={"field": first["field"], "errors": found})


def _http(request: HttpRequest, error: Any) -> HttpResponse:
    if isinstance(error.__cause__, errors.InvalidInput):
        return _situation(request, error.__cause__)  # a body that says one thing twice
    if isinstance(broken := error.__cause__, JSONDecodeError):
        where = f"line {broken.lineno}, column {broken.colno}"
        detail = f"The body is no JSON: {broken.msg} at {where}."
        return problem(error.status_code, detail=detail)
    if isinstance(error.__cause__, UnicodeDecodeError):
        return problem(error.status_code, detail="The body is no JSON: it is not in UTF-8.")
    return problem(error.status_code, detail=str(error))


def _database(request: HttpRequest, error: Any) -> HttpResponse:
    """Locked or out of connections: 503. Anything else of that class is as passing."""
    return full() if is_full(error) else busy()


def _system(request: HttpRequest, error: Any) -> HttpResponse:
    """A full disk; anything else is a fault of ours."""
    if not is_full(error):
        raise error
    return full()
