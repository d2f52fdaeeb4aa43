"""A Redis server of our own for tests: unix socket only, nothing kept."""

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.waiting import until


def find_binary() -> str | None:
    """Return the server's path; None without one."""
    return shutil.which("redis-server")


@contextmanager
def running_server() -> Iterator[str]:
    """Start a server and yield its address."""
    binary = find_binary()
    if binary is None:
        raise FileNotFoundError("no redis-server on this machine")
    folder = Path(tempfile.mkdtemp(prefix="imprimatur-redis-"))
    socket = folder / "socket"
    command = [
        binary,
        "--port",
        "0",
        "--unixsocket",
        str(socket),
        "--save",
        "",
        "--appendonly",
        "no",
    ]
    server = subprocess.Popen(
        [*command, "--dir", str(folder)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        until(socket.exists, seconds=60, what="Redis to listen")
        yield f"unix://{socket}"
    finally:
        server.terminate()
        server.wait(timeout=10)
        shutil.rmtree(folder, ignore_errors=True)
