"""Fixtures of the pages' ring: rows in every situation, and somebody at the browser."""

from collections.abc import Callable

import pytest
from django.core.cache import cache
from django.test import Client

from reviews.models import Principal
from tests.support import page_rows
from tests.support.page_rows import Rows

Login = Callable[[str], Client]


@pytest.fixture(autouse=True)
def _forgetful_cache() -> None:
    cache.clear()


@pytest.fixture
def rows(db: None) -> Rows:
    """A job in each situation, and everybody."""
    return page_rows.everything()


@pytest.fixture
def at() -> Login:
    """A client that is logged in as somebody."""

    def login(name: str) -> Client:
        client = Client()
        user = Principal.objects.get(name=name).user
        assert user is not None
        client.force_login(user)
        return client

    return login
