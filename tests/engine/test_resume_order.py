"""How a job of a dead worker is taken up: the real calls at the borders, in the order in which they come."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import wraps
from typing import Any

import pytest
from django.db import connection

from publisher import selectors
from publisher.domain.states import State
from publisher.ports import Ports, SiteSpec
from publisher.storage import DurableFileSystemStorage
from tests.support.died import Grave
from tests.support.journey import FRESH, FRESH_TEXT, Journey

_TABLE = re.compile(
    r'^(SELECT|UPDATE|INSERT)\b.*?"publisher_(job|jobevent|effect|step)"', re.DOTALL
)


@dataclass
class Record:
    """What reached the database, the stored files and the repository, one after the other."""

    seen: list[str] = field(default_factory=list)

    def ports(self, ports: Ports) -> Ports:
        """The same ports, whose repository tells of each call."""

        def repository(spec: SiteSpec, cancelled: Callable[[], bool]) -> Any:
            return _Told(ports.repository(spec, cancelled), self.seen)

        return replace(ports, repository=repository)

    def statement(self, execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        """One statement for the database."""
        found = _TABLE.match(sql)
        if found:
            self.seen.append(f"{found[1]} {found[2]}")
        return execute(sql, params, many, context)


class _Told:
    def __init__(self, real: Any, seen: list[str]) -> None:
        self._real = real
        self._seen = seen

    def __getattr__(self, name: str) -> Any:
        call = getattr(self._real, name)

        @wraps(call)
        def passed_on(*arguments: Any, **options: Any) -> Any:
            self._seen.append(name)
            return call(*arguments, **options)

        return passed_on


@contextmanager
def recorded(journey: Journey, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """All of it while the block runs."""
    record = Record()
    plain, opened = journey.ports, DurableFileSystemStorage.open

    def open_(self: DurableFileSystemStorage, name: str, mode: str = "rb") -> Any:
        record.seen.append("stored file")
        return opened(self, name, mode)

    journey.ports = record.ports(plain)
    with monkeypatch.context() as patch, connection.execute_wrapper(record.statement):
        patch.setattr(DurableFileSystemStorage, "open", open_)
        yield record.seen
    journey.ports = plain


CLAIM, LOG, FILES, EFFECT = "INSERT jobevent", "SELECT step", "stored file", "UPDATE effect"
LOOK, SENT = ("fetch", "commits"), (EFFECT, "push")
ORDER: dict[State, tuple[str, ...]] = {
    # What is kept of the steps, the files that they name, and then the steps that are missing.
    State.PREPARING: (CLAIM, LOG, FILES, "make_workspace"),
    # No write is open yet: our own clone first, then the files, the commit, and the look before a write.
    State.LOCAL_COMMITTING: (
        CLAIM,
        "job_branch",
        FILES,
        "build_commit",
        *LOOK,
        "INSERT effect",
        "push",
    ),
    # The open write first: what arrived is confirmed by what the remote holds.
    State.PUSHING: (CLAIM, *LOOK, FILES, "build_commit", *SENT),
}
"""By where the worker died: what comes for the first time, in this order."""


@pytest.mark.parametrize("state", ORDER)
def test_a_dead_workers_job_is_taken_up_in_this_order(
    journey: Journey, monkeypatch: pytest.MonkeyPatch, state: State
) -> None:
    grave = Grave(journey, monkeypatch)
    job = grave.die(journey.submit(FRESH_TEXT, FRESH, action="create"), state)
    grave.end_leases(job)
    written = len(selectors.events(job))
    with recorded(journey, monkeypatch) as seen:
        journey.work()
    first = list(dict.fromkeys(seen))
    assert [name for name in first if name in ORDER[state]] == list(ORDER[state]), seen
    # Whoever holds no lease has read the job's row and done nothing else.
    assert set(seen[: seen.index(CLAIM)]) == {"SELECT job"}
    assert selectors.events(job)[written].event == "claimed"
    grave.publish(job)
