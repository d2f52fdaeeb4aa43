"""Session ends: a login is over 12 hours after it, and 30 minutes after its last use."""

from collections.abc import Callable
from typing import Any

from django.contrib.auth import logout
from django.contrib.auth.signals import user_logged_in
from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone

LONGEST_SECONDS = 12 * 3600
"""Also what the settings give the cookie and the row of a session."""
IDLE_SECONDS = 30 * 60
NOTED_EVERY = 60
"""Seconds: a page more often read than that writes no row for each look."""
BEGAN, USED = "login_began", "login_used"


class SessionEnds:
    """Logs out whose time is over, before a view is asked; a form that came goes through the login.

    What an open page asks by itself is no use of it: a browser that was left open would else stay
    logged in for all of the twelve hours.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Look at the times of whoever is logged in by a session."""
        if request.user.is_authenticated:
            now = _now()
            began, used = (request.session.get(name, 0) for name in (BEGAN, USED))
            if now - began > LONGEST_SECONDS or now - used > IDLE_SECONDS:
                logout(request)
            elif now - used >= NOTED_EVERY and "HX-Request" not in request.headers:
                request.session[USED] = now
        return self.get_response(request)


def _now() -> int:
    # This machine's time, as Django keeps the rows of sessions by: no question for each page.
    return int(timezone.now().timestamp())


def _began(request: HttpRequest, **_: Any) -> None:
    request.session[BEGAN] = request.session[USED] = _now()


user_logged_in.connect(_began, dispatch_uid="reviews.session_ends")
