"""Fixtures of the people's ring: everybody, and a job that waits for their answer."""

import pytest
from django.core.cache import cache

from publisher import clock
from publisher.models import Job
from tests.support import jobs, people


@pytest.fixture(autouse=True)
def _forgetful_cache() -> None:
    cache.clear()


@pytest.fixture
def everybody(db: None) -> people.People:
    """Ada, Rui, Mei, Omar, Zoe and a program."""
    return people.everybody()


@pytest.fixture
def job(everybody: people.People) -> Job:
    """Ada's job, prepared and open for decisions."""
    return jobs.waiting(now=clock.now())
