"""Fixtures for all rings: the services that a machine may or may not have."""

import gc
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from django.db import connections
from django.utils import translation
from hypothesis import HealthCheck, settings

from publisher import seal_file
from tests.support import databases, postgres, redis
from tests.support.services import missing

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# How long a machine takes to draw and to run an example says nothing about the code.
settings.register_profile("any", deadline=None, suppress_health_check=[HealthCheck.too_slow])
# What a random search finds belongs to the change that is being made, not to the one that lands.
settings.register_profile("ci", settings.get_profile("any"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") == "true" else "any")

CHROMIUM_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


SELDOM = (50_000, 20, 50)
"""After how many new objects Python looks for cycles; its own count took two fifths of the collection."""
USES_A_DATABASE = {"db", "transactional_db", "database", "new_database"}


def pytest_configure(config: pytest.Config) -> None:
    """The mark by which the second half is chosen; nobody sets it by hand."""
    config.addinivalue_line("markers", "on_both: uses the database that its half runs on.")
    gc.set_threshold(*SELDOM)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Find what runs on both databases, and keep tests that share a module's fixture together."""
    for item in items:
        if item.get_closest_marker("django_db") or USES_A_DATABASE & set(fixtures_of(item)):
            item.add_marker("on_both")
        # Most such fixtures start many processes.
        # Races mostly wait, so they are spread.
        if item.get_closest_marker("xdist_group") or item.path.parent.name == "races":
            continue
        known = fixtures_of(item)
        shared = sorted(name for name, found in known.items() if found[-1].scope == "module")
        if shared:
            item.add_marker(pytest.mark.xdist_group(f"{item.path.name}:{shared[0]}"))


def pytest_collection_finish() -> None:
    """What is there now stays: nobody needs to look through thousands of tests for garbage."""
    gc.freeze()


def fixtures_of(item: pytest.Item) -> dict[str, Any]:
    """All that it asks for, also by way of others."""
    found: dict[str, Any] = getattr(item, "_fixtureinfo").name2fixturedefs  # noqa: B009
    return found


@pytest.fixture(autouse=True)
def _seals_of_this_test_alone() -> Iterator[None]:
    """A test's rows go with it, and so do the seals that lie beside them in the data folder."""
    yield
    (Path(os.environ["IMPRIMATUR_DATA_DIR"]) / seal_file.NAME).unlink(missing_ok=True)


@pytest.fixture(autouse=True)
def _language_of_this_test_alone() -> Iterator[None]:
    """A page leaves its language switched on for its thread, where the next request sets its own."""
    yield
    translation.deactivate()


@pytest.fixture(scope="session")
def postgres_dsn() -> Iterator[str]:
    """The address of a private PostgreSQL; the suite's own when it already runs on one."""
    current = os.environ.get("DATABASE_URL", "")
    if current.startswith("postgres"):
        yield current
        return
    if postgres.find_binaries() is None:
        missing("PostgreSQL", package="postgresql")
    with postgres.running_server() as dsn:
        yield dsn


@pytest.fixture
def database() -> Iterator[str]:
    """A new database for an installation of the test's own; no address on SQLite."""
    with databases.fresh() as url:
        yield url


@pytest.fixture(scope="session")
def new_database() -> Iterator[Callable[[], str]]:
    """The same for what the tests of a module share; each call makes one."""
    with ExitStack() as made:
        yield lambda: made.enter_context(databases.fresh())


@pytest.fixture(scope="session")
def redis_url() -> Iterator[str]:
    """The address of a private Redis."""
    if redis.find_binary() is None:
        missing("Redis", package="redis-server")
    with redis.running_server() as url:
        yield url


@pytest.fixture(scope="session")
def browser() -> "Iterator[Browser]":
    """A headless Chromium from the system's packages."""
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        missing("Chromium", package="chromium")
    # Playwright's loop runs in this thread; Django would refuse the ORM beside it.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"
    playwright = pytest.importorskip("playwright.sync_api", exc_type=ImportError)
    with playwright.sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=path, args=CHROMIUM_FLAGS)
        yield chromium
        # Beside the loop Django had connections of its own, which nobody finds again after it.
        connections.close_all()
        chromium.close()
    del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]
