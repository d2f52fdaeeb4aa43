"""Limited children: what they may not do, and that their parent always gets an answer."""

import sys
from pathlib import Path

import pytest

from publisher.processes.limited import Limits, run_limited


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> str:
    """A module of the given source that the parent can find."""
    (tmp_path / "child_for_test.py").write_text(request.param)
    monkeypatch.syspath_prepend(str(tmp_path))
    sys.modules.pop("child_for_test", None)
    return "child_for_test"


@pytest.mark.parametrize(
    "module", ["import sys; sys.stdout.write(sys.stdin.read().upper())"], indirect=True
)
def test_it_hands_the_payload_in_and_the_answer_out(module: str) -> None:
    outcome = run_limited(module, b"hello")
    assert (outcome.is_ok, outcome.output) == (True, b"HELLO")


@pytest.mark.parametrize("module", ["import os; os.abort()"], indirect=True)
def test_a_crash_is_an_outcome(module: str) -> None:
    outcome = run_limited(module, b"")
    assert (outcome.is_ok, outcome.code) == (False, -6)


@pytest.mark.parametrize("module", ["import signal; signal.pause()"], indirect=True)
def test_it_is_ended_at_the_deadline(module: str) -> None:
    outcome = run_limited(module, b"", limits=Limits(deadline_seconds=0.5))
    assert outcome.code is None


@pytest.mark.parametrize("module", ["x = bytearray(600 * 1024 * 1024)"], indirect=True)
def test_it_gets_no_more_memory_than_allowed(module: str) -> None:
    outcome = run_limited(module, b"", limits=Limits(memory_bytes=256 * 1024**2))
    assert not outcome.is_ok


@pytest.mark.parametrize("module", ["while True: pass"], indirect=True)
def test_it_gets_no_more_processor_time_than_allowed(module: str) -> None:
    outcome = run_limited(module, b"", limits=Limits(cpu_seconds=1, deadline_seconds=20))
    assert outcome.code == -24


@pytest.mark.parametrize(
    "module",
    ["import sys, pathlib; pathlib.Path(sys.stdin.read()).write_text('x')"],
    indirect=True,
)
def test_it_cannot_write_a_file(module: str, tmp_path: Path) -> None:
    assert not run_limited(module, str(tmp_path / "written").encode()).is_ok
    assert (tmp_path / "written").read_bytes() == b""


@pytest.mark.parametrize(
    "module",
    ["import os, sys; sys.stdout.write(os.environ.get('SECRET_KEY', 'none'))"],
    indirect=True,
)
def test_it_sees_nothing_of_its_parents_environment(
    module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_KEY", "hidden")
    assert run_limited(module, b"").output == b"none"


def test_a_module_that_does_not_exist_is_a_programming_error() -> None:
    with pytest.raises(ModuleNotFoundError):
        run_limited("publisher.no_such_module", b"")
