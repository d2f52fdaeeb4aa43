"""Clock word: a person's word that the clock is right, though it was ahead when events were written."""

import json
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from django.utils.translation import gettext as _

from publisher import spoiled
from publisher.models import JobEvent
from publisher.processes.backup import files

FILE = "clock.json"
APART = timedelta(seconds=120)
"""How far the time that a person reads from another clock may be from this one."""


class WordRefused(Exception):
    """The word cannot be taken; the message says why."""


@dataclass(frozen=True, slots=True)
class Word:
    """Said at ``at``: events up to this one may lie ahead of it."""

    event: int
    at: datetime


def given(folder: Path) -> Word | None:
    """The last word; None when there is none that can be read."""
    try:
        kept = json.loads((folder / FILE).read_bytes())
        at = datetime.fromisoformat(kept["at"])
        return Word(int(kept["event"]), at) if at.tzinfo else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def give(folder: Path, told: str, now: datetime) -> Word:
    """Keep the word of somebody who reads the present time from another clock than this one."""
    try:
        moment = datetime.fromisoformat(told)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise WordRefused(_("Give the present time with its zone, as 2026-05-03T18:00+02:00."))
    if abs(moment - now) > APART:
        message = _("The clock says %(now)s, and you say %(told)s: set it. Nothing was changed.")
        raise WordRefused(message % {"now": now, "told": moment})
    newest = JobEvent.objects.order_by("-pk").values_list("pk", flat=True).first()
    word = Word(newest or 0, now)
    kept = json.dumps({"event": word.event, "at": word.at.isoformat()})
    files.replace(f"{kept}\n", folder / FILE)
    return word


def latest(word: Word | None) -> datetime | None:
    """The latest moment that is known to be past: the newest event's, or the word's for those before.

    An event whose time cannot be read tells nothing; the newest that can be read counts.
    """
    rows = JobEvent.objects.filter(pk__gt=word.event) if word else JobEvent.objects.all()
    newest = [row.at for row in spoiled.readable(rows.only("at").order_by("-pk")[:1])]
    known = [*newest, word.at] if word else newest
    return max(known, default=None)
