"""Stepper: the six verbs of a job's journey, and where the job is on it."""

from dataclasses import dataclass

from django.utils.translation import gettext_lazy as _

from publisher.domain.states import State
from reviews.presenters.words import Text

VERBS: tuple[tuple[str, Text], ...] = (
    ("submit", _("Submit")),
    ("prepare", _("Prepare")),
    ("approve", _("Approve")),
    ("commit", _("Commit")),
    ("deliver", _("Deliver")),
    ("confirm", _("Confirm")),
)

NOTES: dict[str, dict[str, Text]] = {
    "submit": {"done": _("Stored safely")},
    "prepare": {"now": _("Draft and checks"), "done": _("Checked")},
    "approve": {"asked": _("A person decides"), "done": _("A person said yes")},
    "commit": {"now": _("Saving one change"), "done": _("Saved as one change")},
    "deliver": {"now": _("Sending it"), "done": _("Sent")},
    "confirm": {"done": _("Read back from the site")},
}

POSITION: dict[State, int] = {
    State.RECEIVED: 1,
    State.PREPARING: 1,
    State.WAITING_APPROVAL: 2,
    State.READY_TO_COMMIT: 3,
    State.READY_TO_DISPATCH: 3,
    State.LOCAL_COMMITTING: 3,
    State.RECOVERING: 3,
    State.RECHECK_CANDIDATES: 4,
    State.LOCAL_COMMITTED: 4,
    State.CONFLICT: 4,
    State.PUSHING: 4,
    State.DISPATCHING: 4,
    State.RECONCILING: 5,
    State.PUBLISHED: 6,
    State.EFFECT_CONFIRMED: 6,
}
"""State -> how many verbs are behind it; for the others the history tells."""

ASKED = frozenset({State.WAITING_APPROVAL, State.REVIEW, State.CONFLICT, State.RECONCILING})
STOPPED = frozenset({State.FAILED, State.REJECTED})
ENDED = frozenset({State.CANCELLED, State.SKIPPED})
ICONS = {
    "done": "check",
    "now": "dot",
    "asked": "flag",
    "stopped": "cross",
    "ended": "skip",
    "ahead": "circle",
}
TOLD: dict[str, Text] = {
    "done": _("done"),
    "now": _("under way"),
    "asked": _("waits for a person"),
    "stopped": _("stopped here"),
    "ended": _("ended here"),
    "ahead": _("still ahead"),
}
"""How far a verb is, for who sees neither icon nor colour."""


@dataclass(frozen=True, slots=True)
class Verb:
    """One verb; ``kind`` is done, now, asked (a person), stopped, ended or ahead."""

    name: str
    word: Text
    kind: str
    icon: str
    note: Text

    @property
    def told(self) -> Text:
        """How far it is, in words."""
        return TOLD[self.kind]

    @property
    def is_current(self) -> bool:
        """Whether the job is here."""
        return self.kind in ("now", "asked", "stopped", "ended")


def position(state: State, *, resume: str = "", furthest: int = 1) -> int:
    """How many verbs are done; ``furthest`` helps where the state alone does not tell."""
    if state is State.RETRY_WAIT and resume:
        return POSITION.get(State(resume), furthest)
    return POSITION.get(state, furthest)


def verbs(state: str, *, resume: str = "", furthest: int = 1) -> list[Verb]:
    """The six verbs for a job in this state."""
    known = State(state)
    here = position(known, resume=resume, furthest=furthest)
    rows = []
    for number, (name, word) in enumerate(VERBS):
        kind = _kind(known, number, here)
        note = NOTES[name].get(kind, "")
        rows.append(Verb(name, word, kind, ICONS[kind], note))
    return rows


def _kind(state: State, number: int, here: int) -> str:
    if number < here:
        return "done"
    if number > here:
        return "ahead"
    if state in ASKED:
        return "asked"
    if state in ENDED:
        return "ended"
    return "stopped" if state in STOPPED else "now"


def ordinal(state: str, *, resume: str = "", furthest: int = 1) -> tuple[int, Text]:
    """ "step n of 6" and its verb; a finished job is at its last."""
    here = min(position(State(state), resume=resume, furthest=furthest), len(VERBS) - 1)
    return here + 1, VERBS[here][1]


_ON = {"ask": 2, "approve": 3, "committed": 4, "deliver": 4, "confirm": 6}
_BACK = {
    "revise": 1,
    "block": 1,
    "request_changes": 1,
    "memory_changed": 1,
    "refuse": 1,
    "expire": 2,
}
TURNS = frozenset({*_ON, *_BACK})
"""Events that tell how far a job is; the others move it nowhere here."""


def furthest_of(events: list[str]) -> int:
    """How many verbs a job had behind it, by the events of its history."""
    reached = 1
    for event in events:
        reached = min(reached, _BACK.get(event, reached))
        reached = max(reached, _ON.get(event, 1))
    return reached
