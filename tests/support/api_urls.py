"""Addresses for tests of the API and of health alone, wherever the pages put them."""

from django.contrib import admin
from django.urls import include, path

from reviews.api import health

urlpatterns = [
    path("admin/", admin.site.urls),
    path("api/v1/", include("reviews.api.urls")),
    path("healthz", health.healthz),
    path("readyz", health.readyz),
    path("metrics", health.metrics),
]
