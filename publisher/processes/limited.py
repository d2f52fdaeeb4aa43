"""Run one of our modules in a child with little memory, little time and no way to harm its parent."""

import contextlib
import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

_START = Path(__file__).with_name("limited_start.py")


@dataclass(frozen=True, slots=True)
class Limits:
    """What a child may use."""

    memory_bytes: int = 1024**3
    cpu_seconds: int = 8
    deadline_seconds: float = 10.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a child ended: ``code`` is its exit code (negative: the signal), ``None`` at the deadline."""

    code: int | None
    output: bytes

    @property
    def is_ok(self) -> bool:
        """Whether the child ended by itself and well."""
        return self.code == 0


def run_limited(module: str, payload: bytes, *, limits: Limits | None = None) -> Outcome:
    """Run a module (its file as a script) on ``payload`` as standard input; never raises for its fate.

    The child has its own session, an empty environment, no core dump and no files to write. A
    crash, a memory or a time limit is an Outcome, so a hostile text costs one child and no worker.
    """
    limits = limits or Limits()
    spec = find_spec(module)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(module)
    arguments = [str(limits.memory_bytes), str(limits.cpu_seconds), spec.origin]
    with subprocess.Popen(
        [sys.executable, "-I", str(_START), *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={"PATH": os.defpath, "LANG": "C.UTF-8"},
        cwd="/",
        start_new_session=True,
    ) as child:
        try:
            output, _ = child.communicate(payload, timeout=limits.deadline_seconds)
        except subprocess.TimeoutExpired:
            _end(child.pid)
            child.communicate()
            return Outcome(None, b"")
    return Outcome(child.returncode, output)


def _end(group: int) -> None:
    # The group may be gone already: then there is nothing to end.
    with contextlib.suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)
