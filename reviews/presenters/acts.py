"""Acts: what can be done with a job now, and for the rest why not."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext_lazy as _

from publisher.domain.findings import OF_THE_SITE, can_prepare_again
from publisher.domain.states import Actor, Event, Lane, State, can
from reviews.presenters.words import Text


@dataclass(frozen=True, slots=True)
class Act:
    """One act; ``why_not`` is empty when it can be done now."""

    name: str
    label: Text
    about: Text
    why_not: Text
    is_final: bool = False
    needs_reason: bool = False

    @property
    def is_possible(self) -> bool:
        """Whether the button works."""
        return not self.why_not


@dataclass(frozen=True, slots=True)
class Kind:
    """How an act is offered."""

    name: str
    event: Event
    right: str
    label: Text
    about: Text
    no_right: Text
    is_final: bool = False
    needs_reason: bool = False


KINDS = (
    Kind(
        "retry",
        Event.RETRY,
        "operate",
        _("Try again now"),
        _("Goes on where it stopped, with a new budget of tries."),
        _("An operator can do this."),
    ),
    Kind(
        "publish-anyway",
        Event.SUBMIT,
        "operate",
        _("Publish anyway"),
        _("Makes a new, linked job from the same text. It is reviewed like any other."),
        _("An operator can do this."),
    ),
    Kind(
        "revert",
        Event.SUBMIT,
        "operate",
        _("Take it back"),
        _("Makes a new, linked job that puts back what the site held before. It is reviewed."),
        _("An operator can do this."),
    ),
    Kind(
        "ask-again",
        Event.ASK_AGAIN,
        "edit",
        _("Ask for approval again"),
        _("Reviewers see the same text once more."),
        _("The submitter, a reviewer or an operator can do this."),
    ),
    Kind(
        "record-published",
        Event.RESTORE,
        "operate",
        _("Record as published"),
        _(
            "For a text that was published after the backup that was restored. The site is looked "
            "at first; only what it holds, byte for byte, is recorded. Nothing is sent."
        ),
        _("An operator can do this."),
        needs_reason=True,
    ),
    Kind(
        "skip",
        Event.GIVE_UP,
        "operate",
        _("Give up"),
        _("Publishes nothing. The history stays."),
        _("An operator can do this."),
        is_final=True,
        needs_reason=True,
    ),
    Kind(
        "cancel",
        Event.CANCEL,
        "cancel",
        _("Cancel the job"),
        _("Stops it for good. Nothing that already left comes back."),
        _("The submitter or an operator can do this."),
        is_final=True,
    ),
)


def of(
    job: Any,
    *,
    may: Callable[[str], bool],
    has_open_effect: bool,
    open_blocks: Collection[str],
    is_from_backup: bool = False,
) -> list[Act]:
    """The acts that make sense in the job's state; ``may`` answers whether a right is held.

    ``open_blocks`` are the rules of the findings that block it still.
    """
    found = []
    for kind in KINDS:
        if not _fits(kind, job, open_blocks):
            continue
        if kind.event is Event.RESTORE and not (is_from_backup and job.manifest_artifact):
            continue
        why = "" if may(kind.right) else kind.no_right
        why = why or _hindrance(kind, has_open_effect, open_blocks)
        found.append(Act(kind.name, kind.label, kind.about, why, kind.is_final, kind.needs_reason))
    return found


def _fits(kind: Kind, job: Any, open_blocks: Collection[str]) -> bool:
    state = State(job.state)
    if kind.name == "publish-anyway":
        return state is State.SKIPPED and job.failure_code == "duplicate"
    if kind.name == "revert":
        return state is State.PUBLISHED and job.lane == Lane.PUBLISH.value
    if kind.name == "retry" and state is State.REVIEW:
        return can_prepare_again(open_blocks, is_complete=bool(job.manifest_artifact))
    if kind.name == "retry" and state is State.RETRY_WAIT:
        return True
    if kind.name == "ask-again" and not job.manifest_artifact:
        return False
    return any(can(state, kind.event, actor=actor, lane=Lane(job.lane)) for actor in Actor)


def _hindrance(kind: Kind, has_open_effect: bool, open_blocks: Collection[str]) -> Text:
    if kind.name in ("cancel", "retry") and has_open_effect:
        return _("It may already be on its way. Its outcome is being looked for first.")
    if kind.name == "ask-again" and open_blocks:
        if OF_THE_SITE.issuperset(open_blocks):
            return _("Findings still block it. Once the site is changed, try it again instead.")
        return _("Findings still block it: change the text or overrule them.")
    return ""
