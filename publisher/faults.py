"""Fault points: end the process at a named moment; installed only when IMPRIMATUR_FAULT is set.

``before:``, ``inside:`` (written, not committed) and ``after:`` each journal entry, ``before:`` and
``after:`` each port call; ``POINT:N`` is the N-th time. The engine has no hooks: the journal's
functions are replaced, and every port is handed out behind a proxy.
"""

import os
from collections import Counter
from collections.abc import Callable
from dataclasses import fields, replace
from functools import wraps
from typing import Any

from django.db import transaction

from publisher import journal
from publisher.ports import Ports

EXIT = 75
ALIASES = {
    "after_collect": "after:note.step_committed:1",
    "before_effect": "before:repository.push",
    "after_effect": "after:repository.push",
}
_JOURNAL = ("record", "note", "begin")


class _Trap:
    """The armed point, and how often each point was passed."""

    def __init__(self) -> None:
        self.point = ""
        self.time = 1
        self.passed: Counter[str] = Counter()

    def arm(self, text: str) -> None:
        text = ALIASES.get(text, text)
        head, _, number = text.rpartition(":")
        self.point, self.time = (head, int(number)) if number.isdigit() else (text, 1)

    def reach(self, point: str) -> None:
        """Die without any clean-up, as a killed process does."""
        if not self.point:
            return
        self.passed[point] += 1
        if point == self.point and self.passed[point] == self.time:
            os._exit(EXIT)


_trap = _Trap()


def install(point: str) -> None:
    """Arm one point in this process."""
    if not _trap.point:
        for name in _JOURNAL:
            setattr(journal, name, _watched(name, getattr(journal, name)))
    _trap.arm(point)


def _watched(name: str, write: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(write)
    def watched(job: Any, event: Any = "submit", **options: Any) -> Any:
        label = f"{name}.{event}"
        _trap.reach(f"before:{label}")
        arguments = (job,) if name == "begin" else (job, event)
        with transaction.atomic():
            entry = write(*arguments, **options)
            _trap.reach(f"inside:{label}")
            transaction.on_commit(lambda: _trap.reach(f"after:{label}"))
        return entry

    return watched


def proxied(ports: Ports) -> Ports:
    """The same ports, each call between two points; unchanged while nothing is armed."""
    if not _trap.point:
        return ports
    wrapped = {
        item.name: _Proxy(item.name, getattr(ports, item.name))
        for item in fields(ports)
        if item.name not in ("repository", "provider", "clock")
    }
    return replace(
        ports,
        repository=lambda spec, cancelled: _Proxy("repository", ports.repository(spec, cancelled)),
        provider=lambda name: _Proxy("provider", ports.provider(name)),
        **wrapped,
    )


class _Proxy:
    """Stands in front of a port and passes every call on."""

    def __init__(self, name: str, port: Any) -> None:
        self._name = name
        self._port = port

    def __getattr__(self, call: str) -> Any:
        found = getattr(self._port, call)
        if not callable(found):
            return found

        @wraps(found)
        def passed_on(*arguments: Any, **options: Any) -> Any:
            _trap.reach(f"before:{self._name}.{call}")
            result = found(*arguments, **options)
            _trap.reach(f"after:{self._name}.{call}")
            return result

        return passed_on
