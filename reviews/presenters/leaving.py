"""Leaving: when an approved job leaves, in words: soon, at its time, or once its site is resumed."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.utils.translation import gettext as _

from publisher.domain.states import State
from reviews.presenters.times import in_full

SOON = timedelta(minutes=1)
READY = frozenset({State.READY_TO_COMMIT, State.READY_TO_DISPATCH})
"""States in which a job's next try is put off by the hold of its policy alone."""


@dataclass(frozen=True, slots=True)
class Leaving:
    """``at`` is None where no time is waited for; ``is_held`` while the job's lane is paused."""

    at: datetime | None
    is_held: bool

    @property
    def is_soon(self) -> bool:
        """Whether nothing but a free worker is waited for."""
        return self.at is None and not self.is_held

    @property
    def when(self) -> str:
        """The end of a sentence that says what leaves."""
        if self.is_soon:
            return _("within a minute")
        at = in_full(self.at) if self.at else ""
        if not self.is_held:
            return _("on %(at)s") % {"at": at}
        if self.at:
            return _("once the site is resumed, and not before %(at)s") % {"at": at}
        return _("once the site is resumed")

    @property
    def title(self) -> str:
        """What an approved job waits for."""
        if self.is_held:
            return _("It was approved. It waits until the site is resumed.")
        return _("It was approved. It waits for its time.")

    @property
    def sentence(self) -> str:
        """What happens with an approved job, and who does it."""
        return _("It leaves by itself %(when)s. You need do nothing.") % {"when": self.when}


def of(job: Any, *, now: datetime, earliest: datetime | None = None) -> Leaving:
    """When a job leaves that has its yes; ``earliest`` is the end of a hold that a yes would begin."""
    hold = job.available_at if State(job.state) in READY else None
    times = [moment for moment in (job.not_before, earliest or hold) if moment is not None]
    later = [moment for moment in times if moment > now + SOON]
    return Leaving(max(later, default=None), job.lane in job.site.paused_lanes)
