"""Session ends: a login is over 12 hours after it, and 30 minutes after its last use."""

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.contrib.auth.signals import user_logged_in
from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone
from django.utils.functional import SimpleLazyObject

IDLE_SECONDS = 30 * 60
NOTED_EVERY = 60
"""Seconds: more often, no answer carries the time of the last use."""
BEGAN = "login_began"


class SessionEnds:
    """Whose time is over is nobody: the login page comes, and a form goes along through it.

    The last use is kept in a signed cookie, so that no page writes to the database for it. What an
    open page asks by itself is no use of it: a browser that was left open would else stay logged in
    for all of the twelve hours. Nothing is looked at until somebody asks who is logged in.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer, with the time of this use where the last one noted is a minute ago."""
        known, noted = request.user, list[tuple[int, str | None]]()
        request.user = SimpleLazyObject(lambda: _in_time(request, known, noted))  # type: ignore[assignment]
        response = self.get_response(request)
        if noted and "HX-Request" not in request.headers and _is_to_note(request, *noted[0]):
            response.set_signed_cookie(
                _name(), str(_now()), salt=_salt(request), max_age=IDLE_SECONDS, httponly=True,
                secure=settings.SESSION_COOKIE_SECURE, samesite="Lax",
            )  # fmt: skip
        return response


def _is_to_note(request: HttpRequest, used: int, name: str | None) -> bool:
    """Whether the last use is a minute ago, or the session got another name, as with a password."""
    is_due = request.session.session_key != name or _now() - used >= NOTED_EVERY
    return is_due and bool(request.session.get(BEGAN))


def _in_time(request: HttpRequest, known: Any, noted: list[tuple[int, str | None]]) -> Any:
    """Who is logged in, as long as that holds; ``noted`` then gets the last use and the session."""
    if not known.is_authenticated:
        return known
    now, began = _now(), request.session.get(BEGAN, 0)
    cookie = request.get_signed_cookie(_name(), "", salt=_salt(request))
    used = max(began, int(cookie or 0))
    if now - began > settings.SESSION_COOKIE_AGE or now - used > IDLE_SECONDS:
        return AnonymousUser()
    noted.append((used, request.session.session_key))
    return known


def _name() -> str:
    return f"{settings.SESSION_COOKIE_NAME}_used"


def _salt(request: HttpRequest) -> str:
    return f"used {request.session.session_key}"


def _now() -> int:
    # This machine's time, as Django keeps the rows of sessions by: no question for each page.
    return int(timezone.now().timestamp())


def _began(request: HttpRequest, **_: Any) -> None:
    if BEGAN in request.session:
        # Its time may have been over: whoever still holds its old name gets nothing from this.
        request.session.cycle_key()
    request.session[BEGAN] = _now()


user_logged_in.connect(_began, dispatch_uid="reviews.session_ends")
