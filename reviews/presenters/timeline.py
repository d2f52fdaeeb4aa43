"""Timeline: events as sentences that a newcomer understands."""

from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import Any

from django.utils.translation import gettext_lazy as _

from publisher.domain.states import Actor, Event
from reviews.presenters import said
from reviews.presenters.words import STEP_NAMES, WRITTEN, Text


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of history."""

    seq: int
    sentence: str
    reason: str
    at: datetime
    icon: str
    tone: str


MOVES: dict[str, tuple[Text, str, str]] = {
    "submit": (_("%(who)s submitted it."), "inbox", ""),
    "prepare": (_("A worker began to prepare it."), "pen", ""),
    "skip": (_("It was skipped; nothing is published."), "skip", ""),
    "block": (_("It was stopped for a person to look at."), "flag", "warn"),
    "ask": (_("The draft is ready; approval is asked for."), "eye", "busy"),
    "approve": (_("%(who)s approved it."), "check", "good"),
    "reject": (_("%(who)s rejected it."), "cross", "bad"),
    "request_changes": (_("%(who)s asked for changes."), "pen", "warn"),
    "expire": (_("Time ran out before anybody decided. Nothing was sent."), "clock", "warn"),
    "memory_changed": (_("The background it was written from changed."), "flag", "warn"),
    "revise": (_("%(who)s made a new version."), "pen", ""),
    "override": (_("%(who)s let it go on."), "check", "warn"),
    "ask_again": (_("%(who)s asked for approval again."), "eye", "busy"),
    "restore": (_("%(who)s recorded it as published, verified on the site."), "check", "good"),
    "give_up": (_("%(who)s gave it up."), "skip", ""),
    "commit": (_("A worker began to save the approved text as one change."), "pen", ""),
    "committed": (_("The change was saved, with this job's number in it."), "check", ""),
    "lose_sight": (_("A worker stopped while saving; the change is looked for."), "search", "warn"),
    "recover": (_("The work was found and goes on."), "check", ""),
    "recheck": (_("New articles arrived; they are compared once more."), "search", ""),
    "keep same": (_("A new article says the same; it goes on."), "check", "warn"),
    "keep": (_("The new articles do not repeat it; it goes on."), "check", ""),
    "clash": (_("Somebody else changed the same text. A person has to choose."), "split", "warn"),
    "found_upstream": (_("The site already held exactly this text."), "check", "good"),
    "deliver": (_("A worker began to send it."), "send", "busy"),
    "confirm": (_("The site itself holds the approved text. It is published."), "check", "good"),
    "refuse": (_("The site's server refused it."), "alert", "bad"),
    "dispatch": (_("A worker began to send it to the service."), "send", "busy"),
    "receipt": (_("The service gave a receipt."), "check", "good"),
    "doubt": (_("Whether it arrived is not known; it is being looked for."), "search", "warn"),
    "read_back": (_("The service holds it."), "check", "good"),
    "allow_retry": (_("It surely did not happen; it may be tried again."), "retry", ""),
    "close": (_("%(who)s closed it by hand."), "check", ""),
    "wait": (_("Something passing went wrong; it is tried again later."), "retry", "warn"),
    "resume": (_("It was taken up again."), "retry", ""),
    "void": (_("The approval no longer holds; it is asked for again."), "retry", "warn"),
    "fail": (_("It was given up after several tries."), "alert", "bad"),
    "retry": (_("%(who)s started it again."), "retry", ""),
    "resolve": (_("%(who)s settled the conflict; the result is checked anew."), "check", ""),
    "cancel": (_("%(who)s cancelled it."), "cross", ""),
    "claimed": (_("A worker took it up (try %(attempt)s)."), "dot", ""),
    "decision": (_("%(who)s approved it; more people are asked."), "check", ""),
    "wrong_hash": (_("%(who)s sent a hash that never belonged to it."), "alert", "warn"),
    "withdraw": (_("%(who)s took the approval back."), "retry", "warn"),
    "no_change": (_("%(who)s saved it without a change."), "dot", ""),
    "override_finding": (_("%(who)s overruled the finding “%(rule)s”."), "check", "warn"),
    "retry_now": (_("%(who)s asked to try again now."), "retry", ""),
    "effect_intent": (_("Written down before sending: what is sent, and where."), "pen", ""),
    "push_unclear": (_("The answer got lost; the site itself is looked at."), "search", "warn"),
    "probed": (_("The site was looked at for a lost answer."), "search", ""),
    "waits_again": (_("It did not work yet; it is tried again later."), "retry", "warn"),
    "assigned": (_("%(who)s gave it to %(to)s to look at."), "people", ""),
    "unassigned": (_("%(who)s no longer asks %(to)s to look at it."), "people", ""),
    "held": (_("It waits for its time."), "clock", ""),
    "clock_set_right": (_("A clock was ahead; what it wrote counts from now on."), "clock", ""),
    "released": (_("The site goes on, and with it this job."), "retry", ""),
    "envelope_changed": (_("What would be sent changed; approval is asked for anew."), "eye", ""),
    "no_longer_at_tip": (_("Somebody changed or removed the published text."), "alert", "warn"),
    "no_longer_found": (_("The site no longer holds the published text."), "alert", "warn"),
    "record_asked": (_("%(who)s asked whether the site holds it already."), "search", ""),
    "record_refused": (_("The site was looked at; nothing was recorded."), "flag", "warn"),
    "appeal_asked": (_("%(who)s asked to publish it anyway: job %(by)s."), "retry", ""),
    "revert_asked": (_("%(who)s asked to take it back: job %(by)s."), "retry", "warn"),
    "fonts_rebuilt": (_("The fonts were made again, with what others published."), "pen", ""),
    "refuse fonts": (_("The fonts could not be made again. Nothing was sent."), "alert", "warn"),
    "step_committed": (_("Finished: %(step)s."), "dot", ""),
}

QUIET = frozenset({"claimed", "step_committed", "resume"})
"""Events of the machinery: told only where all of them are asked for."""


MACHINES = frozenset({Actor.WORKER.value, Actor.RECONCILE.value, Actor.CLOCK.value})


def entry(event: Any) -> Entry:
    """One event as a sentence; an unknown one is told by its name."""
    facts = event.facts or {}
    known = MOVES.get(f"{event.event} {facts.get('code', '')}") or MOVES.get(event.event)
    values = {
        "who": event.actor_name or event.actor,
        "attempt": facts.get("attempt", 1),
        "rule": facts.get("rule", ""),
        "by": facts.get("by", ""),
        "to": facts.get("to", ""),
        "step": _steps(facts.get("step", "")),
    }
    reason = _reason(event)
    if known is None:
        name = event.event.replace("_", " ")
        return Entry(event.seq, f"{name}.", reason, event.at, "dot", "")
    sentence, icon, tone = known
    return Entry(event.seq, str(sentence) % values, reason, event.at, icon, tone)


def _steps(names: str) -> str:
    """Steps that were written down together, by their names."""
    return " · ".join(str(STEP_NAMES.get(name, name)) for name in names.split(", "))


def _reason(event: Any) -> str:
    """Why; a person's own words stay as they were written, in whatever language.

    What the program writes down where a person gives no reason is in the reader's.
    """
    if event.actor in MACHINES:
        return said.in_words(event.reason)
    if event.event == Event.RESOLVE.value:
        return ""  # The sentence says it.
    return str(WRITTEN.get(event.reason, event.reason))


def entries(events: list[Any], *, everything: bool = False) -> list[Entry]:
    """Newest first; the machinery's own events only when asked for."""
    shown = [event for event in events if everything or event.event not in QUIET]
    if not everything:
        shown = [one for one, after in pairwise([*shown, None]) if not _repeats(one, after)]
    return [entry(event) for event in reversed(shown)]


def _repeats(one: Any, after: Any) -> bool:
    """Whether the next event only says once more that the job waits; a pause is told once a minute."""
    return after is not None and one.event == after.event == "held" and one.reason == after.reason
