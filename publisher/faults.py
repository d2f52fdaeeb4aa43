"""Fault points: end, pause or trouble the process at a named moment; only when IMPRIMATUR_FAULT is set.

``before:``, ``inside:`` (written, not committed) and ``after:`` each journal entry, ``before:``,
``inside:`` (half of a new file is on the disk) and ``after:`` each keeping of bytes, ``before:`` and
``after:`` each call of a port or of a live checkout; ``POINT:N`` is the N-th time.
``POINT[:N]=pause`` stops the process as SIGSTOP does, ``=error`` raises there, ``=full`` says that
the disk is full, ``=exit`` (the default) ends it. The engine has no hooks: the functions of the
journal and of the artifacts are replaced, and every port is handed out behind a proxy.
"""

import errno
import os
import signal
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from functools import partial, wraps
from typing import Any

import structlog
from django.core.files.base import ContentFile, File
from django.db import OperationalError, transaction

from publisher import artifacts, fault_names, journal
from publisher.ports import Ports
from publisher.storage import DurableFileSystemStorage

EXIT = 75
_JOURNAL = ("record", "note", "begin")
log = structlog.get_logger(__name__)


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


def _full(point: str) -> None:
    """What a full disk says: the database in its own words, everything else by errno."""
    if fault_names.WRITES.fullmatch(point):
        raise OperationalError("database or disk is full")
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), point)


ACTIONS: dict[str, Callable[[str], None]] = {
    "exit": _exit,
    "pause": _pause,
    "error": _error,
    "full": _full,
}


class _Trap:
    """The armed point, what happens there, and how often each point was passed."""

    def __init__(self) -> None:
        self.point = ""
        self.time = 1
        self.action = "exit"
        self.passed: Counter[str] = Counter()
        self.tell: Callable[[str], None] | None = None

    @property
    def is_set(self) -> bool:
        """Whether anybody cares which points are passed."""
        return bool(self.point) or self.tell is not None

    def arm(self, text: str) -> None:
        fault = fault_names.parse(text)
        self.point, self.time, self.action = fault.point, fault.time, fault.action

    def reach(self, point: str) -> None:
        """Let it happen, when this is the armed point for the armed time."""
        self.passed[point] += 1
        if self.tell is not None:
            self.tell(point)
        if point == self.point and self.passed[point] == self.time:
            log.warning("fault_point", point=point, action=self.action)
            ACTIONS[self.action](point)


_trap = _Trap()


def install(point: str) -> None:
    """Arm one point in this process; InvalidInput when there is none of this name."""
    was_set = _trap.is_set
    _trap.arm(point)
    if not was_set:
        _watch()


def watch(tell: Callable[[str], None]) -> None:
    """Have each point told as it is passed."""
    if not _trap.is_set:
        _watch()
    _trap.tell = tell


def missed() -> str:
    """The armed point, when it was not passed as often as it should have been."""
    return _trap.point if _trap.passed[_trap.point] < _trap.time else ""


def _watch() -> None:
    for name in _JOURNAL:
        _replace(journal, name, partial(_watched, name))
    _replace(artifacts, "write", partial(_between, "artifacts.write"))
    _replace(DurableFileSystemStorage, "_save", _in_halves)


def _replace(owner: object, name: str, made: Callable[[Callable[..., Any]], object]) -> None:
    setattr(owner, name, made(getattr(owner, name)))


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


def _between(label: str, call: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(call)
    def passed_on(*arguments: Any, **options: Any) -> Any:
        _trap.reach(f"before:{label}")
        result = call(*arguments, **options)
        _trap.reach(f"after:{label}")
        return result

    return passed_on


class _Halved(ContentFile[bytes]):
    """Bytes that are written in two halves, with a point between them."""

    def chunks(self, chunk_size: int | None = None) -> Iterator[bytes]:
        data = self.read()
        half = len(data) // 2
        yield data[:half]
        _trap.reach("inside:artifacts.write")
        yield data[half:]


def _in_halves(save: Callable[..., str]) -> Callable[..., str]:
    @wraps(save)
    def saved(storage: DurableFileSystemStorage, name: str, content: "File[bytes]") -> str:
        return save(storage, name, _Halved(content.read()))

    return saved


def proxied(ports: Ports) -> Ports:
    """The same ports, each call between two points; unchanged while nobody watches."""
    if not _trap.is_set:
        return ports
    wrapped = {
        item.name: _Proxy(item.name, getattr(ports, item.name))
        for item in fields(ports)
        if item.name not in ("repository", "provider", "clock")
    }
    return replace(
        ports,
        repository=lambda spec, cancelled: _Proxy("repository", ports.repository(spec, cancelled)),
        provider=lambda name, cancelled: _Proxy("provider", ports.provider(name, cancelled)),
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

        between = _between(f"{self._name}.{call}", found)
        if call not in fault_names.OPENED:
            return between
        return lambda *arguments, **options: _Proxy(call, between(*arguments, **options))
