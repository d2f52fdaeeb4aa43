"""The API object: one version, one way in, one shape of refusal."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from ninja import NinjaAPI
from ninja.errors import AuthenticationError
from ninja.parser import Parser

from publisher.domain import documents
from reviews.api import acts, approvals, conflicts, jobs, parameters, problems, sites, topics
from reviews.api.auth import BearerOrSession


class EachKeyOnce(Parser):
    """JSON would keep the last of two values alone, and nobody would know which was meant."""

    def parse_body(self, request: HttpRequest) -> Any:
        """The body's value; InvalidInput names a key that stands twice."""
        return documents.parse(request.body, name="The body")


api = NinjaAPI(
    title="Imprimatur",
    version="1",
    description=(
        "Submit what shall be published, read what is asked, decide by hash. "
        "Refusals are application/problem+json (RFC 9457) with a stable `code`."
    ),
    urls_namespace="api",
    docs_url=None,
    openapi_url="/openapi.json",
    auth=BearerOrSession(),
    parser=EachKeyOnce(),
)
problems.install(api)
api.add_decorator(parameters.closed)


@api.exception_handler(AuthenticationError)
def _not_authenticated(request: HttpRequest, error: AuthenticationError) -> HttpResponse:
    """401, and how to do better."""
    return problems.problem(
        401,
        detail="Send a valid token as Authorization: Bearer, or log in.",
        headers={"WWW-Authenticate": 'Bearer realm="imprimatur"'},
    )


for _router in (
    jobs.router, topics.router, acts.router, approvals.router, conflicts.router, sites.router,
):  # fmt: skip
    api.add_router("", _router)
