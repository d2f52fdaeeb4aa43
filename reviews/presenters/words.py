"""Words: what each state is called on a page, what it means, and its icon and tone."""

from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from publisher.domain.states import State

Text = str | Promise


@dataclass(frozen=True, slots=True)
class Label:
    """A state for people: never a colour alone."""

    word: Text
    meaning: Text
    icon: str
    tone: str


GROUPS: dict[str, tuple[Text, tuple[State, ...]]] = {
    "people": (_("Waits for people"), (State.WAITING_APPROVAL, State.REVIEW, State.CONFLICT)),
    "moving": (
        _("Moves by itself"),
        (
            State.RECEIVED, State.PREPARING, State.READY_TO_COMMIT, State.READY_TO_DISPATCH,
            State.RECHECK_CANDIDATES, State.LOCAL_COMMITTING, State.LOCAL_COMMITTED,
            State.RECOVERING, State.PUSHING, State.DISPATCHING, State.RECONCILING,
            State.RETRY_WAIT,
        ),
    ),
    "done": (_("Done"), (State.PUBLISHED, State.EFFECT_CONFIRMED)),
    "ended": (
        _("Ended without a publication"),
        (State.SKIPPED, State.REJECTED, State.FAILED, State.CANCELLED),
    ),
}  # fmt: skip
"""States as people ask for them; each state is in one group."""

STATES: dict[State, Label] = {
    State.RECEIVED: Label(
        _("Received"),
        _("It is stored safely. A worker takes it up in a moment."),
        "inbox",
        "calm",
    ),
    State.PREPARING: Label(
        _("Preparing"), _("The draft is being written and checked."), "pen", "busy"
    ),
    State.WAITING_APPROVAL: Label(
        _("Waiting for approval"),
        _("A reviewer decides about exactly this text. Nothing leaves before."),
        "eye",
        "warn",
    ),
    State.REVIEW: Label(
        _("Needs a look"),
        _("It was stopped before anything left. Somebody has to settle what was found."),
        "flag",
        "warn",
    ),
    State.READY_TO_COMMIT: Label(
        _("Approved"), _("It was approved and is about to be saved as a change."), "check", "busy"
    ),
    State.READY_TO_DISPATCH: Label(
        _("Approved to be sent"), _("It was approved and is about to be sent."), "check", "busy"
    ),
    State.RECHECK_CANDIDATES: Label(
        _("Checking new articles"),
        _("New articles arrived meanwhile; they are compared once more."),
        "search",
        "busy",
    ),
    State.LOCAL_COMMITTING: Label(
        _("Saving the change"), _("The approved text is being saved as one change."), "pen", "busy"
    ),
    State.LOCAL_COMMITTED: Label(
        _("Ready to send"), _("The change is saved here and about to be sent."), "check", "busy"
    ),
    State.RECOVERING: Label(
        _("Looking for the change"),
        _("A worker stopped in the middle. Its work is being looked for."),
        "search",
        "busy",
    ),
    State.PUSHING: Label(
        _("Publishing"),
        _("It is on its way. Whether it arrived is read from the site itself."),
        "send",
        "busy",
    ),
    State.DISPATCHING: Label(_("Sending"), _("It is on its way to the service."), "send", "busy"),
    State.RECONCILING: Label(
        _("Outcome being checked"),
        _("It may have happened already. Do not submit it again."),
        "search",
        "warn",
    ),
    State.RETRY_WAIT: Label(
        _("Waiting to try again"),
        _("Something passing went wrong. It goes on by itself."),
        "retry",
        "warn",
    ),
    State.CONFLICT: Label(
        _("Conflict"),
        _("Somebody else changed the same text. Nobody's work is lost; a person chooses."),
        "split",
        "warn",
    ),
    State.SKIPPED: Label(_("Skipped"), _("Nothing was published."), "skip", "calm"),
    State.REJECTED: Label(
        _("Rejected"), _("A reviewer said no. That is final for this job."), "cross", "bad"
    ),
    State.PUBLISHED: Label(
        _("Published"), _("The site itself holds exactly the approved text."), "check", "good"
    ),
    State.EFFECT_CONFIRMED: Label(
        _("Confirmed"), _("The service holds a receipt of it."), "check", "good"
    ),
    State.FAILED: Label(_("Failed"), _("It was given up after several tries."), "alert", "bad"),
    State.CANCELLED: Label(_("Cancelled"), _("It was stopped on request."), "cross", "calm"),
}


def label(state: str) -> Label:
    """The label of a state; an unknown one is shown by its own name."""
    try:
        return STATES[State(state)]
    except ValueError:
        return Label(state, "", "dot", "calm")


SEVERITIES: dict[str, Label] = {
    "block": Label(_("Blocks"), _("It must be settled first."), "cross", "bad"),
    "warn": Label(_("Warning"), _("Have a look; it does not block."), "alert", "warn"),
    "info": Label(_("Note"), _("Good to know."), "dot", "calm"),
}

