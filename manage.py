#!/usr/bin/env python3
"""Makes the environment from the hash-locked requirements, then runs Django's commands inside it.

Needs nothing but the standard library: no pip, no ensurepip. The environment is ``.venv`` beside
this file. It is rebuilt when a lock or the Python version changes. ``IMPRIMATUR_NO_BOOTSTRAP=1``
skips all that and uses the Python that runs this file, for machines that bring their own packages.
"""

import contextlib
import fcntl
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from types import FrameType
from typing import Any

if sys.version_info < (3, 11):  # noqa: UP036 (said before anything newer is used)
    sys.exit(
        "Imprimatur needs Python 3.11 or newer; this is Python " + sys.version.split()[0] + "."
    )

HERE = Path(__file__).resolve().parent
VENV = HERE / ".venv"
VENV_PYTHON = VENV / "bin" / "python"
STAMP = VENV / "imprimatur.json"
RUN_LOCK = HERE / "requirements.lock"
TEST_LOCK = HERE / "requirements-test.lock"
STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
started: list["subprocess.Popen[str]"] = []
"""Programs that end with this one."""


def say(message: str) -> None:
    """Show progress; stdout belongs to the command."""
    print(f"[imprimatur] {message}", file=sys.stderr, flush=True)


def leave(number: int, _frame: FrameType | None = None) -> None:
    """End at once and with one line: an exception could be swallowed wherever it is raised."""
    for program in started:
        program.kill()
    for program in started:
        with contextlib.suppress(ChildProcessError):  # that one has ended and was waited for
            os.waitpid(program.pid, 0)  # a killed program lives on for a moment
    os.write(2, b"[imprimatur] Stopped before all was set up; the next start goes on from here.\n")
    os._exit(128 + number)


def leave_when_told() -> None:
    """Let these signals end the setting up; they were held while Python changed over.

    One that the caller had us ignore, as ``nohup`` does and a shell for what it starts with ``&``,
    stays ignored.
    """
    for number in STOPPING:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, leave)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPPING)


def stop_as_usual(command: str) -> None:
    """Give the signals back to the command that runs from here on.

    ``run`` takes over SIGINT and SIGTERM itself, and is set up only later; SIGHUP it leaves alone.
    """
    for number in [signal.SIGHUP] if command == "run" else STOPPING:
        if signal.getsignal(number) == leave:
            is_interrupt = number == signal.SIGINT
            usual = signal.default_int_handler if is_interrupt else signal.SIG_DFL
            signal.signal(number, usual)


def begin(command: list[str], **how: Any) -> "subprocess.Popen[str]":
    """Start a program that ends with this one: a signal waits until the program is known.

    The program inherits signals held: Ctrl-C reaches it through this process alone.
    """
    signal.pthread_sigmask(signal.SIG_BLOCK, STOPPING)
    program = subprocess.Popen(command, text=True, **how)
    started.append(program)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPPING)
    return program


def wanted(lock: Path) -> str:
    """Name what the environment must have been built from."""
    digest = hashlib.sha256(lock.read_bytes()).hexdigest()
    return f"{sys.version_info[0]}.{sys.version_info[1]}:{digest}"


def stamped() -> dict[str, str]:
    """Read what the environment was built from; nothing if it was never finished."""
    try:
        return dict(json.loads(STAMP.read_text()))
    except (OSError, ValueError):
        return {}


def is_ready(lock: Path) -> bool:
    """Tell whether the environment holds this very lock."""
    return VENV_PYTHON.exists() and stamped().get(lock.name) == wanted(lock)


def inside() -> bool:
    """Tell whether this process already runs in the environment."""
    return Path(sys.prefix).resolve() == VENV.resolve()


def built_for_other_python() -> bool:
    """Tell whether the environment belongs to another Python, or its Python has gone."""
    if not VENV_PYTHON.exists():
        return VENV.exists()
    return not (VENV / "lib" / f"python{sys.version_info[0]}.{sys.version_info[1]}").exists()


