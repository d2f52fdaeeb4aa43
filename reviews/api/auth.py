"""Who calls the API: a bearer token, or a browser session with its CSRF token; no token in a cookie."""

from typing import Any

from django.core.cache import cache
from django.http import HttpRequest
from ninja.errors import HttpError
from ninja.security.base import AuthBase
from ninja.utils import check_csrf

from publisher import clock
from publisher.clients import client_address
from publisher.domain.errors import NotAllowed
from reviews.permissions import API, Caller, caller_of
from reviews.services import tokens

MOST_BAD_TOKENS = 20
FORGET_SECONDS = 300


class BearerOrSession(AuthBase):
    """Gives the request its caller. A bad token is a refusal, even with a good session beside it."""

    openapi_type = "http"
    openapi_scheme = "bearer"

    def __call__(self, request: HttpRequest) -> Caller | None:
        """The caller, or None for 401."""
        return authenticate(request)


def authenticate(request: HttpRequest) -> Caller | None:
    """The caller of this request; None without valid credentials. 403 for a missing CSRF token."""
    header = request.headers.get("Authorization", "")
    if header:
        return _by_token(request, header)
    if not request.user.is_authenticated:
        return None
    if check_csrf(request) is not None:
        raise HttpError(403, "The CSRF token is missing or wrong.")
    try:
        seated = caller_of(request)
    except NotAllowed:
        return None
    found = Caller(seated.principal, API)
    request.caller = found  # type: ignore[attr-defined]
    return found


def _by_token(request: HttpRequest, header: str) -> Caller | None:
    scheme, _, secret = header.partition(" ")
    found = None
    if scheme.lower() == "bearer":
        found = tokens.caller_for(secret.strip(), now=clock.now())
    if found is None:
        _count(f"bad-tokens:{client_address(request)}")
        return None
    request.caller = found  # type: ignore[attr-defined]
    return found


def _count(key: str) -> None:
    """Count a wrong token; too many are answered otherwise, while good ones of that address pass."""
    if cache.get(key, 0) >= MOST_BAD_TOKENS:
        raise HttpError(429, "Too many wrong tokens came from this address. Wait five minutes.")
    cache.add(key, 0, FORGET_SECONDS)
    try:
        cache.incr(key)
    except ValueError:
        cache.set(key, 1, FORGET_SECONDS)


def caller(request: HttpRequest) -> Caller:
    """The caller that authentication found."""
    found: Any = getattr(request, "auth", None)
    if not isinstance(found, Caller):
        raise NotAllowed("Log in or send a token.")
    return found
