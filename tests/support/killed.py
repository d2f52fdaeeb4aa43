"""A worker outside any supervisor that is killed without warning."""

import signal
import subprocess
import sys

from tests.support.crash import ROOT, Installation


class Killed:
    """A ``manage.py work`` with a short lease, in a process of its own."""

    def __init__(self, here: Installation) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "manage.py", "work", "--until-idle", "--lease-seconds", "1.5"],
            cwd=ROOT,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=here.environment,
        )

    def kill(self) -> None:
        """End it; harmless the second time."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(timeout=20)
