"""Runner: the one place that starts git, with an environment, a deadline and limits of its own."""

import contextlib
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import PIPE
from typing import Any, BinaryIO

from git import Git
from git.exc import CommandError

from publisher.adapters.git import environment, in_use, words
from publisher.adapters.git.child import Child
from publisher.adapters.git.credentials import Credentials
from publisher.domain.errors import RepositoryError

OUTPUT_CAP = 8 << 20
ERROR_CAP = 1 << 18
LINGER_SECONDS = 1.0
"""How long output is awaited after the end of a process whose descendants keep its streams open."""

ENDS_OPTIONS = frozenset(
    {
        "diff-tree", "fetch", "for-each-ref", "log", "ls-remote", "ls-tree", "merge-base", "push",
        "update-ref",
    }
)  # fmt: skip
"""Commands that take ``--end-of-options``; others are given no operand that could look like one.

``worktree`` takes it and hands its operands to another command without it, so it is not here.
"""


@dataclass(frozen=True, slots=True)
class Deadlines:
    """Seconds: for commands on the clone, for fetch and push, and of silence while cloning."""

    read: float = 30.0
    network: float = 120.0
    idle: float = 120.0


@dataclass(frozen=True, slots=True)
class Result:
    """An exit code, stdout as bytes, stderr as words that may be shown."""

    code: int
    out: bytes
    text: str


class Interrupted(RepositoryError):
    """Git was ended from here: by a deadline, a cancel or too much output; ``why`` says which."""

    def __init__(self, why: str, message: str) -> None:
        super().__init__(message, permanent=why == "output", why=why)
        self.why = why


def never() -> bool:
    """Nobody asks git to stop."""
    return False


@dataclass(slots=True)
class Runner:
    """Starts git for one clone. ``cancelled`` is asked all the time while git works."""

    git_dir: Path
    folder: Path
    protocols: Sequence[str]
    credentials: Credentials
    cancelled: Callable[[], bool] = never
    deadlines: Deadlines = field(default_factory=Deadlines)
    network: environment.Network = environment.DIRECT
    started: int = 0

    def run(
        self,
        command: str,
        *options: str,
        operands: Sequence[str] = (),
        paths: Sequence[str] | None = None,
        stdin: bytes | None = None,
        variables: Mapping[str, str] | None = None,
        ok: Sequence[int] | None = (0,),
        deadline: float | None = None,
        idle: float | None = None,
        cap: int = OUTPUT_CAP,
        listener: Callable[[bytes], None] | None = None,
        sink: Callable[[bytes], None] | None = None,
        folder: Path | None = None,
    ) -> Result:
        """Run one command to its end, in the site's folder unless another is named.

        ``operands`` follow --end-of-options, ``paths`` follow "--". With ``idle`` the deadline
        counts from the last output. A ``sink`` is handed the output piece by piece, and none is
        kept. Raises Interrupted, and RepositoryError for other codes than ``ok`` (None: any code
        is an answer).
        """
        argv = arguments(command, options, operands, paths)
        with self._file_of(stdin) as given, in_use.marked(self.folder) as mark:
            child = self._start(argv, given, variables or {}, folder or self.folder, (mark,))
        try:
            limit = _Limit(deadline or self.deadlines.read, idle, cap, self.cancelled)
            out, err = _collect(child, command, limit, listener, sink)
        except BaseException:
            child.end()
            raise
        child.forget()
        result = Result(child.code or 0, out, words.clean(err, secrets=self.credentials.secrets()))
        if ok is not None and result.code not in ok:
            raise words.local_failure(command, result.text)
        return result

    def start(self, command: str, *options: str) -> Child:
        """Start a process that answers requests on its stdin until it is ended; it only reads."""
        return self._start(arguments(command, options, (), None), PIPE, {}, self.folder)

    def scratch(self) -> tempfile.TemporaryDirectory[str]:
        """A folder of the site's own that goes away with its ``with``."""
        return tempfile.TemporaryDirectory(dir=self._home(), ignore_cleanup_errors=True)

    @contextlib.contextmanager
    def _file_of(self, data: bytes | None) -> Iterator[BinaryIO | None]:
        """Input as a file without a name: no pipe to fill, nobody to wait for."""
        if data is None:
            yield None
            return
        with tempfile.TemporaryFile(dir=self._home()) as source:
            source.write(data)
            source.seek(0)
            yield source

    def _home(self) -> Path:
        home = self.folder / "tmp"
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        return home

    def _start(
        self,
        argv: list[str],
        stdin: BinaryIO | int | None,
        variables: Mapping[str, str],
        folder: Path,
        marks: Sequence[int] = (),
    ) -> Child:
        empty = self.folder / "home"
        empty.mkdir(parents=True, exist_ok=True, mode=0o700)
        pairs = environment.base(
            git_dir=self.git_dir, home=empty, protocols=self.protocols, network=self.network
        )
        pairs |= variables
        # GitPython can only add to the environment of its caller, so env empties it.
        whole = ["/usr/bin/env", "-i", *(f"{key}={value}" for key, value in pairs.items()), *argv]
        keywords: dict[str, Any] = {
            "as_process": True,
            "start_new_session": True,
            "pass_fds": marks,
        }
        try:
            handle = Git(str(folder)).execute(whole, istream=stdin, **keywords)
        except (CommandError, OSError) as trouble:
            raise RepositoryError(f"git could not be started: {type(trouble).__name__}") from None
        self.started += 1
        return Child(handle)


def arguments(
    command: str, options: Sequence[str], operands: Sequence[str], paths: Sequence[str] | None
) -> list[str]:
    """The argument list of a command, with its operands where none is taken for an option."""
    argv = ["git", command, *options]
    if operands and command in ENDS_OPTIONS:
        argv.append("--end-of-options")
    elif any(operand.startswith("-") for operand in operands):
        raise RepositoryError("An argument of git may not begin with a dash.", permanent=True)
    argv += operands
    return argv if paths is None else [*argv, "--", *paths]


@dataclass(slots=True)
class _Limit:
    seconds: float
    idle: float | None
    cap: int
    cancelled: Callable[[], bool]
    since: float = field(default_factory=time.monotonic)

    def heard(self) -> None:
        if self.idle is not None:
            self.since = time.monotonic()

    def check(self, command: str, size: int) -> None:
        if size > self.cap:
            raise Interrupted("output", f"git {command} answered with over {self.cap} bytes.")
        allowed = self.idle if self.idle is not None else self.seconds
        if time.monotonic() - self.since > allowed:
            raise Interrupted("deadline", f"git {command} gave no answer in {allowed:g} seconds.")
        if self.cancelled():
            raise Interrupted("cancelled", f"git {command} was stopped from here.")


def _collect(
    child: Child,
    command: str,
    limit: _Limit,
    listener: Callable[[bytes], None] | None,
    sink: Callable[[bytes], None] | None,
) -> tuple[bytes, bytes]:
    out, err = bytearray(), bytearray()
    over: float | None = None
    while not child.is_silent:
        more, said = child.read()
        if sink is None:
            out += more
        elif more:
            sink(more)
        if listener is not None and said:
            listener(said)
        if len(err) < ERROR_CAP:
            err += said
        if more or said:
            limit.heard()
        elif child.code is not None:
            over = over or time.monotonic()
            if time.monotonic() - over > LINGER_SECONDS:
                break
        limit.check(command, len(out))
    while child.wait() is None:
        limit.check(command, len(out))
    return bytes(out), bytes(err)
