"""The board: shared memory on which the cluster's processes chalk up what they are doing.

The supervisor makes it before the cluster exists and reads it without asking anybody, so a
cluster that hangs cannot hide. There is no lock to lose: each byte has one writer.
"""

import mmap
import os
import struct
from typing import Any

from django_q.signals import post_execute, post_execute_in_worker, post_spawn, pre_execute

UNKNOWN, IDLE, WORKING = 0, 1, 2
PLACES = 1 << 16
COUNTER = struct.Struct("=Q")


class Board:
    """Who is idle, who works, and how many tasks were acknowledged."""

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, COUNTER.size + PLACES)

    def wipe(self) -> None:
        """Forget the processes; the count goes on."""
        self._memory[COUNTER.size :] = bytes(PLACES)

    @property
    def acknowledged(self) -> int:
        """How many tasks came out at the far end of the cluster."""
        count: int = COUNTER.unpack_from(self._memory, 0)[0]
        return count

    def doing(self, pid: int) -> int:
        """What the process said of itself last."""
        return self._memory[COUNTER.size + pid % PLACES]

    def _say(self, what: int) -> None:
        self._memory[COUNTER.size + os.getpid() % PLACES] = what

    def _on_spawn(self, **details: Any) -> None:
        self._say(IDLE)

    def _on_start(self, **details: Any) -> None:
        self._say(WORKING)

    def _on_end(self, **details: Any) -> None:
        self._say(IDLE)

    def _on_acknowledged(self, **details: Any) -> None:
        COUNTER.pack_into(self._memory, 0, self.acknowledged + 1)

    def attach(self) -> None:
        """Listen to the signals of a cluster that is about to start in this process."""
        post_spawn.connect(self._on_spawn, dispatch_uid="board")
        pre_execute.connect(self._on_start, dispatch_uid="board")
        post_execute_in_worker.connect(self._on_end, dispatch_uid="board")
        post_execute.connect(self._on_acknowledged, dispatch_uid="board")
