"""NUL: nothing that holds one goes on, for pages and API alike; no database could look it up."""

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponseBase
from django.utils.translation import gettext as _

from publisher.domain.errors import InvalidInput
from reviews.api.middleware import ROOT
from reviews.views import errors

NUL = "\x00"


class NoNul:
    """An address with a NUL leads nowhere; a form with one comes back, its text without it.

    Bodies of the API are no forms: their models name the field themselves (``reviews.api.bodies``).
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Refuse an address that holds one; below ``/api/`` the 404 becomes a problem document."""
        query = request.META.get("QUERY_STRING", "")
        if NUL in request.path or "%00" in query or NUL in query:
            return errors.not_found(request)
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, view: Callable[..., Any], args: Any, kwargs: Any
    ) -> HttpResponseBase | None:
        """Refuse a form that holds one: only here, after its token was looked at."""
        if request.method != "POST" or request.path.startswith(ROOT):
            return None
        for name, values in request.POST.lists():
            if NUL in name or any(NUL in str(value) for value in values):
                text = _(
                    "The field %(name)s holds a NUL character, which nobody can see. Nothing was "
                    "done. Below is your text without it; send that."
                )
                message = text % {"name": name.replace(NUL, "")}
                return errors.refused(request, InvalidInput(name, message))
        return None
