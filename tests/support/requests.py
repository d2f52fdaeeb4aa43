"""Calls to the API as somebody, in JSON."""

from typing import Any

from django.http import HttpResponse
from django.test import Client

from tests.support.people import token

ALL = ("submit", "read", "decide", "operate")


class As:
    """A program with a token of this person (or agent)."""

    def __init__(self, name: str, *allow: str) -> None:
        self.headers = {"Authorization": f"Bearer {token(name, *(allow or ALL))}"}
        self.client = Client()

    def get(self, path: str, **query: Any) -> Any:
        """GET below /api/v1."""
        return self.client.get(f"/api/v1{path}", query, headers=self.headers)

    def post(self, path: str, body: Any = None, **headers: str) -> Any:
        """POST below /api/v1."""
        return self._send("post", path, body, headers)

    def put(self, path: str, body: Any) -> Any:
        """PUT below /api/v1."""
        return self._send("put", path, body, {})

    def _send(self, method: str, path: str, body: Any, headers: dict[str, str]) -> Any:
        send = getattr(self.client, method)
        response: HttpResponse = send(
            f"/api/v1{path}",
            {} if body is None else body,
            content_type="application/json",
            headers={**self.headers, **headers},
        )
        return response
