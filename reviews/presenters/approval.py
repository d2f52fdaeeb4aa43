"""Approvals: the sentence above the draft, and what the bar below it says and offers."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from publisher.domain.states import State
from reviews.presenters import words
from reviews.presenters.content import size_of


@dataclass(frozen=True, slots=True)
class Unshown:
    """A part that a page cannot show, to be acknowledged by name."""

    id: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Bar:
    """The bar: ``kind`` is decide, withdraw or told."""

    kind: str
    sentence: str
    tone: str = "calm"
    icon: str = "dot"
    unshown: list[Unshown] = field(default_factory=list)
    is_answered: bool = False


def verdict(envelope: Mapping[str, Any], files: int, *, when: str) -> str:
    """One sentence that says what a yes does, and when."""
    target = envelope.get("target", {})
    values = {
        "n": files,
        "site": target.get("site", ""),
        "branch": target.get("branch", ""),
        "when": when,
    }
    if target.get("operation") == "delete":
        text = _("If you approve, the article is removed from %(site)s (%(branch)s) %(when)s.")
        return text % values
    if target.get("operation") == "update":
        text = ngettext(
            "If you approve, %(n)s file is changed on %(site)s (%(branch)s) %(when)s.",
            "If you approve, %(n)s files are changed on %(site)s (%(branch)s) %(when)s.",
            files,
        )
        return text % values
    text = ngettext(
        "If you approve, %(n)s file is added to %(site)s (%(branch)s) %(when)s.",
        "If you approve, %(n)s files are added to %(site)s (%(branch)s) %(when)s.",
        files,
    )
    return text % values


def unshown(parts: list[Mapping[str, Any]], pictures: Collection[str] = ()) -> list[Unshown]:
    """Parts that must be acknowledged one by one, in words."""
    found = []
    for part in parts:
        if part.get("is_showable", True):
            continue
        values = {"path": part["path"], "size": size_of(part["size"])}
        if part["path"] in pictures:
            text = _("I have looked at the picture %(path)s (%(size)s).")
        elif part.get("why") == "binary":
            text = _("I know that %(path)s (%(size)s) is published without being shown here.")
        else:
            text = _("I have read %(path)s (%(size)s) part by part, or downloaded it.")
        found.append(Unshown(part["id"], text % values))
    return found


def bar(
    approval: Any,
    job: Any,
    *,
    may_decide: bool,
    is_own: bool,
    others: list[str],
    answered: str,
    when: str,
    pictures: Collection[str] = (),
) -> Bar:
    """What the bar says to this reader, in this state of things."""
    if approval.status == "pending":
        barred = _not_yours(may_decide, is_own, _either(others), answered)
        return barred or _yours(unshown(approval.parts, pictures))
    label = words.of(words.APPROVALS, approval.status)
    sentence = told(approval, job, when)
    if approval.status == "approved":
        kind = "withdraw" if may_decide else "told"
        return Bar(kind, sentence, "busy", label.icon, is_answered=True)
    taken = approval.status not in ("superseded", "expired")
    return Bar("told", sentence, label.tone, label.icon, is_answered=taken)


def approved(when: str) -> str:
    """What follows a yes."""
    return _("Approved. It leaves by itself %(when)s.") % {"when": when}


def _not_yours(may_decide: bool, is_own: bool, names: str, answered: str) -> Bar | None:
    if is_own:
        text = _("You wrote or requested this, so somebody else decides.")
        if names:
            text = _("You wrote or requested this; %(names)s can decide.") % {"names": names}
        return Bar("told", text, "warn", "people")
    if not may_decide:
        text = _("You can read this. A reviewer decides.")
        if names:
            text = _("You can read this. %(names)s can decide.") % {"names": names}
        return Bar("told", text, "calm", "eye")
    if answered:
        text = _("You said yes. More people are asked.")
        return Bar("told", text, "busy", "check", is_answered=True)
    return None


def _yours(found: list[Unshown]) -> Bar:
    text = ngettext(
        "%(n)s part needs a tick of its own.", "%(n)s parts need a tick of their own.", len(found)
    )
    sentence = text % {"n": len(found)} if found else _("You decide about exactly this text.")
    return Bar("decide", sentence, "calm", "eye", found)


def quorum(approvers: tuple[str, ...], needed: int, missing_groups: tuple[str, ...]) -> str:
    """How far a request is, for a person."""
    if needed == 0 and not missing_groups:
        return _("Nobody has to approve this.")
    text = _("%(n)s of %(needed)s approvals") % {"n": len(approvers), "needed": needed}
    if approvers:
        text = f"{text}: {', '.join(approvers)}"
    if missing_groups:
        more = _("still missing: somebody from %(groups)s")
        text = f"{text}; {more % {'groups': ', '.join(missing_groups)}}"
    return text


def _either(names: list[str]) -> str:
    if len(names) < 2:
        return "".join(names)
    return _("%(first)s or %(last)s") % {"first": ", ".join(names[:-1]), "last": names[-1]}


def told(approval: Any, job: Any, when: str) -> str:
    """What became of a request that is no longer asked about."""
    if approval.status == "approved":
        return approved(when)
    state = State(job.state)
    if approval.status == "done" and state is State.PUBLISHED:
        text = _("Published as %(commit)s.")
        return text % {"commit": (job.remote_commit or job.local_commit)[:10]}
    sentences = {
        "dispatching": _("Publishing. Whether it arrived is read from the site itself."),
        "done": _("Done."),
        "rejected": _("Rejected. This is final; a new job can start from its text."),
        "superseded": _("A newer version replaced this one. Decide about that one."),
        "expired": _("Time ran out, nothing was sent. It can be asked for again."),
        "withdrawn": _("The approval was taken back. Nothing was sent."),
        "void": _("This request no longer counts. Nothing was sent for it."),
    }
    return sentences.get(approval.status, str(words.of(words.APPROVALS, approval.status).meaning))
