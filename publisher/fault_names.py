"""Fault names: what ``IMPRIMATUR_FAULT`` and ``work --fault`` may say; the one place that reads them."""

import re
from dataclasses import dataclass

from publisher.domain.errors import InvalidInput
from publisher.domain.states import Event
from publisher.live import LiveCheckout, LiveRepository
from publisher.ports import Authority, Locks, Provider

ALIASES = {
    "after_collect": "after:note.step_committed:1",
    "before_effect": "before:repository.push",
    "after_effect": "after:repository.push",
}
ACTIONS = ("exit", "pause", "error", "full")
WRITES = re.compile(r"(before|inside|after):(record|note|begin)\.([a-z_]+)")
_KEEPS = re.compile(r"(before|inside|after):artifacts\.write")
_CALLS = re.compile(r"(before|after):(repository|live|provider|locks|authority)\.([a-z_]+)")
OPENED = ("live",)
"""Calls whose results have points of their own."""
_PORTS = {
    "repository": LiveRepository,
    "live": LiveCheckout,
    "provider": Provider,
    "locks": Locks,
    "authority": Authority,
}


@dataclass(frozen=True, slots=True)
class Fault:
    """Where something goes wrong, at which passing, and what."""

    point: str
    time: int = 1
    action: str = ACTIONS[0]


def parse(text: str) -> Fault:
    """Read ``POINT[:N][=ACTION]``; InvalidInput for a point that nothing can ever pass."""
    named, _, action = text.partition("=")
    if action and action not in ACTIONS:
        known = ", ".join(ACTIONS)
        message = f"{action} is none of {known}. `manage.py faults` lists the points."
        raise InvalidInput("fault", message)
    point = ALIASES.get(named, named)
    head, _, number = point.rpartition(":")
    fault = Fault(
        head if number.isdecimal() else point,
        int(number) if number.isdecimal() else 1,
        action or ACTIONS[0],
    )
    if not _is_known(fault.point) or fault.time < 1:
        message = f"There is no fault point {point}. `manage.py faults` lists them."
        raise InvalidInput("fault", message)
    return fault


def _is_known(point: str) -> bool:
    if found := WRITES.fullmatch(point):
        return found[2] == "note" or found[3] in set(Event)
    if _KEEPS.fullmatch(point):
        return True
    found = _CALLS.fullmatch(point)
    return found is not None and callable(getattr(_PORTS[found[2]], found[3], None))
