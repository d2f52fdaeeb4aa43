"""Logs: whoever writes a line and in whatever form, no credential is in it, and it is one line."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from publisher import logs
from tests.support.settings import BASE_DIR

TOKEN = "ghp_" + "a1B2c3D4e5" * 4
SCRIPT = """
import logging, os, pathlib
import django
django.setup()
import structlog
TOKEN = os.environ["TOKEN"]

class Odd:
    def __repr__(self):
        return f"<Odd {TOKEN}>"

log = structlog.get_logger("ours")
log.info(f"in the text {TOKEN}", number=3, flag=True, nothing=None)
log.warning("in a field", url=f"https://x-access-token:{TOKEN}@example.org/a.git")
log.warning("deep", facts={"list": [{"value": TOKEN}], TOKEN: 1}, pair=("x", TOKEN))
log.warning("odd", odd=Odd(), raw=TOKEN.encode(), path=pathlib.Path("/tmp") / TOKEN)
with structlog.contextvars.bound_contextvars(job_id="42"):
    log.info("bound")
other = logging.getLogger("another.library")
other.info("an argument %s of another library", TOKEN)
other.warning("extra", extra={"header": f"Bearer {TOKEN}"})
other.warning("two\\nlines")
try:
    raise ValueError(f"refused {TOKEN}")
except ValueError:
    log.exception("failed")
    other.exception("failed too")
logging.getLogger("git").info("chatter of git")
logging.getLogger("gunicorn.access").debug("quiet")
"""


def written(folder: Path, form: str) -> tuple[str, str]:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        check=True,
        capture_output=True,
        text=True,
        cwd=BASE_DIR,
        env={
            **{key: value for key, value in os.environ.items() if key != "DATABASE_URL"},
            "DJANGO_SETTINGS_MODULE": "publisher.settings",
            "IMPRIMATUR_DATA_DIR": str(folder),
            "LOG_FORMAT": form,
            "TOKEN": TOKEN,
        },
    )
    return done.stdout, done.stderr


@pytest.fixture(scope="module")
def as_json(tmp_path_factory: pytest.TempPathFactory) -> str:
    out, err = written(tmp_path_factory.mktemp("json"), "json")
    assert out == ""
    return err


@pytest.fixture(scope="module")
def lines(as_json: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in as_json.splitlines()]


def test_no_line_holds_a_credential(as_json: str) -> None:
    assert TOKEN not in as_json
    assert as_json.count("[REDACTED:") >= 10


def test_the_plain_form_holds_none_either_and_stdout_stays_the_commands_own(tmp_path: Path) -> None:
    out, err = written(tmp_path, "console")
    assert out == ""
    assert TOKEN not in err
    assert "in a field" in err


def test_each_line_is_one_document_with_time_level_and_writer(lines: list[dict[str, Any]]) -> None:
    assert all({"event", "level", "logger", "timestamp"} <= set(line) for line in lines)
    assert {line["logger"] for line in lines} == {"ours", "another.library"}


def test_what_is_no_text_keeps_its_kind(lines: list[dict[str, Any]]) -> None:
    first = lines[0]
    assert (first["number"], first["flag"], first["nothing"]) == (3, True, None)


def test_what_was_bound_is_on_the_line(lines: list[dict[str, Any]]) -> None:
    (bound,) = [line for line in lines if line["event"] == "bound"]
    assert bound["job_id"] == "42"


def test_what_another_library_adds_is_kept_but_scrubbed(lines: list[dict[str, Any]]) -> None:
    (extra,) = [line for line in lines if line["event"] == "extra"]
    assert "[REDACTED:" in extra["header"]


def test_a_failure_brings_its_trace_without_the_credential(lines: list[dict[str, Any]]) -> None:
    traces = [line["exception"] for line in lines if "exception" in line]
    assert len(traces) == 2
    assert all("ValueError: refused [REDACTED:" in trace for trace in traces)


def test_chatter_of_libraries_is_left_out(as_json: str) -> None:
    assert "chatter of git" not in as_json


def test_the_web_servers_lines_take_the_same_way() -> None:
    made = logs.GunicornLogger.__new__(logs.GunicornLogger)
    made.__init__(_Config())  # type: ignore[misc]
    assert made.error_log.propagate
    assert made.access_log.propagate
    assert not made.error_log.handlers


class _Config:
    """As much of gunicorn's configuration as its logger asks for."""
