"""Addresses whose views name a right, name none, or are open."""

from django.http import HttpRequest, HttpResponse
from django.urls import path

from reviews.permissions import needs, public


def silent(request: HttpRequest) -> HttpResponse:
    """Names nothing."""
    return HttpResponse("silent")


@needs("read")
def reading(request: HttpRequest) -> HttpResponse:
    """Needs a right."""
    return HttpResponse("reading")


@needs("login")
def seated(request: HttpRequest) -> HttpResponse:
    """Needs an account."""
    return HttpResponse("seated")


@public
def open_to_all(request: HttpRequest) -> HttpResponse:
    """Needs nothing."""
    return HttpResponse("open")


urlpatterns = [
    path("silent", silent),
    path("reading", reading),
    path("seated", seated),
    path("open", open_to_all),
]
