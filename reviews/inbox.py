"""Inbox: what waits for a person, most urgent first, and how much of it there is."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from itertools import islice

from reviews import inbox_order
from reviews.inbox_filters import NOTHING, Filters
from reviews.inbox_lines import Line, Place, Source, place, read
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
    """One person's, at one moment, with the filters that an address asks for.

    The first page of all that waits is read once, for whoever asks for it or its number. Where that
    is all, every other page is a part of it.
    """

    def __init__(self, caller: Caller, *, now: datetime, chosen: Filters = NOTHING) -> None:
        self.caller = caller
        self.now = now
        self.chosen = chosen

    @cached_property
    def first(self) -> InboxPage:
        """The first page of all that waits."""
        return _page(self._lines(self._sources, None))

    @property
    def waiting(self) -> Waiting:
        """How many wait, as far as they are counted: as many as the first page has rows."""
        return self.first.count

    def page(self, after: Place | None = None) -> InboxPage:
        """The first that pass the filters and stand behind a place."""
        if self.first.next and (after or self.chosen.used):
            return _page(self._lines(inbox_order.passing(self._sources), after))
        behind = [line for line in self.first.items if after is None or place(line) > after]
        return InboxPage([line for line in behind if line.passes], self.first.next)

    def next_approval(self, *, but: int) -> int | None:
        """The next request for approval beside this one, if one is near."""
        asked = (line.number for line in self.first.items if line.kind == "approval")
        return next((number for number in asked if number != but), None)

    @cached_property
    def _sources(self) -> list[Source]:
        return inbox_order.sources(self.caller, now=self.now, chosen=self.chosen)

    def _lines(self, sources: Sequence[Source], after: Place | None) -> Iterator[Line]:
        """The lines behind a place, read in parts; what the rules keep from this person is left out."""
        deciding = Deciding(self.caller)
        while True:
            part = read(sources, after=after, limit=SHOWN + 1)
            barred = deciding.barred([line.job_id for line in part if line.is_perhaps_own])
            yield from (line for line in part if line.job_id not in barred)
            if len(part) <= SHOWN:
                return
            after = place(part[-1])


def _page(lines: Iterator[Line]) -> InboxPage:
    found = list(islice(lines, SHOWN + 1))
    shown = found[:SHOWN]
    return InboxPage(shown, str(place(shown[-1])) if len(found) > SHOWN else "")
