"""Retries: jitter within its bounds, budgets, and what each failure asks for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from publisher.domain import errors
from publisher.domain.retries import (
    DEFAULT_LIMITS,
    Budget,
    FailureClass,
    backoff_seconds,
    classify,
)


@given(attempt=st.integers(0, 10**9), chance=st.floats(0, 1, exclude_max=True))
def test_a_wait_is_never_negative_and_never_over_the_cap(attempt: int, chance: float) -> None:
    assert 0 <= backoff_seconds(attempt, random=lambda: chance) <= 300


@pytest.mark.parametrize(
    ("attempt", "longest"), [(1, 2), (2, 4), (3, 8), (7, 128), (8, 256), (9, 300), (500, 300)]
)
def test_the_longest_wait_doubles_until_the_cap(attempt: int, longest: int) -> None:
    assert backoff_seconds(attempt, random=lambda: 1.0) == longest


def test_the_jitter_is_full_and_starts_at_zero() -> None:
    assert backoff_seconds(5, random=lambda: 0.0) == 0
    assert backoff_seconds(5, random=lambda: 0.5) == 16


def test_base_and_cap_can_be_set() -> None:
    assert backoff_seconds(3, base=1, cap=3, random=lambda: 1.0) == 3


def test_a_budget_is_used_up_after_its_last_try() -> None:
    budget = Budget(limit=2)
    assert (budget.left, budget.is_used_up) == (2, False)
    spent = budget.spend().spend()
    assert (spent.used, spent.left, spent.is_used_up) == (2, 0, True)


def test_an_overdrawn_budget_has_nothing_left() -> None:
    assert Budget(limit=2, used=7).left == 0


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (errors.RemoteUnreachable("x"), FailureClass.RETRYABLE),
        (errors.RemoteMoved("x"), FailureClass.RETRYABLE),
        (errors.ProviderError("x"), FailureClass.RETRYABLE),
        (errors.RemoteRefused("x", text="busy", permanent=False), FailureClass.RETRYABLE),
        (errors.OutcomeUnknown("x"), FailureClass.NEEDS_RECONCILIATION),
        (errors.OutcomeUnknown("x", permanent=True), FailureClass.NEEDS_RECONCILIATION),
        (errors.RemoteRefused("x", text="no"), FailureClass.NEEDS_HUMAN),
        (errors.CredentialsRefused("x"), FailureClass.NEEDS_HUMAN),
        (errors.BranchGone("x"), FailureClass.NEEDS_HUMAN),
        (errors.RepositoryUnsafe("x"), FailureClass.NEEDS_HUMAN),
        (errors.ProviderError("x", permanent=True), FailureClass.NEEDS_HUMAN),
        (errors.ArtifactDamaged("x"), FailureClass.NEEDS_HUMAN),
        (errors.InvalidInput("title", "x"), FailureClass.NEEDS_HUMAN),
        (errors.NotAuthorised("expired", "x"), FailureClass.NEEDS_HUMAN),
    ],
    ids=lambda value: type(value).__name__,
)
def test_each_failure_asks_for_the_right_thing(
    error: errors.ImprimaturError, expected: FailureClass
) -> None:
    assert classify(error) is expected


def test_a_lease_outlives_two_missed_heartbeats() -> None:
    assert DEFAULT_LIMITS.lease_seconds >= 3 * DEFAULT_LIMITS.heartbeat_seconds
