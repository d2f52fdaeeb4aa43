"""What the API's addresses answer before and around their views: sizes, and no page of HTML ever."""

from collections.abc import Callable

from django.db import OperationalError
from django.http import HttpRequest, HttpResponseBase

from publisher.request_bodies import is_too_large
from reviews.api.problems import MEDIA_TYPE, busy, problem, too_large

ROOT = "/api/"
_JSON = ("application/json", MEDIA_TYPE)


class ApiProblems:
    """Turns whatever an address below ``/api/`` refuses into problem+json."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Refuse what is too large; rewrite refusals that are no JSON."""
        if not request.path.startswith(ROOT):
            return self.get_response(request)
        if is_too_large(request):
            return too_large()
        response = self.get_response(request)
        kind = response.headers.get("Content-Type", "")
        if response.status_code >= 400 and not kind.startswith(_JSON):
            kept = {name: response.headers[name] for name in ("Allow",) if name in response.headers}
            return problem(response.status_code, headers=kept)
        return response

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponseBase | None:
        """A busy database outside of the API's own handler (at the login check, for example)."""
        if request.path.startswith(ROOT) and isinstance(error, OperationalError):
            return busy()
        return None
