"""Fault points: end, pause or trouble the process at a named moment; only when IMPRIMATUR_FAULT is set.

``before:``, ``inside:`` (written, not committed) and ``after:`` each journal entry, ``before:`` and
``after:`` each port call; ``POINT:N`` is the N-th time. ``POINT[:N]=pause`` stops the process as
SIGSTOP does, ``=error`` raises there, ``=exit`` (the default) ends it. The engine has no hooks: the
journal's functions are replaced, and every port is handed out behind a proxy.
"""

import os
import signal
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


class InjectedFault(Exception):
    """An exception that nobody expects, raised at an armed point."""


def _exit(point: str) -> None:
    """Die without any clean-up, as a killed process does."""
    os._exit(EXIT)


def _pause(point: str) -> None:
    """Stop with all threads until somebody sends SIGCONT."""
    os.kill(os.getpid(), signal.SIGSTOP)


def _error(point: str) -> None:
    raise InjectedFault(point)


ACTIONS: dict[str, Callable[[str], None]] = {"exit": _exit, "pause": _pause, "error": _error}


class UnknownAction(Exception):
    """What is to happen at the point is none of ACTIONS."""


class _Trap:
    """The armed point, what happens there, and how often each point was passed."""

    def __init__(self) -> None:
        self.point = ""
        self.time = 1
        self.action = ACTIONS["exit"]
        self.passed: Counter[str] = Counter()

    def arm(self, text: str) -> None:
        text, _, action = text.partition("=")
        if action and action not in ACTIONS:
            raise UnknownAction(f"{action} is none of {', '.join(ACTIONS)}.")
        text = ALIASES.get(text, text)
        head, _, number = text.rpartition(":")
        self.point, self.time = (head, int(number)) if number.isdigit() else (text, 1)
        self.action = ACTIONS[action or "exit"]

    def reach(self, point: str) -> None:
        """Let it happen, when this is the armed point for the armed time."""
        if not self.point:
            return
        self.passed[point] += 1
        if point == self.point and self.passed[point] == self.time:
            self.action(point)


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