def discard() -> None:
    """Remove the environment; what a link leads to may be others' too, and is left to people."""
    if not VENV.is_symlink():
        shutil.rmtree(VENV)
    elif any(VENV.iterdir()):
        sys.exit(
            f"[imprimatur] {VENV.name} leads to {VENV.resolve()}, which holds no environment of this"
            " Python; empty that folder or remove the link, then start again"
        )


def make_environment(lock: Path) -> None:
    """Build or refresh the environment; a second process that starts meanwhile waits."""
    with (HERE / ".venv.lock").open("w") as guard:
        try:
            fcntl.flock(guard, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("another process is setting up the environment; waiting for it")
            fcntl.flock(guard, fcntl.LOCK_EX)
        if is_ready(lock):
            return
        STAMP.unlink(missing_ok=True)
        if built_for_other_python() and not inside():
            discard()
        if not VENV_PYTHON.exists():
            say(f"creating {VENV.name} with Python {sys.version.split()[0]}")
            make = [sys.executable, "-m", "venv", "--without-pip", str(VENV.resolve())]
            if begin(make).wait():
                sys.exit("[imprimatur] the environment could not be made; the lines above say why")
        install(lock)
        locks = [RUN_LOCK, TEST_LOCK] if lock == TEST_LOCK else [lock]
        STAMP.write_text(json.dumps({each.name: wanted(each) for each in locks}))
        say("environment ready")


def install(lock: Path) -> None:
    """Install exactly the locked wheels with the pip that lies in ``vendor/``."""
    pip = next((HERE / "vendor").glob("pip-*.whl"))
    total = sum("==" in line for line in lock.read_text().splitlines())
    say(f"installing up to {total} packages from {lock.name}, each checked against its hash")
    command = [str(VENV_PYTHON), str(pip / "pip"), "install", "--no-input", "--no-color"]
    command += ["--disable-pip-version-check", "--progress-bar", "off", "--require-hashes"]
    command += ["--only-binary", ":all:", "--requirement", str(lock)]
    surroundings = {**os.environ, "PIP_USER": "0", "PIP_REQUIRE_VIRTUALENV": "0"}
    output: list[str] = []
    pipes = {
        "stdout": subprocess.PIPE,
        "stderr": subprocess.STDOUT,
        "stdin": subprocess.DEVNULL,
    }
    with begin(command, env=surroundings, **pipes) as pip_run:
        for line in pip_run.stdout or ():
            output.append(line)
            show_step(line, sum(each.startswith("Collecting ") for each in output), total)
    if pip_run.returncode:
        sys.stderr.write("".join(output[-20:]))
        sys.exit("[imprimatur] the packages could not be installed; the lines above say why")


def show_step(line: str, count: int, total: int) -> None:
    """Turn pip's stream into a few lines that a waiting person can read."""
    if line.startswith("Collecting ") and count % 10 == 0:
        say(f"fetched {count} of up to {total}")
    elif line.startswith("Installing collected"):
        say("unpacking")


def main() -> None:
    """Enter the environment, then hand over to the tests or to Django."""
    command = sys.argv[1] if len(sys.argv) > 1 else ""
    leave_when_told()
    if os.environ.get("IMPRIMATUR_NO_BOOTSTRAP") != "1":
        lock = TEST_LOCK if command == "test" else RUN_LOCK
        if not is_ready(lock):
            make_environment(lock)
        if not inside():
            signal.pthread_sigmask(signal.SIG_BLOCK, STOPPING)
            os.execv(VENV_PYTHON, [str(VENV_PYTHON), str(HERE / "manage.py"), *sys.argv[1:]])
    stop_as_usual(command)
    if command == "test":
        os.chdir(HERE)
        os.execv(sys.executable, [sys.executable, "-m", "tests", *sys.argv[2:]])
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "publisher.settings")
    from django.core.management import execute_from_command_line  # noqa: PLC0415 (exists only now)

    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
