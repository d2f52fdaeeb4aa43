"""Retries: how long to wait, how often to try, what a failure asks for, and the default limits."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from publisher.domain.errors import (
    AdapterError,
    BranchGone,
    CredentialsRefused,
    ImprimaturError,
    OutcomeUnknown,
    RepositoryUnsafe,
)


class FailureClass(StrEnum):
    """What a failure asks for; only the first retries by itself."""

    RETRYABLE = "RETRYABLE"
    NEEDS_RECONCILIATION = "NEEDS_RECONCILIATION"
    NEEDS_HUMAN = "NEEDS_HUMAN"


_STOPS = (CredentialsRefused, BranchGone, RepositoryUnsafe)
"""Nothing passing: trying again can lock an account, recreate a branch or use a damaged clone."""


def classify(error: ImprimaturError) -> FailureClass:
    """Whether to try again, to look outside first, or to ask a person.

    Whatever is not known to pass by itself is for a person: an endless retry hides the trouble.
    """
    if isinstance(error, OutcomeUnknown):
        return FailureClass.NEEDS_RECONCILIATION
    if not isinstance(error, AdapterError) or isinstance(error, _STOPS) or error.permanent:
        return FailureClass.NEEDS_HUMAN
    return FailureClass.RETRYABLE


def backoff_seconds(
    attempt: int, *, base: float = 2.0, cap: float = 300.0, random: Callable[[], float]
) -> float:
    """Full jitter: from 0 up to ``base`` doubled per attempt (the first is 1), at most ``cap``.

    ``random`` gives a number in [0, 1). Spreading over the whole span keeps jobs that failed
    together from coming back together.
    """
    # Past 2**60 any base is over the cap, and a float would overflow in the end.
    doublings = min(max(attempt - 1, 0), 60)
    return random() * min(cap, base * 2.0**doublings)


@dataclass(frozen=True, slots=True)
class Budget:
    """How many tries a phase has, and how many are used."""

    limit: int
    used: int = 0

    @property
    def left(self) -> int:
        """Tries that remain, never below 0."""
        return max(self.limit - self.used, 0)

    @property
    def is_used_up(self) -> bool:
        """No try remains."""
        return self.left == 0

    def spend(self) -> "Budget":
        """The budget after one more try."""
        return Budget(limit=self.limit, used=self.used + 1)


_MIB = 1024 * 1024
_HOUR = 3600
_DAY = 24 * _HOUR


@dataclass(frozen=True, slots=True)
class Limits:
    """The defaults that a site or an action may change. Times in seconds, sizes in bytes."""

    lease_seconds: int = 90
    heartbeat_seconds: int = 30
    prepare_attempts: int = 5
    push_attempts: int = 8
    dispatch_attempts: int = 5
    backoff_base_seconds: float = 2.0
    backoff_cap_seconds: float = 300.0
    prepare_deadline_seconds: int = 600
    deliver_deadline_seconds: int = _HOUR
    approval_validity_seconds: int = _DAY
    wait_window_seconds: int = 7 * _DAY
    hold_seconds: int = 0
    risky_hold_seconds: int = 30
    probe_seconds: int = _HOUR
    sweep_seconds: int = 300
    due_seconds: int = 10
    quiet_seconds: int = 300
    text_bytes: int = 5 * _MIB
    asset_bytes: int = 10 * _MIB
    assets: int = 20
    request_bytes: int = 16 * _MIB
    rendered_bytes: int = 512 * 1024


DEFAULT_LIMITS = Limits()
