"""Stoppable: long work in a child, which the parent ends at once when it is told to stop.

Python's own KeyboardInterrupt can be swallowed wherever it happens to be raised, and says nothing
to the programs that were started; a signal that the parent asks for cannot get lost.
"""

from collections.abc import Callable

from publisher.processes import kernel

NOT_READY = "Stopped before all was set up; the next start goes on from here."
LOOK_SECONDS = 1.0


class Stopped(Exception):
    """A signal ended the work; ``number`` is the signal."""

    def __init__(self, number: int) -> None:
        super().__init__(NOT_READY)
        self.number = number


def finish(work: Callable[[], None]) -> int:
    """Do the work in a child and return its exit code; Stopped when SIGINT or SIGTERM came first.

    Whichever it is, no process that the work started is left. The signals stay held.
    """
    kernel.hold_signals()
    kernel.adopt_orphans()
    child = kernel.fork(work, own_session=True)
    try:
        while True:
            number = kernel.next_signal(LOOK_SECONDS)
            if number in kernel.STOPPING:
                raise Stopped(int(number or 0))
            ended = kernel.reap()
            if child in ended:
                return ended[child]
    finally:
        _end_family()


def _end_family() -> None:
    """Kill the children, and theirs as they become ours, until there are none."""
    while kernel.kill_orphans(()):
        kernel.reap()
        kernel.next_signal(0.01)
