"""The clock: moments by the database, lengths of time by the machine."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from publisher.adapters.clock import DatabaseClock
from publisher.ports import Clock
from tests.support.clock import ManualClock


@pytest.mark.django_db
def test_the_databases_time_is_aware_and_about_now() -> None:
    clock: Clock = DatabaseClock()
    assert clock.now().utcoffset() == timedelta(0)
    assert abs(clock.now() - datetime.now(UTC)) < timedelta(minutes=1)


def test_lengths_of_time_never_run_backwards() -> None:
    clock = DatabaseClock()
    assert clock.monotonic() <= clock.monotonic()


def test_the_tests_clock_moves_by_hand_alone() -> None:
    clock: Clock = (manual := ManualClock())
    before = clock.now()
    assert clock.now() == before
    manual.advance(5)
    assert clock.now() - before == timedelta(seconds=5)
    assert clock.monotonic() == 5


@pytest.mark.django_db
def test_the_database_is_asked_once_a_second_at_most(
    monkeypatch: pytest.MonkeyPatch, django_assert_num_queries: Any
) -> None:
    counter = [100.0]
    monkeypatch.setattr("publisher.adapters.clock.time.clock_gettime", lambda _: counter[0])
    clock = DatabaseClock()
    with django_assert_num_queries(1):
        first = clock.now()
        counter[0] += 0.75
        assert clock.now() == first + timedelta(seconds=0.75)
    with django_assert_num_queries(1):
        counter[0] += 0.25
        clock.now()
