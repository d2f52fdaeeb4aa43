"""Live: what lies in a site's live checkout and why, in plain words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from reviews.presenters.words import Label

BLOCKED: dict[str, Promise] = {
    "missing": gettext_lazy("The folder is not there. Nothing can be read."),
    "no_clone": gettext_lazy("The folder is no normal clone. Nothing can be read."),
    "unreadable": gettext_lazy("It could not be looked at, so nothing is sent from there. The reason:"),
    "empty": gettext_lazy("The clone has no commit yet."),
    "operation": gettext_lazy("Somebody is in the middle of this in git, so it is left alone:"),
    "detached": gettext_lazy("It is on no branch (detached). It is left alone until it is on one."),
    "branch": gettext_lazy("It is on another branch than the site's. It is left alone:"),
    "locked": gettext_lazy("A git command runs there, or died and left index.lock, which is its owner's."),
    "ahead": gettext_lazy("It holds commits that are not known from the remote. Push them."),
    "diverged": gettext_lazy(
        "It has diverged from a rewritten remote: it holds commits that the remote has taken away. "
        "Nothing is sent from here. Do not push them back: keep a copy of edits of your own, then "
        "fetch, and reset this checkout to the remote's branch."
    ),
}  # fmt: skip
"""While one of these holds, nothing is read or moved there."""
LEFT: dict[str, Promise] = {
    "fresh": gettext_lazy("Edited just now; sent when they have rested for the quiet time:"),
    "unrelated": gettext_lazy("Outside of what this site may send; never touched:"),
    "unnameable": gettext_lazy(
        "With a name that this site may not send (letters not in form NFC, a device such as con.md, too "
        "long, or git's own); rename them, or commit these yourself:"
    ),
    "staged": gettext_lazy("Staged for somebody's own commit; never touched:"),
    "no_file": gettext_lazy("Links or folders in place of files; not sent:"),
    "too_large": gettext_lazy("Too large to be sent:"),
    "filtered": gettext_lazy("Stored through a filter such as LFS; commit these yourself:"),
    "converted": gettext_lazy("Converted by git in an unknown way; commit these yourself:"),
    "folder_gone": gettext_lazy("Their whole tree is gone, so they are not taken for removed:"),
    "mass_removal": gettext_lazy(
        "Most files are gone at once, as when a disk is not mounted; not sent. Bring them back (git "
        "checkout), or commit and push the removal yourself:"
    ),
    "moved": gettext_lazy("Moved from a place whose removal is not sent; these wait with it:"),
    "stash": gettext_lazy("A stash lies there; it is left alone."),
    "behind_dirty": gettext_lazy("Not brought up to date: an edited file is in the way."),
    "behind_staged": gettext_lazy("Not brought up to date: a staged file is in the way."),
    "behind_locked": gettext_lazy("Not brought up to date: a git command was at work."),
    "behind_filtered": gettext_lazy("Not brought up to date: files behind a filter changed. Pull them."),
    "behind_sparse": gettext_lazy("Not brought up to date: the checkout is sparse. Pull it yourself."),
    "behind_moved": gettext_lazy("Not brought up to date: somebody committed meanwhile."),
    "behind_ahead": gettext_lazy("Not brought up to date: it holds commits of its own."),
}  # fmt: skip
GOOD = Label(gettext_lazy("Up to date"), "", "check", "good")
BUSY = Label(gettext_lazy("Edits on their way"), "", "retry", "busy")
WARN = Label(gettext_lazy("Needs attention"), "", "alert", "warn")


@dataclass(frozen=True, slots=True)
class Told:
    """One sentence, and the paths or words that it speaks of."""

    sentence: str
    names: Sequence[str]


@dataclass(frozen=True, slots=True)
class LiveView:
    """One live checkout for people; ``waiting`` and ``sent`` are the lane's messages."""

    report: Any
    label: Label
    told: Sequence[Told]
    waiting: Sequence[Any]
    sent: Sequence[Any]
    author: str


def present(report: Any, *, author: str) -> LiveView | None:
    """None where a site has no live checkout."""
    if not report.live_checkout:
        return None
    waiting = [message for message in report.messages if message.done_at is None]
    notes: Sequence[Mapping[str, Any]] = report.notes
    needs = any(
        note["code"] in BLOCKED or note["code"].startswith("behind_") for note in notes
    ) or any(message.last_error for message in waiting)
    fresh = any(note["code"] == "fresh" for note in notes)
    label = WARN if needs else BUSY if waiting or fresh else GOOD
    return LiveView(
        report=report,
        label=label,
        told=[_told(note) for note in notes],
        waiting=waiting,
        sent=[message for message in report.messages if message.done_at is not None],
        author=author,
    )


def _told(note: Mapping[str, Any]) -> Told:
    words = BLOCKED.get(note["code"]) or LEFT.get(note["code"])
    return Told(str(words) if words else note["code"], note["names"])


KINDS: dict[str, Promise] = {
    "external_sync": gettext_lazy("hand edits of a live checkout"),
    "live_look": gettext_lazy("a look at a live checkout"),
    "site_fetch": gettext_lazy("reading a repository"),
    "site_check": gettext_lazy("checking a repository"),
    "record_published": gettext_lazy("recording a job as published"),
}


@dataclass(frozen=True, slots=True)
class Stuck:
    """A message that does not get through, for the page of health."""

    kind: str
    site: str
    tries: int
    last_error: str
    next_try: datetime


def stuck(message: Any, *, site: str, next_try: datetime) -> Stuck:
    """What it is, how often it was tried, why it failed, and when it is tried next."""
    kind = KINDS.get(message.kind)
    return Stuck(
        kind=str(kind) if kind else _("a message"),
        site=site,
        tries=message.tries,
        last_error=message.last_error or _("Each time its worker ended before it was done."),
        next_try=next_try,
    )
