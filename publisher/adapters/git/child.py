"""Child: one started git process; reading it within limits, and ending it with all its kin."""

import contextlib
import os
import selectors
import signal
import time
from collections.abc import Callable
from typing import Any

TICK_SECONDS = 0.05
"""How often a wait looks at the deadline and at ``cancelled``."""
GRACE_SECONDS = 2.0
"""How long a group may clean up (remove its lock files) between being asked and being killed."""
CHUNK = 1 << 16


class Child:
    """A process in a session of its own. ``handle`` is GitPython's; it holds the Popen."""

    def __init__(self, handle: Any) -> None:
        self._handle = handle  # kept, because its end would end the process
        self._process = handle.proc
        self._out: int = self._process.stdout.fileno()
        self._err: int = self._process.stderr.fileno()
        self._ready = selectors.DefaultSelector()
        for stream in (self._out, self._err):
            os.set_blocking(stream, False)
            self._ready.register(stream, selectors.EVENT_READ)

    @property
    def pid(self) -> int:
        """The process id, which is the id of its group too."""
        return int(self._process.pid)

    @property
    def code(self) -> int | None:
        """The exit code; None while it runs."""
        status: int | None = self._process.poll()
        return status

    @property
    def is_silent(self) -> bool:
        """Whether both streams have ended."""
        return not self._ready.get_map()

    def write(self, data: bytes) -> None:
        """Send a short request (it must fit into a pipe). Raises OSError when nobody reads."""
        self._process.stdin.write(data)
        self._process.stdin.flush()

    def read(self) -> tuple[bytes, bytes]:
        """What came on stdout and stderr within one tick; both may be empty."""
        got = {self._out: b"", self._err: b""}
        for key, _ in self._ready.select(TICK_SECONDS):
            descriptor = key.fd
            data = os.read(descriptor, CHUNK)
            if not data:
                self._ready.unregister(descriptor)
            got[descriptor] = data
        return got[self._out], got[self._err]

    def wait(self) -> int | None:
        """Its exit code if it ends within one tick; after its streams the end is near."""
        _until(lambda: self.code is not None, seconds=TICK_SECONDS)
        return self.code

    def end(self) -> None:
        """End the whole group: ask, wait a little, kill. Harmless when it is over."""
        if self.code is None or not self.is_silent:
            self._signal(signal.SIGTERM)
            _until(lambda: not self._is_alive(), seconds=GRACE_SECONDS)
            self._signal(signal.SIGKILL)
        self.forget()

    def forget(self) -> None:
        """Reap the process and close its streams."""
        if self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.close()
        self._process.wait()
        self._ready.close()
        self._process.stdout.close()
        self._process.stderr.close()

    def _is_alive(self) -> bool:
        self._process.poll()
        try:
            os.killpg(self.pid, 0)
        except OSError:
            return False
        return True

    def _signal(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, number)


def _until(is_so: Callable[[], bool], *, seconds: float) -> None:
    """Look more and more seldom, so that what is about to end costs next to nothing."""
    limit, pause = time.monotonic() + seconds, 0.0001
    while not is_so() and time.monotonic() < limit:
        time.sleep(pause)
        pause = min(pause * 2, 0.02)
