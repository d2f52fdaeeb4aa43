"""The state machine: states, events, actors, lanes and the one table of legal moves."""

from dataclasses import dataclass
from enum import StrEnum


class Lane(StrEnum):
    """How a job ends: a push to a git remote, or a call to an outside service."""

    PUBLISH = "publish"
    REPORT = "report"


class Actor(StrEnum):
    """Who may raise a move."""

    WORKER = "worker"
    RECONCILE = "reconcile"
    CLOCK = "clock"
    REVIEWER = "reviewer"
    SUBMITTER = "submitter"
    OPERATOR = "operator"


class State(StrEnum):
    """Where a job is. Each says who moves it on."""

    RECEIVED = "RECEIVED"  # a durable row; a worker claims it
    PREPARING = "PREPARING"  # a worker writes and checks the draft
    WAITING_APPROVAL = "WAITING_APPROVAL"  # people decide about one exact envelope
    REVIEW = "REVIEW"  # people settle what a gate or the remote refused
    READY_TO_COMMIT = "READY_TO_COMMIT"  # approved; a worker commits
    READY_TO_DISPATCH = "READY_TO_DISPATCH"  # approved; a worker calls the service
    RECHECK_CANDIDATES = "RECHECK_CANDIDATES"  # new articles arrived; the judge looks once
    LOCAL_COMMITTING = "LOCAL_COMMITTING"  # a worker builds the commit
    LOCAL_COMMITTED = "LOCAL_COMMITTED"  # the commit exists here and nowhere else
    RECOVERING = "RECOVERING"  # a commit's outcome is unknown; it is looked for
    PUSHING = "PUSHING"  # the fence was passed; only looking outside tells what happened
    DISPATCHING = "DISPATCHING"  # the same in the report lane
    RECONCILING = "RECONCILING"  # the outcome is unknown; probes and people look for it
    RETRY_WAIT = "RETRY_WAIT"  # something passing went wrong; goes on by itself
    CONFLICT = "CONFLICT"  # people join what cannot be joined safely
    SKIPPED = "SKIPPED"
    REJECTED = "REJECTED"
    PUBLISHED = "PUBLISHED"
    EFFECT_CONFIRMED = "EFFECT_CONFIRMED"
    FAILED = "FAILED"
    CANCELLED = "CANCELLED"


class Event(StrEnum):
    """What happened; the verb of a move."""

    SUBMIT = "submit"
    PREPARE = "prepare"
    SKIP = "skip"
    BLOCK = "block"
    ASK = "ask"
    APPROVE = "approve"
    REJECT = "reject"
    REQUEST_CHANGES = "request_changes"
    EXPIRE = "expire"
    MEMORY_CHANGED = "memory_changed"
    REVISE = "revise"
    OVERRIDE = "override"
    ASK_AGAIN = "ask_again"
    RESTORE = "restore"
    GIVE_UP = "give_up"
    COMMIT = "commit"
    COMMITTED = "committed"
    LOSE_SIGHT = "lose_sight"
    RECOVER = "recover"
    RECHECK = "recheck"
    KEEP = "keep"
    CLASH = "clash"
    FOUND_UPSTREAM = "found_upstream"
    DELIVER = "deliver"
    CONFIRM = "confirm"
    REFUSE = "refuse"
    DISPATCH = "dispatch"
    RECEIPT = "receipt"
    DOUBT = "doubt"
    READ_BACK = "read_back"
    ALLOW_RETRY = "allow_retry"
    CLOSE = "close"
    WAIT = "wait"
    RESUME = "resume"
    VOID = "void"
    FAIL = "fail"
    RETRY = "retry"
    RESOLVE = "resolve"
    CANCEL = "cancel"


TERMINAL = frozenset(
    {
        State.SKIPPED, State.REJECTED, State.PUBLISHED, State.EFFECT_CONFIRMED, State.FAILED,
        State.CANCELLED,
    }
)  # fmt: skip
"""States in which nothing is due; FAILED may still be probed, retried or found published."""

