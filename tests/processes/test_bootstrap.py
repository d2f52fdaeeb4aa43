"""The bootstrap: an environment from git and Python alone, tried on a project without packages."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from tests.support.running import heed_signals, living
from tests.support.waiting import until

ROOT = Path(__file__).resolve().parents[2]
STARTED = "import sys; print('started in', sys.prefix, sys.argv[1:])\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of the bootstrap whose locks ask for nothing and whose tests only say hello."""
    shutil.copy(ROOT / "manage.py", tmp_path)
    (tmp_path / "vendor").symlink_to(ROOT / "vendor")
    (tmp_path / "requirements.lock").write_text("")
    (tmp_path / "requirements-test.lock").write_text("")
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "__main__.py").write_text(STARTED)
    return tmp_path


def start(project: Path, *arguments: str) -> "subprocess.Popen[str]":
    surroundings = {key: value for key, value in os.environ.items() if key != "VIRTUAL_ENV"}
    surroundings.pop("IMPRIMATUR_NO_BOOTSTRAP", None)
    surroundings["OLDPWD"] = str(project)  # by which its processes are found
    return subprocess.Popen(
        [sys.executable, "manage.py", "test", *arguments],
        cwd=project,
        env=surroundings,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=heed_signals,
    )


def finish(process: "subprocess.Popen[str]") -> tuple[str, str]:
    output, progress = process.communicate(timeout=60)
    assert process.returncode == 0, progress
    return output, progress


def test_it_makes_the_environment_and_starts_in_it(project: Path) -> None:
    output, progress = finish(start(project, "-k", "one"))
    assert output == f"started in {project / '.venv'} ['-k', 'one']\n"
    assert "environment ready" in progress


def test_a_second_start_makes_nothing(project: Path) -> None:
    finish(start(project))
    made = {path: path.lstat().st_mtime_ns for path in (project / ".venv").rglob("*")}
    _, progress = finish(start(project))
    assert progress == ""
    assert {path: path.lstat().st_mtime_ns for path in (project / ".venv").rglob("*")} == made


def test_a_changed_lock_is_installed(project: Path) -> None:
    finish(start(project))
    (project / "requirements-test.lock").write_text("# another\n")
    assert "environment ready" in finish(start(project))[1]


def test_an_environment_that_was_never_finished_is_completed(project: Path) -> None:
    finish(start(project))
    (project / ".venv" / "imprimatur.json").unlink()
    assert "environment ready" in finish(start(project))[1]


def test_an_environment_of_another_python_is_made_anew(project: Path) -> None:
    finish(start(project))
    stamp = project / ".venv" / "imprimatur.json"
    stamp.write_text(json.dumps({"requirements-test.lock": "3.10:0"}))
    shutil.rmtree(next((project / ".venv" / "lib").glob("python*")))
    assert "creating .venv" in finish(start(project))[1]


def test_an_environment_may_lie_elsewhere_behind_a_link(project: Path) -> None:
    elsewhere = project / "elsewhere"
    elsewhere.mkdir()
    (project / ".venv").symlink_to(elsewhere)
    for progress_says in ("creating .venv", ""):
        output, progress = finish(start(project))
        assert output == f"started in {project / '.venv'} []\n"
        assert progress_says in progress


def test_what_a_link_leads_to_is_never_removed(project: Path) -> None:
    elsewhere = project / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "others").write_text("theirs")
    (project / ".venv").symlink_to(elsewhere)
    process = start(project)
    _, progress = process.communicate(timeout=60)
    assert process.returncode == 1
    assert progress.startswith(f"[imprimatur] .venv leads to {elsewhere}, which holds no")
    assert [each.name for each in elsewhere.iterdir()] == ["others"]


def test_two_first_starts_do_not_harm_each_other(project: Path) -> None:
    both = [finish(each) for each in [start(project), start(project)]]
    assert [output for output, _ in both] == [f"started in {project / '.venv'} []\n"] * 2
    assert sum("creating .venv" in progress for _, progress in both) == 1


def is_being_made(project: Path) -> bool:
    return (project / ".venv").exists()


def is_being_filled(project: Path) -> bool:
    with contextlib.suppress(OSError):  # it ended meanwhile
        runs = [Path(f"/proc/{number}/cmdline").read_bytes() for number in living(project)]
        return any(b"--require-hashes" in command for command in runs)
    return False


@pytest.mark.parametrize(
    ("number", "moment"),
    [
        (signal.SIGINT, is_being_made),
        (signal.SIGINT, is_being_filled),
        (signal.SIGTERM, is_being_filled),
        (signal.SIGHUP, is_being_filled),
    ],
)
def test_one_that_is_told_to_stop_ends_at_once_and_the_next_completes_it(
    project: Path, number: signal.Signals, moment: Callable[[Path], bool]
) -> None:
    stopped = start(project)
    until(partial(moment, project), seconds=30, what=f"an environment that {moment.__name__}")
    stopped.send_signal(number)
    _, progress = stopped.communicate(timeout=60)
    assert stopped.returncode == 128 + number
    assert progress.splitlines()[-1].startswith("[imprimatur] Stopped before all was set up")
    assert "Traceback" not in progress
    assert living(project) == []
    assert "environment ready" in finish(start(project))[1]


@pytest.mark.parametrize(
    ("command", "kept"), [("run", ["SIGINT", "SIGTERM"]), ("test", []), ("doctor", [])]
)
def test_a_command_gets_back_the_signals_that_it_does_not_take_over(
    command: str, kept: list[str]
) -> None:
    program = (
        "import manage, signal, sys\n"
        "manage.leave_when_told()\n"
        "manage.stop_as_usual(sys.argv[1])\n"
        "print([each.name for each in manage.STOPPING if signal.getsignal(each) == manage.leave])\n"
        "print(signal.getsignal(signal.SIGHUP).name)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, command],
        cwd=ROOT, capture_output=True, text=True, check=True, preexec_fn=heed_signals,
    )  # fmt: skip
    assert done.stdout == f"{kept}\nSIG_DFL\n"


def test_a_package_without_its_hash_is_refused(project: Path) -> None:
    (project / "requirements-test.lock").write_text("django==5.2.19\n")
    process = start(project)
    _, progress = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "could not be installed" in progress


@pytest.mark.parametrize("name", ["requirements.lock", "requirements-test.lock"])
def test_the_locks_name_hashes_and_no_addresses(name: str) -> None:
    lines = (ROOT / name).read_text().splitlines()
    packages = [line for line in lines if "==" in line]
    hashes = [line for line in lines if "--hash=sha256:" in line]
    assert len(hashes) >= len(packages) > 40
    assert not [line for line in lines if "://" in line or line.startswith("--")]
