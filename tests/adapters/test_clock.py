"""The clock: moments by the database, lengths of time by the machine."""

from datetime import UTC, datetime, timedelta

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
