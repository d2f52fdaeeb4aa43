"""Proofs: when whoever is at a page or sends a request last showed the password."""

from datetime import UTC, datetime

from django.http import HttpRequest

from reviews.permissions import Caller
from reviews.services import reauthentication
from reviews.session_ends import BEGAN

PROVED = "password_proved"


def of(request: HttpRequest, caller: Caller, password: str, *, now: datetime) -> datetime | None:
    """When; with a password now, and a login remembers that. InvalidInput for a wrong one.

    A token was made long before its use, so whoever shows one has to send the password, too.
    """
    if password:
        proved = reauthentication.prove(caller.principal, password, now=now, request=request)
        if caller.allow is None:
            request.session[PROVED] = int(proved.timestamp())
        return proved
    return None if caller.allow is not None else known(request)


def known(request: HttpRequest) -> datetime | None:
    """When the one who is logged in last showed it: at the login, or since."""
    last = max(int(request.session.get(name, 0)) for name in (BEGAN, PROVED))
    return datetime.fromtimestamp(last, UTC) if last else None