APPROVALS: dict[str, Label] = {
    "pending": Label(_("Open"), _("Waiting for a decision."), "eye", "warn"),
    "approved": Label(_("Approved"), _("It may be published."), "check", "busy"),
    "dispatching": Label(_("Being published"), _("It is on its way."), "send", "busy"),
    "done": Label(_("Done"), _("It was published."), "check", "good"),
    "rejected": Label(_("Rejected"), _("A reviewer said no."), "cross", "bad"),
    "superseded": Label(_("Replaced"), _("A newer version replaced it."), "retry", "calm"),
    "expired": Label(_("Expired"), _("Time ran out; nothing was sent."), "clock", "calm"),
    "withdrawn": Label(_("Withdrawn"), _("The yes was taken back."), "retry", "calm"),
    "void": Label(_("Void"), _("It no longer counts."), "cross", "calm"),
}

EFFECTS: dict[str, Label] = {
    "intent": Label(_("Announced"), _("It is being tried; the proof is awaited."), "send", "busy"),
    "confirmed": Label(_("Confirmed"), _("The site holds it."), "check", "good"),
    "absent": Label(_("Did not happen"), _("The site does not hold it."), "dot", "calm"),
    "unknown": Label(_("Not known yet"), _("It is being looked for."), "search", "warn"),
    "closed": Label(_("Closed by hand"), _("A person settled it with evidence."), "check", "calm"),
}

SENT: dict[str, Text] = {
    "blog.publish/v1": _("A publication was sent to the site"),
    "git.revert/v1": _("A publication was taken back on the site"),
}
"""What was sent outside, by the kind of action."""
SENT_ANYTHING = _("Something was sent outside")

STEPS: dict[str, Label] = {
    "pending": Label(_("Not started"), "", "dot", "calm"),
    "running": Label(_("Running"), "", "pen", "busy"),
    "succeeded": Label(_("Done"), "", "check", "good"),
    "waiting_approval": Label(_("Waiting for approval"), "", "eye", "warn"),
    "retry_scheduled": Label(_("Will be tried again"), "", "retry", "warn"),
    "failed": Label(_("Failed"), "", "alert", "bad"),
    "cancelled": Label(_("Cancelled"), "", "cross", "calm"),
    "manual_intervention": Label(_("A person is needed"), "", "flag", "warn"),
}

STEP_NAMES: dict[str, Text] = {
    "collect": _("Read the site and the sources"),
    "dedup": _("Look for duplicates"),
    "draft": _("Write the draft"),
    "quality": _("Check the quality"),
    "secrets": _("Look for secrets"),
    "frontmatter": _("Check the front matter and the markup"),
    "fonts": _("Cut the fonts"),
    "manifest": _("List the files"),
}

PARTS: dict[str, Text] = {"worker": _("worker"), "sweep": _("sweep")}

CHECKS: dict[str, Text] = {
    "storage": _("room for the clone"),
    "address": _("address"),
    "read": _("reading"),
    "branch": _("branch"),
    "history": _("history"),
    "write": _("writing"),
    "fetch": _("fetching"),
    "articles": _("pattern of the articles"),
    "names": _("names of the branch's files"),
    "assets": _("pattern of the files that go with them"),
    "fonts": _("place of the font"),
    "font_source": _("font file"),
    "live_checkout": _("live checkout"),
}

WRITTEN: dict[str, Text] = {
    "submitted": _("submitted"),
    "conflict resolved": _("the conflict was settled"),
    "published anyway": _("published anyway"),
    "takes back a publication": _("takes back a publication"),
    "kept what is published": _("What is published is kept."),
    "edited": _("edited"),
    "new inputs": _("other sources"),
    "Saved without a change.": _("Saved without a change."),
    "The approval was withdrawn.": _("The approval was withdrawn."),
    "Tried again.": _("Tried again."),
    "the rule of a new installation": _("the rule of a new installation"),
}
"""Reasons that the program writes down where a person gives none."""

PROVIDERS: dict[str, Text] = {"standin": _("the built-in writer, which uses no model")}
"""What writes drafts, where it has no name of its own."""


def writer(provider: str, model: str) -> str:
    """Who wrote a draft, with the model when that says more."""
    name = str(PROVIDERS.get(provider, provider))
    return name if model in ("", provider) else f"{name} ({model})"


OPERATIONS: dict[str, Text] = {
    "create": _("new article"),
    "update": _("changes an article"),
    "delete": _("deletes an article"),
    "": _("to be judged"),
}


ANSWERS: dict[str, Text] = {
    "approve": _("approved"),
    "reject": _("rejected"),
    "withdraw": _("took it back"),
    "request_changes": _("asked for changes"),
}

DECIDES: dict[str, Text] = {
    "approve": _("Your approval goes along."),
    "reject": _("Your rejection goes along. It is final."),
    "withdraw": _("That you take your approval back goes along."),
    "request_changes": _("Your request for changes goes along."),
}
"""What is sent with a comment that was kept through a login."""

ROLES: dict[str, Text] = {
    "submitter": _("submitter"),
    "reviewer": _("reviewer"),
    "operator": _("operator"),
    "auditor": _("auditor"),
    "admin": _("admin"),
}


def role_of(held: Any) -> str:
    """One role in words."""
    word = str(ROLES.get(held.role, held.role))
    if held.site_id is not None:
        word = f"{word} ({held.site.name})"
    return word


def of(table: dict[str, Label], key: str) -> Label:
    """The label in a table; an unknown key is shown by its own name."""
    return table.get(key) or Label(key, "", "dot", "calm")
