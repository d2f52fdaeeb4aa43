"""One thread renews the leases of a worker's jobs; each is lost on its own."""

import threading
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import DatabaseError

from publisher import leases, nodes
from publisher.domain.errors import StaleWorker
from publisher.journal import Lease
from publisher.processes.lease_heartbeat import MISSES, renewing
from tests.support.waiting import until

FIRST, SECOND = Lease("job-1", "here:1", 1), Lease("job-2", "here:1", 4)


def now() -> datetime:
    return datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def renewed(monkeypatch: pytest.MonkeyPatch) -> Callable[[dict[str, Exception]], Counter[str]]:
    """Count renewals by job; those that are named fail."""

    def watch(failing: dict[str, Exception]) -> Counter[str]:
        counts: Counter[str] = Counter()

        def renew(lease: Lease, **_: Any) -> None:
            counts[lease.job_id] += 1
            if lease.job_id in failing:
                raise failing[lease.job_id]

        monkeypatch.setattr(leases, "renew", renew)
        monkeypatch.setattr(nodes, "show_life", lambda *_: None)
        return counts

    return watch


def threads() -> int:
    return sum(thread.name == "lease-heartbeat" for thread in threading.enumerate())


def test_one_thread_renews_the_leases_that_join(renewed: Any) -> None:
    counts = renewed({})
    with renewing(FIRST, seconds=0.03, now=now) as beat:
        other = beat.also(SECOND)
        until(lambda: min(counts["job-1"], counts["job-2"]) > 1, seconds=20, what="renewals")
        assert threads() == 1
        assert (beat.lost, other.lost) == (False, False)
    assert threads() == 0


def test_a_lease_that_is_lost_leaves_the_others_renewed(renewed: Any) -> None:
    counts = renewed({"job-1": StaleWorker("taken")})
    with renewing(FIRST, seconds=0.03, now=now) as beat:
        other = beat.also(SECOND)
        until(lambda: counts["job-2"] > 2, seconds=20, what="renewals of the second")
        assert (beat.lost, other.lost) == (True, False)
    assert counts["job-1"] == 1


def test_a_database_that_refuses_some_renewals_loses_that_lease(renewed: Any) -> None:
    counts = renewed({"job-2": DatabaseError("busy")})
    with renewing(FIRST, seconds=0.03, now=now) as beat:
        other = beat.also(SECOND)
        until(lambda: other.lost, seconds=20, what="the loss")
        assert not beat.lost
    assert counts["job-2"] == MISSES
