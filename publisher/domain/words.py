"""Words: each state in the nine words that programs of other harnesses know."""

from publisher.domain.states import State

PART_C_WORDS = {
    State.RECEIVED: "queued",
    State.READY_TO_COMMIT: "queued",
    State.READY_TO_DISPATCH: "queued",
    State.PREPARING: "running",
    State.LOCAL_COMMITTING: "running",
    State.LOCAL_COMMITTED: "running",
    State.RECOVERING: "running",
    State.RECHECK_CANDIDATES: "running",
    State.PUSHING: "running",
    State.DISPATCHING: "running",
    State.RETRY_WAIT: "retry_wait",
    State.WAITING_APPROVAL: "waiting_approval",
    State.REVIEW: "waiting_approval",
    State.CONFLICT: "waiting_approval",
    State.PUBLISHED: "succeeded",
    State.SKIPPED: "succeeded",
    State.REJECTED: "failed",
    State.FAILED: "failed",
    State.RECONCILING: "reconciling",
    State.EFFECT_CONFIRMED: "effect_confirmed",
    State.CANCELLED: "cancelled",
}
"""``inspect`` also prints these nine words."""
