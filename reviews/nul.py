"""NUL: nothing that holds one goes on, for pages and API alike; no database could look it up."""

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.translation import gettext as _

from publisher.domain.errors import InvalidInput
from reviews.api.middleware import ROOT
from reviews.api.problems import problem
from reviews.views import errors

NUL = "\x00"


class NoNul:
    """An address with a NUL leads nowhere; a form with one comes back, its text without it.

    Bodies of the API are no forms: their models name the field themselves (``reviews.api.bodies``).
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Refuse an address that holds one; below ``/api/`` by the parameter's name where it has one."""
        query = request.META.get("QUERY_STRING", "")
        if NUL in request.path or "%00" in query or NUL in query:
            if NUL not in request.path and request.path.startswith(ROOT):
                return _named(request)
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


def _named(request: HttpRequest) -> HttpResponse:
    """The API names the parameter, as it names a body's field."""
    values = request.GET.lists()
    field = next((name for name, given in values if any(NUL in one for one in given)), "")
    detail = "must not hold a NUL character"
    facts = {"field": field, "errors": [{"field": field, "message": detail}]}
    return problem(422, detail=f"{field}: {detail}".strip(": "), facts=facts)
