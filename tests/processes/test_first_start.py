"""The first start, and what the start refuses."""

import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.management.base import CommandError
from django.db import connection

from publisher.management.commands import run
from publisher.processes import first_start, parts, web
from tests.support.settings import BASE_DIR

HERE = "http://127.0.0.1:8123"


@pytest.fixture
def commands(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was called, in order, on a database that is new until it was migrated."""
    called: list[str] = []

    def tables() -> list[str]:
        return ["django_migrations"] if "migrate" in called else []

    monkeypatch.setattr(first_start, "call_command", lambda name, **options: called.append(name))
    monkeypatch.setattr(connection.introspection, "table_names", tables)
    return called


@pytest.fixture
def busy_port() -> Iterator[int]:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        yield taken.getsockname()[1]


@pytest.mark.parametrize(("empty", "filled_by"), [(False, "demo"), (True, "first_admin")])
def test_a_new_database_is_filled_once(
    tmp_path: Path, commands: list[str], empty: bool, filled_by: str
) -> None:
    first_start.prepare(tmp_path, empty=empty, address=HERE)
    first_start.prepare(tmp_path, empty=empty, address=HERE)
    assert commands == ["migrate", filled_by, "migrate"]


def test_the_first_administrators_link_leads_to_where_the_pages_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: dict[str, object] = {}
    monkeypatch.setattr(first_start, "call_command", lambda name, **options: given.update(options))
    monkeypatch.setattr(connection.introspection, "table_names", list)
    first_start.prepare(tmp_path, empty=True, address=HERE)
    assert given["address"] == HERE


def test_an_address_with_colons_is_put_in_brackets() -> None:
    assert web.authority("::1", 8000) == "[::1]:8000"
    assert web.authority("127.0.0.1", 8000) == "127.0.0.1:8000"


def test_a_first_start_that_was_cut_short_is_completed_by_the_next(
    tmp_path: Path, commands: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def cut(name: str, **options: object) -> None:
        commands.append(name)
        if name == "demo":
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(first_start, "call_command", cut)
        with pytest.raises(KeyboardInterrupt):
            first_start.prepare(tmp_path, empty=False, address=HERE)
    first_start.prepare(tmp_path, empty=False, address=HERE)
    assert commands == ["migrate", "demo", "migrate", "demo"]


@pytest.mark.parametrize("command", ["run", "serve"])
def test_a_busy_port_is_refused_with_the_way_out(
    tmp_path: Path, busy_port: int, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("IMPRIMATUR_NO_BOOTSTRAP", "1")
    monkeypatch.setenv("IMPRIMATUR_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("DJANGO_SETTINGS_MODULE", "publisher.settings")
    refused = subprocess.run(
        [sys.executable, "manage.py", command, "--port", str(busy_port)],
        cwd=BASE_DIR,
        capture_output=True,
        text=True,
        check=False,
    )
    assert refused.returncode == 2
    assert f"--port {busy_port + 1}" in refused.stderr
    assert "Traceback" not in refused.stderr


def test_a_port_that_another_start_took_meanwhile_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    started: list[object] = []
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        other.bind(("127.0.0.1", 0))  # nobody listens yet, so the port is still free
        port = other.getsockname()[1]
        monkeypatch.setattr(run.Command, "_prepare", lambda self, **options: other.listen())
        monkeypatch.setattr(parts, "keep", lambda *given, **options: started.append(given))
        with pytest.raises(CommandError, match=f"Port {port} is in use") as refused:
            run.Command().handle(host="127.0.0.1", port=port, empty=True)
    assert (refused.value.returncode, started) == (2, [])


def test_the_server_has_no_control_socket_and_trusts_no_proxy_unasked() -> None:
    words = web.command(host="127.0.0.1", port=8000)
    assert "--no-control-socket" in words
    assert words[words.index("--forwarded-allow-ips") + 1] == "127.0.0.1"
