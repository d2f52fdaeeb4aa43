"""verify makes no breach of what workers and sweeps write while it reads."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import connection

from publisher.engine.audit import published as audit
from publisher.models import Job
from tests.support.journey import FRESH, FRESH_TEXT, Journey
from tests.support.planted import write


@pytest.fixture
def published(journey: Journey) -> Job:
    """A published job of a healthy installation."""
    return journey.published(FRESH_TEXT, FRESH, action="create")


@contextmanager
def before_question(number: int, act: Callable[[], object]) -> Iterator[None]:
    """Somebody else writes right before the database is asked for the so-many-eth time."""
    asked = 0

    def wrapper(execute: Any, *question: Any) -> Any:
        nonlocal asked
        asked += 1
        if asked == number:
            act()
        return execute(*question)

    with connection.execute_wrapper(wrapper):
        yield


@pytest.mark.parametrize("number", range(1, 4))
def test_a_push_that_is_confirmed_between_two_questions(
    journey: Journey, published: Job, number: int
) -> None:
    commit = published.remote_commit
    write("UPDATE publisher_job SET state = 'PUSHING', remote_commit = ''")
    write("UPDATE publisher_effect SET status = 'intent'")

    def confirm() -> None:
        write("UPDATE publisher_effect SET status = 'confirmed'")
        write("UPDATE publisher_job SET state = 'PUBLISHED', remote_commit = %s", commit)

    repository = journey.repository()
    comparison = audit._Comparison(journey.site, repository, deep=False)
    repository.each_commit(repository.fetch(), comparison.see)
    with before_question(number, confirm):
        comparison.compare()
    assert comparison.breaches == []
    assert Job.objects.get().state == "PUBLISHED"