WORKING = frozenset(
    {
        State.PREPARING, State.READY_TO_COMMIT, State.READY_TO_DISPATCH, State.LOCAL_COMMITTING,
        State.LOCAL_COMMITTED, State.RECHECK_CANDIDATES, State.RECOVERING, State.PUSHING,
    }
)  # fmt: skip
"""The worker's states: each may wait for a retry, or fail when its budget is used up."""

CLAIMABLE = WORKING | {State.RECEIVED, State.DISPATCHING, State.RETRY_WAIT}
"""States in which a worker finds something to do once the job is due and free."""

PEOPLES = frozenset({State.WAITING_APPROVAL, State.REVIEW, State.CONFLICT, State.RECONCILING})
"""States in which a person is asked."""

MAY_HOLD_INTENT = frozenset(
    {State.PUSHING, State.DISPATCHING, State.RECONCILING, State.RETRY_WAIT, State.FAILED}
)
"""Only these may hold an effect whose outcome is open."""

DELIVERY = frozenset(
    {State.READY_TO_COMMIT, State.LOCAL_COMMITTED, State.PUSHING, State.RETRY_WAIT}
)


@dataclass(frozen=True, slots=True)
class Move:
    """One row of the table; ``source`` is None for the start."""

    source: State | None
    event: Event
    target: State
    actors: frozenset[Actor]
    lanes: frozenset[Lane]
    when: str


_W, _R, _C = Actor.WORKER, Actor.RECONCILE, Actor.CLOCK
_P, _S, _O = Actor.REVIEWER, Actor.SUBMITTER, Actor.OPERATOR
_BOTH = frozenset(Lane)
_PUBLISH = frozenset({Lane.PUBLISH})
_REPORT = frozenset({Lane.REPORT})
_READY = frozenset({State.READY_TO_COMMIT, State.READY_TO_DISPATCH})
_LANE_OF = dict.fromkeys(
    (
        State.READY_TO_COMMIT, State.RECHECK_CANDIDATES, State.LOCAL_COMMITTING,
        State.LOCAL_COMMITTED, State.RECOVERING, State.PUSHING, State.CONFLICT,
    ),
    _PUBLISH,
) | dict.fromkeys(
    (State.READY_TO_DISPATCH, State.DISPATCHING, State.RECONCILING, State.EFFECT_CONFIRMED),
    _REPORT,
)  # fmt: skip


def _moves(
    sources: State | frozenset[State] | None,
    event: Event,
    targets: State | frozenset[State],
    actors: tuple[Actor, ...],
    when: str,
) -> list[Move]:
    # In the order of definition: a set's own order changes from run to run.
    froms = [s for s in State if s in sources] if isinstance(sources, frozenset) else [sources]
    tos = [t for t in State if t in targets] if isinstance(targets, frozenset) else [targets]
    rows = []
    for source in froms:
        for target in tos:
            lanes = _BOTH & _LANE_OF.get(target, _BOTH)
            if source is not None:
                lanes &= _LANE_OF.get(source, _BOTH)
            if lanes:
                rows.append(Move(source, event, target, frozenset(actors), lanes, when))
    return rows


def _set(*states: State) -> frozenset[State]:
    return frozenset(states)


S, E = State, Event

