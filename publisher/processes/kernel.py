"""What Linux offers to keep a family of processes: death signals, adoption, a look at who lives.

Everything here is for processes with a single thread, as the supervisor and the parent of ``run``
are: signals are blocked and asked for, never delivered in the middle of something.
"""

import ctypes
import os
import signal
import sys
import traceback
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NoReturn

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
WATCHED = frozenset({signal.SIGTERM, signal.SIGINT, signal.SIGCHLD})
STOPPING = frozenset({signal.SIGTERM, signal.SIGINT})

_libc = ctypes.CDLL(None, use_errno=True)


def hold_signals() -> None:
    """Keep the watched signals for ``next_signal``."""
    signal.pthread_sigmask(signal.SIG_BLOCK, WATCHED)


def next_signal(seconds: float) -> int | None:
    """Wait for a watched signal; None when the time is up."""
    info = signal.sigtimedwait(WATCHED, seconds)
    return None if info is None else info.si_signo


def is_told_to_stop() -> bool:
    """Whether a signal to stop waits to be asked for."""
    return bool(STOPPING & signal.sigpending())


def die_with_parent(number: signal.Signals = signal.SIGTERM) -> None:
    """Have this process sent a signal when its parent dies, however that happens."""
    _libc.prctl(PR_SET_PDEATHSIG, int(number), 0, 0, 0)


def adopt_orphans() -> None:
    """Become the parent of every descendant that loses its own, so that none can get away."""
    _libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def fork(work: Callable[[], None], *, own_session: bool) -> int:
    """Run the work in a child that ends with it, and return the child's id."""
    parent = os.getpid()
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        _as_child(work, parent=parent, own_session=own_session)
    return child


def _as_child(work: Callable[[], None], *, parent: int, own_session: bool) -> NoReturn:
    status = 1
    try:
        if own_session:
            os.setsid()
        die_with_parent()
        if os.getppid() != parent:  # it died before the line above
            os._exit(status)
        for number in WATCHED:
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, WATCHED)
        work()
        status = 0
    except SystemExit as end:  # the work has said what there is to say
        status = end.code if isinstance(end.code, int) else 1
    except BaseException:  # the parent's code must not go on in the child
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def reap() -> dict[int, int]:
    """Collect the children that have ended: id -> exit code (negative: the signal)."""
    ended: dict[int, int] = {}
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return ended
        if pid == 0:
            return ended
        ended[pid] = os.waitstatus_to_exitcode(status)


def children(pid: int) -> list[int]:
    """The children of a process with a single thread; none when it is gone."""
    try:
        return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def is_alive(pid: int) -> bool:
    """Tell whether the process exists and is more than a zombie."""
    try:
        after_name = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2]
    except OSError:
        return False
    return after_name.split()[0] not in {"Z", "X"}


def kill(pid: int, number: signal.Signals = signal.SIGKILL) -> None:
    """Signal one process; one that has gone already is no error."""
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return


def kill_group(group: int, number: signal.Signals = signal.SIGKILL) -> None:
    """Signal a process group; one that has gone already is no error."""
    try:
        os.killpg(group, number)
    except ProcessLookupError:
        return


def kill_orphans(known: Iterable[int]) -> list[int]:
    """Kill the adopted children: whoever is not one of ours lost its parent to a sudden death."""
    mine = set(known)
    orphans = [pid for pid in children(os.getpid()) if pid not in mine]
    for pid in orphans:
        kill(pid)
    return orphans
