"""Inbox in words: why a row stands where it does, by whom, and what to do with it."""

from datetime import datetime, timedelta
from typing import Any

from django.utils.translation import gettext as _

from publisher.domain.workflows import Risk

DAY = timedelta(hours=24)


def act(kind: str) -> str:
    """What a person does there."""
    return {
        "approval": _("Read and decide"),
        "review": _("See what was found"),
        "conflict": _("Choose a version"),
    }[kind]


def reasons(line: Any, *, now: datetime) -> list[str]:
    """Sentences: what it waits for, then all that brought it further up, then who gave it to whom."""
    asked = {
        "approval": _("It waits for your yes or no."),
        "review": _("A check stopped it; somebody has to look."),
        "conflict": _("Somebody else changed the same text."),
    }
    found = [asked[line.kind]]
    if line.kind == "approval":
        found += _hazards(line, now)
    if line.given_by and line.given_group:
        who = {"who": line.given_by, "group": line.given_group}
        found.append(_("%(who)s gave it to your group %(group)s.") % who)
    elif line.given_by:
        found.append(_("%(who)s gave it to you.") % {"who": line.given_by})
    return found


def _hazards(line: Any, now: datetime) -> list[str]:
    found = []
    if line.risk == Risk.RISKY.value:
        found.append(_("The action is risky."))
    if line.ends_at - now < DAY:
        found.append(_("Its time runs out within a day."))
    if line.rival:
        who = {"who": line.rival_by}
        found.append(_("Another open job, from %(who)s, changes the same file.") % who)
    if line.is_stopped:
        found.append(_("The site is stopped: nothing leaves until it goes on."))
    if line.is_moved:
        found.append(_("What the site has at this path is no longer what the text was made for."))
    return found
