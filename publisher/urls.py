"""The root of all addresses; the people's pages join when that app is installed."""

from importlib.util import find_spec

from django.apps import apps
from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path

urlpatterns: list[URLPattern | URLResolver] = [
    path("admin/", admin.site.urls),
    path("i18n/", include("django.conf.urls.i18n")),
]

if apps.is_installed("reviews") and find_spec("reviews.urls") is not None:
    urlpatterns.append(path("", include("reviews.urls")))
    # Refusals that no view makes get a page with the way on, too.
    handler400 = "reviews.views.errors.bad_request"
    handler403 = "reviews.views.errors.forbidden"
    handler404 = "reviews.views.errors.not_found"
    handler500 = "reviews.views.errors.broken"
