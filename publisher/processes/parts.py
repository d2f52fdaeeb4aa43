"""Parts: the parent of ``run``, which keeps the parts of the program alive together."""

import signal
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import structlog

from publisher.processes import kernel

STOP_SECONDS = 25.0
LOOK_SECONDS = 0.5
AGAIN_SECONDS = 2.0
log = structlog.get_logger(__name__)


@dataclass(slots=True)
class Part:
    """One part: how to start it (it returns its process id) and what became of it."""

    name: str
    start: Callable[[], int]
    pid: int = 0
    started_at: float = 0.0


def keep(
    parts: Sequence[Part], *, when_up: Callable[[], bool], announce: Callable[[], None]
) -> None:
    """Run the parts until SIGTERM or SIGINT; a part that ends before that is started again.

    ``announce`` is called once, as soon as ``when_up`` says yes.
    """
    kernel.hold_signals()
    kernel.adopt_orphans()
    announced = False
    try:
        while True:
            _start_missing(parts)
            if not announced and when_up():
                announce()
                announced = True
            if kernel.next_signal(LOOK_SECONDS if announced else 0.1) in kernel.STOPPING:
                return
            _bury(parts)
    finally:
        _stop(parts)


def _start_missing(parts: Sequence[Part]) -> None:
    for part in parts:
        now = time.monotonic()
        lived_shortly = part.started_at and now - part.started_at < AGAIN_SECONDS
        if part.pid == 0 and not lived_shortly:
            part.pid = part.start()
            part.started_at = now


def _bury(parts: Sequence[Part]) -> None:
    ended = kernel.reap()
    for part in parts:
        if part.pid in ended:
            log.error("part_ended", part=part.name, pid=part.pid, status=ended[part.pid])
            part.pid = 0
    kernel.kill_orphans(part.pid for part in parts)


def _stop(parts: Sequence[Part]) -> None:
    """Ask every part to end, then end it; a second signal shortens the wait."""
    for part in parts:
        if part.pid:
            kernel.kill(part.pid, signal.SIGTERM)
    end = time.monotonic() + STOP_SECONDS
    while any(kernel.is_alive(part.pid) for part in parts if part.pid):
        if time.monotonic() > end or kernel.next_signal(0.1) in kernel.STOPPING:
            break
    while kernel.kill_orphans(()):
        kernel.reap()
        kernel.next_signal(0.01)
