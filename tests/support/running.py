"""What runs: the living processes of one installation."""

import signal
from pathlib import Path

from publisher.processes import kernel


def living(home: Path) -> list[int]:
    """Processes whose environment names the folder of this installation."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            named = str(home).encode() in (path / "environ").read_bytes()
        except OSError:
            continue
        if named and kernel.is_alive(int(path.name)):
            found.append(int(path.name))
    return found


def heed_signals() -> None:
    """For a child before it begins: a suite in the background or under nohup ignores signals."""
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
