"""Inbox: what waits for a person, most urgent first, and how much of it there is."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from reviews import inbox_order
from reviews.inbox_filters import NOTHING, Filters
from reviews.inbox_lines import Line, Place, place, read
from reviews.own_work import Deciding
from reviews.permissions import Caller

SHOWN = 100
"""How many a page shows, and up to where they are counted."""


@dataclass(frozen=True, slots=True)
class InboxPage:
    """Some of what waits; ``next`` is the place to go on after, or ""."""

    items: list[Line]
    next: str

    @property
    def count(self) -> "Waiting":
        """How many these are, or that there are more."""
        return Waiting(len(self.items), bool(self.next))


@dataclass(frozen=True, slots=True)
class Waiting:
    """How many things wait: ``number``, or more than that."""

    number: int = 0
    is_more: bool = False

    def __bool__(self) -> bool:
        return self.number > 0

    def __str__(self) -> str:
        return f"{self.number}+" if self.is_more else str(self.number)


class Inbox:
    """One person's, at one moment. Its first page is read once, for whoever asks for it or its count."""

    def __init__(self, caller: Caller, *, now: datetime) -> None:
        self.caller = caller
        self.now = now

    @cached_property
    def first(self) -> InboxPage:
        """The first page of all that waits."""
        return self._page(NOTHING, None)

    @property
    def waiting(self) -> Waiting:
        """How many wait, as far as they are counted: as many as the first page has rows."""
        return self.first.count

    def page(self, chosen: Filters = NOTHING, after: Place | None = None) -> InboxPage:
        """The first that pass the filters and stand behind a place."""
        return self._page(chosen, after) if after or chosen.used else self.first

    def next_approval(self, *, but: int) -> int | None:
        """The next request for approval beside this one, if one is near."""
        asked = (line.number for line in self.first.items if line.kind == "approval")
        return next((number for number in asked if number != but), None)

    def _page(self, chosen: Filters, after: Place | None) -> InboxPage:
        found: list[Line] = []
        for line in self._lines(chosen, after):
            if len(found) == SHOWN:
                return InboxPage(found, str(place(found[-1])))
            found.append(line)
        return InboxPage(found, "")

    def _lines(self, chosen: Filters, after: Place | None) -> Iterator[Line]:
        """The lines behind a place, read in parts; what the rules keep from this person is left out."""
        sources = inbox_order.sources(self.caller, now=self.now, chosen=chosen)
        deciding = Deciding(self.caller)
        while True:
            part = read(sources, after=after, limit=SHOWN + 1)
            barred = deciding.barred([line.job_id for line in part if line.is_perhaps_own])
            yield from (line for line in part if line.job_id not in barred)
            if len(part) <= SHOWN:
                return
            after = place(part[-1])