_FRONT = [
    _moves(None, E.SUBMIT, S.RECEIVED, (_S, _O), "a durable row was written"),
    _moves(S.RECEIVED, E.PREPARE, S.PREPARING, (_W,), "claimed"),
    _moves(S.PREPARING, E.SKIP, S.SKIPPED, (_W,), "judged a duplicate, or nothing to publish"),
    _moves(S.PREPARING, E.BLOCK, S.REVIEW, (_W,), "a gate, the provider, memory or the workspace"),
    _moves(S.PREPARING, E.ASK, S.WAITING_APPROVAL, (_W,), "gates passed, envelope written"),
    _moves(
        _set(S.PREPARING, S.WAITING_APPROVAL), E.APPROVE, _READY, (_W,),
        "an approval of this very binding hash holds, or the policy needs none",
    ),
    _moves(S.WAITING_APPROVAL, E.APPROVE, _READY, (_P,), "quorum met on this binding hash"),
    _moves(S.WAITING_APPROVAL, E.REJECT, S.REJECTED, (_P,), "final for this job"),
    _moves(S.WAITING_APPROVAL, E.REQUEST_CHANGES, S.REVIEW, (_P,), "changes requested"),
    _moves(S.WAITING_APPROVAL, E.EXPIRE, S.REVIEW, (_C,), "the wait window is over"),
    _moves(S.WAITING_APPROVAL, E.MEMORY_CHANGED, S.REVIEW, (_C,), "memory changed or expired"),
    _moves(S.WAITING_APPROVAL, E.REVISE, S.RECEIVED, (_P, _S), "edited: a new revision"),
    _moves(S.REVIEW, E.REVISE, S.RECEIVED, (_P, _S, _O), "a new revision"),
    _moves(S.REVIEW, E.OVERRIDE, S.RECEIVED, (_O, _P), "goes on from its checkpoint"),
    _moves(S.REVIEW, E.ASK_AGAIN, S.WAITING_APPROVAL, (_O, _P, _S), "complete and overridden"),
    _moves(S.REVIEW, E.RESTORE, S.PUBLISHED, (_O,), "verified on the remote after a restore"),
    _moves(_set(S.REVIEW, S.CONFLICT), E.GIVE_UP, S.SKIPPED, (_O,), "given up, with a reason"),
]  # fmt: skip

_COMMIT = [
    _moves(S.READY_TO_COMMIT, E.COMMIT, S.LOCAL_COMMITTING, (_W,), "approval, target, delta hold"),
    _moves(DELIVERY, E.RECHECK, S.RECHECK_CANDIDATES, (_W,), "new articles not yet judged"),
    _moves(DELIVERY, E.CLASH, S.CONFLICT, (_W,), "a target changed, or its folder moved"),
    _moves(DELIVERY, E.FOUND_UPSTREAM, S.SKIPPED, (_W,), "the tip already holds these bytes"),
    _moves(DELIVERY, E.REFUSE, S.REVIEW, (_W,), "refused for good, or a foreign commit of our id"),
    _moves(S.LOCAL_COMMITTING, E.COMMITTED, S.LOCAL_COMMITTED, (_W,), "the commit is recorded"),
    _moves(S.LOCAL_COMMITTING, E.LOSE_SIGHT, S.RECOVERING, (_W, _R), "result unknown, lease out"),
    _moves(
        S.RECOVERING, E.RECOVER, _set(S.LOCAL_COMMITTED, S.LOCAL_COMMITTING, S.REVIEW), (_W, _R),
        "commit found by trailer, artifacts intact, or unsafe",
    ),
    _moves(S.RECHECK_CANDIDATES, E.SKIP, S.SKIPPED, (_W,), "the judge says SKIP"),
    _moves(S.RECHECK_CANDIDATES, E.BLOCK, S.REVIEW, (_W,), "an answer outside SKIP and KEEP"),
    _moves(S.RECHECK_CANDIDATES, E.CLASH, S.CONFLICT, (_W,), "the target changed"),
    _moves(
        S.RECHECK_CANDIDATES, E.KEEP, _set(S.READY_TO_COMMIT, S.LOCAL_COMMITTED), (_W,),
        "the judge says KEEP",
    ),
    _moves(S.CONFLICT, E.RESOLVE, S.RECEIVED, (_P, _O), "resolved: a new revision"),
]  # fmt: skip

