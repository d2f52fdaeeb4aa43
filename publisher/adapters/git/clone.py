"""Clone: make a site's bare clone, complete it, and heal what a power cut left."""

import time
from collections.abc import Callable

from publisher.adapters.git import upkeep
from publisher.adapters.git.delivery import Delivery
from publisher.adapters.git.refs import remove_empty_objects, remove_stale_locks
from publisher.adapters.git.runner import Runner
from publisher.adapters.git.words import clean

TELL_SECONDS = 1.0


class Clone:
    """The bare clone on this machine."""

    def __init__(self, runner: Runner, delivery: Delivery) -> None:
        self._runner = runner
        self._delivery = delivery

    @property
    def is_made(self) -> bool:
        """Whether the folder is a repository; it may still hold nothing."""
        git_dir = self._runner.git_dir
        return all((git_dir / part).exists() for part in ("HEAD", "objects", "refs", "config"))

    def make(self) -> None:
        """Make the empty clone. Doing it again completes what was cut short."""
        git_dir = self._runner.git_dir
        git_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
        remove_stale_locks(self._runner)
        for name in ("HEAD", "config"):
            if (git_dir / name).exists() and not (git_dir / name).read_bytes().strip():
                (git_dir / name).unlink()  # git would take the empty file for a broken repository
        self._runner.run("init", "--quiet", "--bare", "--template=", "--initial-branch=unborn")

    def complete(self, progress: Callable[[str], None] | None) -> None:
        """Make the clone if needed, fetch the whole history and draw it. Safe to repeat at any time."""
        self.make()
        remove_empty_objects(self._runner.git_dir)
        tip = self._delivery.fetch(_Teller(progress or _ignore))
        upkeep.draw_history(self._runner, tip)


class _Teller:
    """Passes the newest progress line on, at most once in a while."""

    def __init__(self, progress: Callable[[str], None]) -> None:
        self._progress = progress
        self._told_at = 0.0

    def __call__(self, said: bytes) -> None:
        lines = [line for line in said.replace(b"\r", b"\n").split(b"\n") if line.strip()]
        now = time.monotonic()
        if lines and now - self._told_at >= TELL_SECONDS:
            self._told_at = now
            self._progress(clean(lines[-1], keep_progress=True))


def _ignore(_: str) -> None:
    """Nobody listens."""
