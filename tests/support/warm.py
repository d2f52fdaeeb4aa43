"""Runs manage.py commands in forks of one process that has started Django: real exits, no start-up each.

Run as ``python -m tests.support.warm``; reads one JSON request a line and answers each with one.
``begin`` forks a child and answers its pid; ``wait`` waits until it ends, stops or the time is up.
"""

import gc
import json
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

import django

if __name__ == "__main__":
    django.setup()

from django.core.management import ManagementUtility

from publisher import authority, clock, faults
from publisher.domain.states import Actor, Event, State
from publisher.engine import external_sync
from publisher.engine.foreground import SOON_SECONDS
from publisher.journal import Who
from publisher.models import Conflict, Job, Outbox, Site
from publisher.services.resolve import Choice, resolve
from tests.support import jobs
from tests.support.waiting import until

ROOT = Path(__file__).resolve().parents[2]
Json = dict[str, Any]
STOPPED, RUNNING = "stopped", "running"
_COMMANDS = (
    "publisher.management.commands.work",
    "publisher.management.commands.inspect",
    "publisher.management.commands.reconcile",
    "publisher.management.commands.site",
    "publisher.management.commands.submit",
    "reviews.management.commands.approve",
    "reviews.management.commands.user",
)


class Warm:
    """The tests' side: one such process, with one installation's environment and modules loaded."""

    def __init__(self, environment: dict[str, str], *modules: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.warm", *modules],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT, env=environment, text=True,
        )  # fmt: skip

    def begin(
        self,
        arguments: tuple[str, ...],
        said: Path,
        points: Path | None = None,
        *,
        is_later: bool = False,
    ) -> int:
        """Start a command; it says things to ``said`` and ``said``.err, and its points to ``points``.

        ``is_later``: the leases and waits of those before it are over.
        """
        request = {
            "begin": arguments, "said": str(said), "points": str(points or ""), "is_later": is_later,
        }  # fmt: skip
        return int(self._ask(request)["pid"])

    def wait(self, pid: int, *, seconds: float = 120) -> int | str:
        """Its exit code (negative: the signal), or "stopped" or "running"."""
        answer: int | str = self._ask({"wait": pid, "seconds": seconds})["ended"]
        return answer

    def close(self) -> None:
        """End it."""
        self._process.communicate(timeout=120)

    def _ask(self, request: Json) -> Json:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        answer: Json = json.loads(self._process.stdout.readline())
        return answer


def _begin(request: Json) -> Json:
    pid = os.fork()
    return {"pid": pid} if pid else _run(request)


def _run(request: Json) -> NoReturn:
    """The child: what ``manage.py`` would do, up to the exit."""
    for number, name in ((1, request["said"]), (2, request["said"] + ".err")):
        os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    if request["points"]:
        _write_points(Path(request["points"]))
    code = 1
    try:
        if request["is_later"]:
            _let_time_pass()
        _do(request["begin"])
        code = 0
    except SystemExit as left:
        code = left.code if isinstance(left.code, int) else int(left.code is not None)
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _write_points(path: Path) -> None:
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    faults.watch(lambda point: _append(file, point))


def _do(arguments: list[str]) -> None:
    acts: dict[str, Callable[..., None]] = {
        "settle": _settle,
        "watch": _watch,
        "lose": _lose_an_answer,
        "race": _race,
    }
    if arguments[0] in acts:
        acts[arguments[0]](*arguments[1:])
    else:
        # Without ``execute``, which would start Django again.
        command = ManagementUtility().fetch_command(arguments[0])
        command.run_from_argv(["manage.py", *arguments])


def _append(file: int, point: str) -> None:
    os.write(file, f"{point}\n".encode())


def _settle(job: str) -> None:
    """A person keeps our version of every file of the job's conflict; no command does that."""
    conflict = Conflict.objects.get(job=job, settled_at__isnull=True)
    files = [Choice(str(one["path"]), "ours") for one in conflict.files]
    resolve(
        conflict, files=files, ours_sha256=conflict.ours_sha256,
        theirs_sha256=conflict.theirs_sha256, who=Who(Actor.REVIEWER, "sam"), now=clock.now(),
    )  # fmt: skip


def _watch() -> None:
    """What the watcher of live checkouts does when a file there changes."""
    for site in external_sync.watched():
        external_sync.ask(site, now=clock.now(), due_at=clock.now())


def _let_time_pass() -> None:
    """What would be waited for, a lease's end or a next try, has come: nobody has to sit it out."""
    now = clock.now()
    soon = now + timedelta(seconds=SOON_SECONDS)
    for rows, due in ((Job.objects.all(), "available_at"), (Outbox.objects.all(), "due_at")):
        for moment in ("lease_until", due):
            rows.filter(**{f"{moment}__range": (now, soon)}).update(**{moment: now})


def _lose_an_answer(site: str) -> None:
    """A job of this site failed after its push may have arrived; the next sweep asks the remote."""
    job = jobs.moved(
        jobs.waiting(at=Site.objects.get(name=site)), Event.APPROVE, State.READY_TO_COMMIT
    )
    for event in (Event.COMMIT, Event.COMMITTED, Event.DELIVER):
        jobs.moved(job, event)
    jobs.with_intent(job)
    jobs.moved(job, Event.FAIL)


def _race(plan: str) -> None:
    """One process of a race."""
    import_module("tests.support.racer").main(json.loads(plan))


def _wait(request: Json) -> Json:
    """Whatever became of it; a stop is told once."""
    ended: list[int | str] = []

    def look() -> bool:
        pid, status = os.waitpid(request["wait"], os.WNOHANG | os.WUNTRACED)
        if pid:
            stopped = os.WIFSTOPPED(status)
            ended.append(STOPPED if stopped else os.waitstatus_to_exitcode(status))
        return bool(ended)

    with suppress(AssertionError):
        until(look, seconds=request["seconds"], what="its end", every=0.005)
    return {"ended": ended[0] if ended else RUNNING}


def main() -> None:
    """Answer request after request until stdin ends; what all children need is loaded once."""
    for name in (*_COMMANDS, *sys.argv[1:]):
        import_module(name)
    authority.current()
    gc.freeze()
    for line in sys.stdin:
        request = json.loads(line)
        answer = _begin(request) if "begin" in request else _wait(request)
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
