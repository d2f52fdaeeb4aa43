"""Next: one sentence and one link that say what happens with a job now, and who does it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import gettext_lazy as _

from publisher.domain.states import PEOPLES, State
from reviews.presenters import leaving, words
from reviews.presenters.sites import HELD
from reviews.presenters.words import Text


@dataclass(frozen=True, slots=True)
class Next:
    """What happens next: in words, when, and where a person goes on."""

    title: Text
    sentence: Text
    tone: str
    at: datetime | None = None
    link: str = ""
    link_word: Text = ""
    is_asked: bool = False


SENTENCES: dict[State, Text] = {
    State.RECEIVED: _("You need do nothing."),
    State.PREPARING: _("The draft is written and checked. Then people are asked. Do nothing."),
    State.WAITING_APPROVAL: _("Whoever submitted it need do nothing until then."),
    State.REVIEW: _("Somebody settles what was found: change the text, overrule it, or give up."),
    State.READY_TO_COMMIT: _("It leaves by itself within a minute. You need do nothing."),
    State.READY_TO_DISPATCH: _("It leaves by itself within a minute. You need do nothing."),
    State.RECHECK_CANDIDATES: _("It is compared with the new articles and goes on by itself."),
    State.LOCAL_COMMITTING: _("It goes on by itself. You need do nothing."),
    State.LOCAL_COMMITTED: _("It goes on by itself. You need do nothing."),
    State.RECOVERING: _("It goes on by itself once the work is found."),
    State.PUSHING: _("The site itself is read to see whether it arrived. You need do nothing."),
    State.DISPATCHING: _("The service's receipt is awaited. You need do nothing."),
    State.RECONCILING: _("Do not submit it again. An operator can look at the evidence."),
    State.RETRY_WAIT: _("It is tried again by itself. You need do nothing."),
    State.CONFLICT: _("A reviewer or an operator chooses between the versions."),
    State.SKIPPED: _("Nothing is left to do."),
    State.REJECTED: _("This is final. To try once more, submit a new job."),
    State.PUBLISHED: _("Nothing is left to do."),
    State.EFFECT_CONFIRMED: _("Nothing is left to do."),
    State.FAILED: _("An operator mends the cause and retries it."),
    State.CANCELLED: _("Nothing is left to do."),
}

ENDED_UNSENT = frozenset({State.REJECTED, State.CANCELLED})
"""After these a person who still wants it begins a new job."""

PANELS = {"good": "good", "bad": "stopped", "warn": "asked"}


def begins_anew(job: Any) -> bool:
    """Whether the way on is a new job for the same article."""
    return State(job.state) in ENDED_UNSENT


def of(
    job: Any,
    *,
    now: datetime,
    approval_url: str = "",
    review_url: str = "",
    conflict_url: str = "",
    is_taken_back: bool = False,
    decides: bool = True,
) -> Next:
    """What is next for a job; the addresses are those that exist for it."""
    state = State(job.state)
    label = words.label(job.state)
    link, word = "", _("Open")
    if state is State.WAITING_APPROVAL and approval_url:
        link, word = approval_url, _("Read and decide") if decides else _("See the text")
    elif state is State.REVIEW:
        link, word = review_url, _("See what was found")
    elif state is State.CONFLICT and conflict_url:
        link, word = conflict_url, _("Choose between the versions")
    elif approval_url and state is not State.RECEIVED:
        link, word = approval_url, _("See the text")
    at = job.available_at if state is State.RETRY_WAIT else None
    tone = PANELS.get(label.tone, "next")
    meaning = _("It was published, and was taken back later.") if is_taken_back else label.meaning
    sentence = SENTENCES[state]
    departure = leaving.of(job, now=now)
    if state in HELD and not departure.is_soon:
        meaning, sentence, at = departure.title, departure.sentence, departure.at
    return Next(meaning, sentence, tone, at, link, word, state in PEOPLES)
