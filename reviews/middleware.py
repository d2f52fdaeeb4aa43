"""Default deny: a view that names neither a right nor that it is public is not served at all."""

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseForbidden

from reviews import interrupted

OWN_RULES = ("admin", "api")
"""Namespaces that guard each of their addresses themselves: django-admin and the HTTP API."""

OPEN_NAMES = frozenset({"set_language"})
"""Views of Django that anybody may use."""


class DefaultDeny:
    """Looks at each view before it runs; see ``permissions.needs`` and ``permissions.public``."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Pass the request on; the decision falls once the view is known."""
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, view: Callable[..., Any], args: Any, kwargs: Any
    ) -> HttpResponseBase | None:
        """Refuse what names no right; send to the login what needs one."""
        match = request.resolver_match
        if match is not None:
            guarded = bool(match.namespaces) and match.namespaces[0] in OWN_RULES
            static = request.path.startswith(settings.STATIC_URL)
            if guarded or static or match.view_name in OPEN_NAMES:
                return None
        right = getattr(view, "right", None)
        if right == "":
            return None
        if not request.user.is_authenticated:
            if "HX-Request" in request.headers:
                # A part of a page would take the login's whole page for itself.
                return HttpResponse(status=401)
            kept = interrupted.of(request)
            if kept:
                return interrupted.to_login(request, kept)
            return redirect_to_login(request.get_full_path())
        if right is None:
            return HttpResponseForbidden("This address names no permission, so it is closed.")
        return None