_OUTSIDE = [
    _moves(S.LOCAL_COMMITTED, E.DELIVER, S.PUSHING, (_W,), "the fence passed"),
    _moves(S.PUSHING, E.CONFIRM, S.PUBLISHED, (_W, _R), "both trailers and the bytes are there"),
    _moves(
        _set(
            S.FAILED, S.RETRY_WAIT, S.RECHECK_CANDIDATES, S.CONFLICT, S.REVIEW,
            S.READY_TO_COMMIT, S.LOCAL_COMMITTED, S.WAITING_APPROVAL,
        ),
        E.CONFIRM, S.PUBLISHED, (_W, _R), "an earlier intent is found on the remote",
    ),
    _moves(S.READY_TO_DISPATCH, E.DISPATCH, S.DISPATCHING, (_W,), "the fence passed"),
    _moves(S.DISPATCHING, E.RECEIPT, S.PUBLISHED, (_W,), "a receipt answered our own call"),
    _moves(S.DISPATCHING, E.DOUBT, S.RECONCILING, (_W, _R), "the outcome is unknown"),
    _moves(S.RETRY_WAIT, E.DOUBT, S.RECONCILING, (_W, _R), "unknown, and no budget or approval"),
    _moves(S.DISPATCHING, E.FAIL, S.FAILED, (_W,), "the service refused for good"),
    _moves(S.RECONCILING, E.READ_BACK, S.EFFECT_CONFIRMED, (_R, _O), "the past write is proved"),
    _moves(S.RECONCILING, E.ALLOW_RETRY, S.READY_TO_DISPATCH, (_O, _R), "absence is proved"),
    _moves(S.RECONCILING, E.CLOSE, S.FAILED, (_O,), "closed by hand: did not happen"),
]  # fmt: skip

_WAITING = [
    _moves(WORKING, E.WAIT, S.RETRY_WAIT, (_W, _R), "something passing went wrong"),
    _moves(S.DISPATCHING, E.WAIT, S.RETRY_WAIT, (_W,), "surely not sent, or safe to repeat"),
    _moves(S.RETRY_WAIT, E.RESUME, WORKING | {S.DISPATCHING}, (_W,), "due: where it was left"),
    _moves(
        _READY | {S.LOCAL_COMMITTED, S.PUSHING, S.RETRY_WAIT}, E.VOID, S.WAITING_APPROVAL,
        (_W, _P), "the approval expired, was withdrawn or lost its right",
    ),
    _moves(
        _READY | {S.LOCAL_COMMITTED, S.PUSHING, S.RETRY_WAIT}, E.MEMORY_CHANGED, S.REVIEW,
        (_W, _C), "memory changed or expired",
    ),
    _moves(WORKING | {S.RETRY_WAIT}, E.FAIL, S.FAILED, (_W, _R), "the budget is used up"),
    _moves(
        S.FAILED, E.RETRY, _set(S.RECEIVED, S.LOCAL_COMMITTED, S.READY_TO_DISPATCH), (_O,),
        "retried with a new budget",
    ),
    _moves(frozenset(State) - TERMINAL | {S.FAILED}, E.CANCEL, S.CANCELLED, (_S, _O), "no intent is open"),
]  # fmt: skip

TRANSITIONS: tuple[Move, ...] = tuple(
    move for part in (_FRONT, _COMMIT, _OUTSIDE, _WAITING) for rows in part for move in rows
)


def targets(source: State | None, event: Event) -> frozenset[State]:
    """The states that an event may lead to from here; empty when there is no such move."""
    found = (move.target for move in TRANSITIONS if (move.source, move.event) == (source, event))
    return frozenset(found)


def find(
    source: State | None, event: Event, target: State, *, actor: Actor, lane: Lane
) -> Move | None:
    """The row for this move, or None when it is illegal."""
    wanted = (source, event, target)
    for move in TRANSITIONS:
        if (move.source, move.event, move.target) == wanted and _allows(move, actor, lane):
            return move
    return None


def _allows(move: Move, actor: Actor, lane: Lane) -> bool:
    return actor in move.actors and lane in move.lanes


def can(source: State, event: Event, *, actor: Actor, lane: Lane) -> bool:
    """Whether this actor may raise this event here: what buttons ask."""
    return any(
        move.source == source and move.event == event and _allows(move, actor, lane)
        for move in TRANSITIONS
    )
