"""Approvals: the sentence above the draft, and what the bar below it says and offers."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from publisher.domain.states import State
from reviews.presenters import words
from reviews.presenters.content import size_of


@dataclass(frozen=True, slots=True)
class Unread:
    """A part that was not shown in full: ``left`` of its ``count`` pieces, the next at ``address``.

    Without an address no page can show it, or only as a picture.
    """

    part: Mapping[str, Any]
    left: int = 0
    count: int = 0
    address: str = ""
    is_picture: bool = False

    @property
    def id(self) -> str:
        """What a tick acknowledges."""
        return str(self.part["id"])

    @property
    def sentence(self) -> str:
        """What a person says of it by a tick."""
        values = {"path": self.part["path"], "size": size_of(self.part["size"])}
        if self.part.get("kind") == "absent":
            return _("I know that %(path)s is removed.") % values
        if self.part.get("why") == "hidden":
            return _("I have seen the hidden or misleading characters in %(path)s.") % values
        if self.is_picture:
            return _("I have looked at the picture %(path)s (%(size)s).") % values
        if self.part.get("why") == "binary":
            text = _("I know that %(path)s (%(size)s) is published without being shown here.")
            return text % values
        if self.count == 1:
            return _("I have read %(path)s (%(size)s) in full.") % values
        return _("I have read %(path)s (%(size)s) part by part, or downloaded it.") % values


@dataclass(frozen=True, slots=True)
class Bar:
    """The bar: ``kind`` is decide, withdraw or told."""

    kind: str
    sentence: str
    tone: str = "calm"
    icon: str = "dot"
    unread: Sequence[Unread] = ()
    is_answered: bool = False
    lenders: Sequence[str] = ()
    asks_password: bool = False

    @property
    def next(self) -> str:
        """Where the first part is that is left to read; "" where none is."""
        return next((one.address for one in self.unread if one.address), "")


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


def bar(
    approval: Any,
    job: Any,
    *,
    may_decide: bool,
    is_own: bool,
    others: list[str],
    answered: str,
    when: str,
    unread: Callable[[], Sequence[Unread]] = tuple,
    lenders: Sequence[str] = (),
    asks_password: bool = False,
) -> Bar:
    """What the bar says to this reader; what is ``unread`` is asked only for who can decide now.

    ``lenders``: in whose place the answer may be given.
    """
    if approval.status == "pending":
        barred = _not_yours(may_decide, is_own, _either(others), answered)
        return barred or replace(_yours(unread()), lenders=lenders, asks_password=asks_password)
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


def _yours(found: Sequence[Unread]) -> Bar:
    left = sum(one.left for one in found if one.address)
    ticks = sum(not one.address for one in found)
    said = []
    if left:
        text = ngettext("%(n)s part is left to read.", "%(n)s parts are left to read.", left)
        said.append(text % {"n": left})
    if ticks:
        text = ngettext(
            "%(n)s part needs a tick of its own.", "%(n)s parts need a tick of their own.", ticks
        )
        said.append(text % {"n": ticks})
    return Bar(
        "decide", " ".join(said) or _("You decide about exactly this text."), "calm", "eye", found
    )


def quorum(approvers: tuple[str, ...], needed: int, missing_groups: tuple[str, ...]) -> str:
    """How far a request is, for a person."""
    if needed == 0 and not missing_groups:
        return _("Nobody has to approve this.")
    text = _("%(n)s of %(needed)s approvals") % {"n": len(approvers), "needed": needed}
    if approvers:
        text = f"{text}: {', '.join(approvers)}"
    if missing_groups:
        more = _("still missing: somebody from %(groups)s")
        text = f"{text}; {more % {'groups': shares(missing_groups)}}"
    return text


def shares(groups: Iterable[str]) -> str:
    """The groups in a line, with the number of people where it is not one."""
    counted = Counter(groups)
    return ", ".join(name if n == 1 else f"{name} ({n})" for name, n in counted.items())


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
