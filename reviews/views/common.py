"""Common: what every view shares. Rights, the reader's time zone, one place for refusals, the frame."""

import hashlib
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

from django.db import OperationalError
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseNotAllowed
from django.shortcuts import render
from django.utils import timezone

from publisher import spoiled
from publisher.domain.errors import ImprimaturError
from reviews.permissions import needs, public
from reviews.views import errors, preferences
from reviews.views.navigation import frame

View = Callable[..., HttpResponseBase]

__all__ = ["SHOWN", "after_of", "mark_of", "needs_right", "open_to_all", "show"]
METHODS = ("GET", "HEAD", "POST")
"""All that browsers ask of pages; a view would take any other for a GET."""
SHOWN = 100
"""How many rows a page of a list shows."""


def needs_right(right: str) -> Callable[[View], View]:
    """Name the right that a page needs, and answer every refusal in one place."""

    def decorate(view: View) -> View:
        return _guarded(needs(right)(view), right)

    return decorate


def open_to_all(view: View) -> View:
    """A page for everybody, with the same care for refusals."""
    return public(_guarded(view, ""))


def _guarded(view: View, right: str) -> View:
    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if request.method not in METHODS:
            return HttpResponseNotAllowed(METHODS)
        with timezone.override(preferences.zone_of(request)), spoiled.left_out() as unread:
            request.left_out = unread  # type: ignore[attr-defined]
            try:
                return view(request, *args, **kwargs)
            except ImprimaturError as refusal:
                return errors.refused(request, refusal)
            except (OperationalError, OSError) as trouble:
                return errors.out_of_order(request, trouble)

    guarded.right = right  # type: ignore[attr-defined]
    return guarded


def show(
    request: HttpRequest,
    template: str,
    context: Mapping[str, Any] | None = None,
    *,
    status: int = 200,
) -> HttpResponse:
    """A page in its frame. ``now`` is asked for once, so that all times on it agree."""
    values = {**frame(request), **(context or {})}
    values["left_out"] = len(getattr(request, "left_out", ()))
    response = render(request, template, values, status=status)
    response["Cache-Control"] = "no-store, private"
    return response


def mark_of(*facts: object) -> str:
    """Changes with what a live part of a page tells, and with nothing else; fits into its address."""
    return hashlib.sha256(repr(facts).encode()).hexdigest()[:16]


def after_of(request: HttpRequest) -> int:
    """The row after which a page of a list begins; 0 where the address names none."""
    after = request.GET.get("after", "")
    return int(after) if after.isdecimal() and len(after) < 19 else 0
