"""Preferences: the reader's time zone, kept in a cookie as Django keeps the language."""

from functools import cache
from zoneinfo import ZoneInfo, available_timezones

from django.conf import settings
from django.http import HttpRequest, HttpResponse

COOKIE = "imprimatur_timezone"
KEPT_SECONDS = 365 * 24 * 3600


def known_zones() -> list[str]:
    """Names of places, as the system knows them."""
    areas = ("Africa/", "America/", "Asia/", "Atlantic/", "Australia/", "Europe/", "Pacific/")
    return ["UTC", *sorted(name for name in _zones() if name.startswith(areas))]


def zone_of(request: HttpRequest) -> ZoneInfo:
    """The zone of the reader; the installation's own for an unknown one."""
    name = request.COOKIES.get(COOKIE, "")
    return ZoneInfo(name if name in _zones() else settings.TIME_ZONE)


@cache
def _zones() -> frozenset[str]:
    """Looked for in the system's folders once: doing so for each page took a sixth of its time."""
    return frozenset(available_timezones())


def keep_zone(response: HttpResponse, name: str) -> None:
    """Remember the zone."""
    response.set_cookie(
        COOKIE,
        name,
        max_age=KEPT_SECONDS,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )
