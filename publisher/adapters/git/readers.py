"""Readers: the processes that read clones stay open between jobs, for the few clones used last."""

import os
import threading
from collections import OrderedDict
from dataclasses import replace
from pathlib import Path

from publisher.adapters.git.objects import Objects
from publisher.adapters.git.runner import Runner, never

KEPT = 2
"""Clones. Each costs a process, and the trees that it has parsed (see objects.KEPT_ENTRIES)."""


class Readers:
    """One reader a clone. A fork starts anew: its parent's readers are not its own to end."""

    def __init__(self, kept: int = KEPT) -> None:
        self._kept = kept
        self._lock = threading.Lock()
        self._open: OrderedDict[tuple[int, Path], Objects] = OrderedDict()

    def of(self, runner: Runner) -> Objects:
        """The reader of this runner's clone; no single job can cancel it."""
        mine = os.getpid()
        with self._lock:
            found = self._open.pop((mine, runner.git_dir), None)
            self._open[mine, runner.git_dir] = found or Objects(replace(runner, cancelled=never))
            keys = [key for key in self._open if key[0] == mine]
            for key in keys[: -self._kept]:
                self._open.pop(key).close()
            return self._open[mine, runner.git_dir]
