"""The API's addresses, for the page author to include at ``/api/v1/``."""

from django.urls import path

from reviews.api.docs import docs
from reviews.api.root import api

urlpatterns = [
    path("docs", docs, name="api_docs"),
    path("", api.urls),
]
