"""Audit words: what kinds of events there are, in the words of a job's history."""

from django.utils.translation import gettext as _

from publisher.domain.states import Event
from reviews.presenters.timeline import MOVES


def kinds() -> list[tuple[str, str]]:
    """Each move's code and its sentence, in the order in which a job meets them."""
    known = {event.value for event in Event}
    somebody = {"who": _("Somebody"), "attempt": 1, "rule": "", "by": "", "step": ""}
    told = [(code, str(row[0]) % somebody) for code, row in MOVES.items() if code in known]
    return told + [(code, code) for code in sorted(known - MOVES.keys())]
