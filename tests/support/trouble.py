"""Trouble at the n-th moment from now: death, a defect, a pause, or a push whose answer is lost."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import wraps
from pathlib import Path
from typing import Any

from django.db import connection, transaction

from publisher import journal
from publisher.domain.errors import OutcomeUnknown
from publisher.ports import Ports, SiteSpec
from tests.support.git import git, head


class Killed(BaseException):
    """The process ends here; nobody catches it."""


class Defect(Exception):
    """An exception that nobody expects."""


@dataclass
class Trouble:
    """Counts the moments that a worker passes: each port call and journal entry, before and after.

    ``act`` happens at the ``left``-th; with ``apart`` at the first one from there at which neither
    a lock nor a transaction is held, as a process that stands still would keep both for itself.
    """

    left: int = 0
    act: Callable[[], None] | None = None
    apart: bool = False
    answer: str = "given"
    sent: list[tuple[str, str]] = field(default_factory=list)
    locks_held: int = 0
    outside: int = 0

    def arm(self, left: int, act: Callable[[], None], *, apart: bool = False) -> None:
        """Let it happen once."""
        self.left, self.act, self.apart = left, act, apart

    def disarm(self) -> None:
        """Peace from here on."""
        self.act, self.answer = None, "given"

    def reach(self) -> None:
        """One moment; perhaps the one."""
        if self.act is None:
            return
        self.left -= 1
        is_free = not self.locks_held and len(connection.savepoint_ids) <= self.outside
        if self.left <= 0 and (is_free or not self.apart):
            act, self.act = self.act, None
            act()

    def land(self, clones: Path, remote: Path) -> None:
        """What was sent first reaches the remote, which takes it only on the tip that it names."""
        commit, lease = self.sent.pop(0)
        if head(remote) != lease:
            return
        (clone,) = (
            path.parent for path in clones.rglob("HEAD") if (path.parent / "objects").is_dir()
        )
        git(clone, "push", "-q", str(remote), f"{commit}:refs/heads/main")

    def ports(self, ports: Ports) -> Ports:
        """The same ports, with these moments in them."""

        def repository(spec: SiteSpec, cancelled: Callable[[], bool]) -> Any:
            return _Repository(ports.repository(spec, cancelled), self)

        return replace(ports, repository=repository, locks=_Locks(ports.locks, self))

    def watch_journal(self) -> Callable[[], None]:
        """Put moments around and inside each journal entry; call what is returned to undo it."""
        plain = {name: getattr(journal, name) for name in ("record", "note")}
        for name, write in plain.items():
            setattr(journal, name, self._watched(write))

        def undo() -> None:
            for name, write in plain.items():
                setattr(journal, name, write)

        return undo

    def _watched(self, write: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(write)
        def watched(*arguments: Any, **options: Any) -> Any:
            self.reach()
            with transaction.atomic():
                entry = write(*arguments, **options)
                self.reach()
            self.reach()
            return entry

        return watched


class _Repository:
    def __init__(self, repository: Any, trouble: Trouble) -> None:
        self._repository = repository
        self._trouble = trouble

    def __getattr__(self, name: str) -> Any:
        call = getattr(self._repository, name)

        @wraps(call)
        def passed_on(*arguments: Any, **options: Any) -> Any:
            self._trouble.reach()
            result = call(*arguments, **options)
            self._trouble.reach()
            return result

        return passed_on

    def push(self, commit: str, *, lease: str) -> None:
        """Push; whether it arrives and whether that is told are two things."""
        trouble, answer = self._trouble, self._trouble.answer
        trouble.answer = "given"
        trouble.reach()
        if answer == "late":
            trouble.sent.append((commit, lease))
        elif answer != "never arrives":
            self._repository.push(commit, lease=lease)
        if answer != "given":
            raise OutcomeUnknown("No answer came.")
        trouble.reach()

    def close(self) -> None:
        """The dead close nothing, but the test's own processes are to end."""
        self._repository.close()


class _Locks:
    def __init__(self, locks: Any, trouble: Trouble) -> None:
        self._locks = locks
        self._trouble = trouble

    @contextmanager
    def hold(self, name: str, site: str, *, timeout_seconds: float = 15) -> Iterator[None]:
        """Hold one lock, and count it."""
        self._trouble.reach()
        with self._locks.hold(name, site, timeout_seconds=timeout_seconds):
            self._trouble.locks_held += 1
            try:
                yield
            finally:
                self._trouble.locks_held -= 1
        self._trouble.reach()
