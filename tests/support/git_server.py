"""A git host for tests: TLS, basic auth and git's own CGI, and every way in which a host can fail."""

import base64
import contextlib
import ssl
import subprocess
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

TOKEN = "tok-0123456789abcdef-never-shown"
_KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
_NAMES = "subjectAltName=IP:127.0.0.1,DNS:localhost\n"


def make_authority(folder: Path) -> Path:
    """A certificate authority that only its folder knows; returns its certificate."""
    folder.mkdir(parents=True, exist_ok=True)
    _openssl(
        folder, "req", "-x509", *_KEY, "-keyout", "ca.key", "-out", "ca.pem", "-days", "2",
        "-subj", "/CN=Test authority", "-addext", "basicConstraints=critical,CA:TRUE",
    )  # fmt: skip
    return folder / "ca.pem"


def make_certificate(folder: Path, *, days: int = 2) -> tuple[Path, Path]:
    """A certificate for this machine by the folder's authority, and its key; -1 day is over."""
    _openssl(
        folder, "req", *_KEY, "-keyout", "host.key", "-out", "host.csr", "-subj", "/CN=localhost"
    )
    (folder / "names").write_text(_NAMES)
    _openssl(
        folder, "x509", "-req", "-in", "host.csr", "-CA", "ca.pem", "-CAkey", "ca.key",
        "-CAcreateserial", "-days", str(days), "-extfile", "names", "-out", "host.pem",
    )  # fmt: skip
    return folder / "host.pem", folder / "host.key"


def _openssl(folder: Path, *arguments: str) -> None:
    subprocess.run(["openssl", *arguments], cwd=folder, capture_output=True, check=True, timeout=30)


@dataclass
class GitHost:
    """A running host. ``status``, ``redirect``, ``cut`` and ``hang`` say how it misbehaves."""

    root: Path
    token: str = TOKEN
    only: str = ""
    """Misbehave only for requests whose address holds this."""
    status: int = 0
    redirect: str = ""
    cut: bool = False
    hang: bool = False
    seen: list[tuple[str, str]] = field(default_factory=list)
    """The address and the Authorization header of every request."""
    port: int = 0
    over: threading.Event = field(default_factory=threading.Event)

    def address(self, name: str = "remote.git") -> str:
        """The address of a repository below the root."""
        return f"https://127.0.0.1:{self.port}/{name}"

    def well(self) -> None:
        """Serve properly from now on."""
        self.status, self.redirect, self.cut, self.hang, self.only = 0, "", False, False, ""


@contextlib.contextmanager
def serve(host: GitHost, certificate: tuple[Path, Path]) -> Iterator[GitHost]:
    """Serve until the end of the block."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate)
    server = _Server(("127.0.0.1", 0), _Handler)
    server.host, server.context = host, context
    host.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield host
    finally:
        host.over.set()
        server.shutdown()
        server.server_close()
        thread.join(timeout=10)


class _Server(ThreadingHTTPServer):
    daemon_threads = False
    host: GitHost
    context: ssl.SSLContext

    def finish_request(self, request: Any, client_address: Any) -> None:
        """The handshake belongs to the connection's own thread."""
        with contextlib.suppress(OSError):  # a client that does not trust us hangs up
            request.settimeout(20)
            with self.context.wrap_socket(request, server_side=True) as secured:
                super().finish_request(secured, client_address)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 20

    def do_GET(self) -> None:
        """A look."""
        self._answer()

    def do_POST(self) -> None:
        """A fetch or a push."""
        self._answer()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Nothing: tests read ``seen``."""

    def _host(self) -> GitHost:
        assert isinstance(self.server, _Server)
        return self.server.host

    def _answer(self) -> None:
        host, sent = self._host(), self._body()
        login = self.headers.get("Authorization", "")
        host.seen.append((self.path, login))
        chosen = host.only in self.path
        if chosen and host.hang:
            host.over.wait(timeout=60)
            self.close_connection = True
            return
        if chosen and host.redirect:
            self._plain(302, Location=host.redirect + self.path)
        elif chosen and host.status:
            self._plain(host.status)
        elif not _is_let_in(login, host.token):
            self._plain(401, **{"WWW-Authenticate": 'Basic realm="git"'})
        else:
            self._git(sent, login, cut=chosen and host.cut)

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        parts = []
        while size := int(self.rfile.readline().split(b";")[0], 16):
            parts.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(parts)

    def _git(self, sent: bytes, login: str, *, cut: bool) -> None:
        parts = urlsplit(self.path)
        variables = {
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "GIT_PROJECT_ROOT": str(self._host().root),
            "GIT_HTTP_EXPORT_ALL": "1",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
            "REQUEST_METHOD": self.command,
            "PATH_INFO": parts.path,
            "QUERY_STRING": parts.query,
            "CONTENT_TYPE": self.headers.get("Content-Type", ""),
            "CONTENT_LENGTH": str(len(sent)),
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
            "REMOTE_USER": _user(login),
            "REMOTE_ADDR": "127.0.0.1",
        }
        done = subprocess.run(
            ["git", "http-backend"], input=sent, env=variables, capture_output=True, check=False,
            timeout=60,
        )  # fmt: skip
        head, _, body = done.stdout.partition(b"\r\n\r\n")
        fields = dict(line.split(": ", 1) for line in head.decode().splitlines() if ": " in line)
        self.send_response(int(fields.pop("Status", "200").split()[0]))
        for name, value in fields.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if cut:
            self.wfile.write(body[: len(body) // 2])
            self.close_connection = True
            return
        self.wfile.write(body)

    def _plain(self, status: int, **fields: str) -> None:
        self.send_response(status)
        for name, value in fields.items():
            self.send_header(name, value)
        self.send_header("Content-Length", "0")
        self.end_headers()


def _user(login: str) -> str:
    return base64.b64decode(login.removeprefix("Basic ")).decode().partition(":")[0]


def _is_let_in(login: str, token: str) -> bool:
    if not login.startswith("Basic "):
        return not token
    return base64.b64decode(login.removeprefix("Basic ")).decode().partition(":")[2] == token
