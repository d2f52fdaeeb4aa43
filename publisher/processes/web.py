"""The web server: gunicorn's command line, the port's state, and static files in their place."""

import errno
import hashlib
import os
import socket
import sys
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command

SHARED_MEMORY = Path("/dev/shm")  # noqa: S108 (gunicorn makes names of its own there)

NEVER_ASKED_FOR = [
    "htmax-*", "htmx-2.js", "htmx-4*", "django_htmx/ext/*",
    "jquery.js", "select2.full.js", "xregexp.js",
]  # fmt: skip
"""Files of libraries that no page names: other versions, and the long forms of what is minified."""

LAST_PORT = 65535
EVERYWHERE = "0.0.0.0"  # noqa: S104 (compared, not bound)


def authority(host: str, port: int) -> str:
    """Host and port as they stand in an address."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def command(*, host: str, port: int, graceful_seconds: int = 30) -> list[str]:
    """The arguments of gunicorn. Its control socket stays off: two installations would share it."""
    flags = {
        "--bind": authority(host, port),
        "--worker-class": "gthread",
        "--workers": "2",
        "--threads": "8",
        "--timeout": "60",
        "--graceful-timeout": str(graceful_seconds),
        "--max-requests": "2000",
        "--max-requests-jitter": "200",
        "--chdir": str(settings.BASE_DIR),
        "--logger-class": "publisher.logs.GunicornLogger",
        "--forwarded-allow-ips": ",".join(settings.TRUSTED_PROXIES) or "127.0.0.1",
    }
    if SHARED_MEMORY.is_dir():
        flags["--worker-tmp-dir"] = str(SHARED_MEMORY)
    words = [word for flag in flags.items() for word in flag]
    return [sys.executable, "-m", "gunicorn", "publisher.wsgi", "--no-control-socket", *words]


def become_server(*, host: str, port: int, graceful_seconds: int = 30) -> None:
    """Replace this process by the server."""
    arguments = command(host=host, port=port, graceful_seconds=graceful_seconds)
    os.execv(arguments[0], arguments)


def trouble(host: str, port: int) -> str:
    """Why the server cannot listen there, with the way out; "" when it can."""
    if not 1 <= port <= LAST_PORT:  # with 0 the system would choose one that nobody is told
        return f"There is no port {port}. Choose one from 1 to {LAST_PORT} with --port."
    try:
        socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return f"There is no host {ascii(host)[1:-1]}. Name an address of this machine with --host."
    refused = _refused(host, port)
    if not refused:
        return ""
    if refused == errno.EACCES:
        return f"Port {port} is kept for the system. Choose one from 1024 on with --port."
    if not _refused(host, 0):
        other = port + 1 if port < LAST_PORT else port - 1
        return f"Port {port} is in use. Choose another with --port, e.g. --port {other}."
    return f"{host} is no address of this machine. Name one with --host."


def _refused(host: str, port: int) -> int:
    """The system's number for why nothing can listen there; 0 when it can."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            return error.errno or errno.EADDRINUSE
    return 0


def answers(host: str, port: int) -> bool:
    """Tell whether somebody accepts connections there."""
    reachable = {EVERYWHERE: "127.0.0.1", "::": "::1"}.get(host, host)
    try:
        with socket.create_connection((reachable, port), timeout=1):
            return True
    except OSError:
        return False


def collect_static() -> None:
    """Put static files in their place, if any of them changed since the last time."""
    if settings.DEBUG:
        return
    stamp = Path(settings.STATIC_ROOT) / "collected.txt"
    wanted = _fingerprint()
    if stamp.exists() and stamp.read_text() == wanted:
        return
    # Compressing each file is most of what a first start has to do.
    call_command(
        "collectstatic", interactive=False, verbosity=0, clear=True, ignore_patterns=NEVER_ASKED_FOR
    )
    stamp.write_text(wanted)


def _fingerprint() -> str:
    """Name the state of all source files by path, size and time."""
    digest = hashlib.sha256()
    for finder in get_finders():
        for name, storage in finder.list([]):
            seen = Path(storage.path(name)).stat()
            digest.update(f"{name}\0{seen.st_size}\0{seen.st_mtime_ns}\n".encode())
    return digest.hexdigest()
