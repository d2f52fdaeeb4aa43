"""The environment's rules: what an address, a file or a list of hosts must be to work at all."""

import re
import ssl
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, parse_qsl, urlsplit

import dj_database_url
from django.db.backends.sqlite3.base import DatabaseWrapper

from publisher.domain.addresses import Unsound, holds_at, sound

PORT = "must have a number between 1 and 65535 as its port"
WEB = "must be a web address such as https://publish.example.org"
PROXY = "must be a proxy's address such as http://proxy.example.org:3128"
PORTS = range(1, 65536)
DATABASE_NAME = 63
"""Characters that PostgreSQL keeps of a database's name."""

LIBPQ_NUMBERS = {
    "connect_timeout", "keepalives", "keepalives_count", "keepalives_idle", "keepalives_interval",
    "port", "tcp_user_timeout",
}  # fmt: skip
"""Its options that are counted."""

BUSY_SECONDS = range(3_601)
"""How long SQLite may wait for another writer."""

_HOST = re.compile(r"\*|\.?[a-z0-9-]+(?:\.[a-z0-9-]+)*\.?|\[[0-9a-f:.]+\]", re.IGNORECASE)


def web(value: str, wanted: str = WEB) -> SplitResult:
    """The address's parts; ValueError for what is none of http or https."""
    try:
        parts = sound(value)
    except Unsound as wrong:
        raise ValueError(PORT if wrong.part == "port" else wanted) from None
    if parts.scheme not in {"http", "https"}:
        raise ValueError(wanted)
    return parts


def public(value: str) -> str:
    """The pages' own address: a scheme and a host, since every path is the program's."""
    if holds_at(value):
        raise ValueError("must hold no login: everybody who gets a link reads it")
    parts = web(value)
    if parts.path.strip("/") or parts.query or parts.fragment or "?" in value or "#" in value:
        raise ValueError(f"{WEB}, without a path and without ? and #")
    return value.rstrip("/")


def proxy(value: str) -> str:
    """A proxy's address without a login."""
    if holds_at(value):
        raise ValueError("must hold no login: other processes on this machine could read it")
    web(value, PROXY)
    return value


def provider(value: str) -> None:
    """The drafting provider's address without a login, which the report on the place would show."""
    if holds_at(value):
        raise ValueError("must hold no login and no @: the key's place is LLM_API_KEY")
    web(value)


def key(text: str) -> str:
    """A key that becomes a header, without what stands around it."""
    bare = text.strip()
    if not bare.isprintable():
        raise ValueError("must be one line of text")
    return bare


def with_scheme(value: str, known: set[str]) -> SplitResult:
    """The parts of an address that starts with one of these schemes."""
    wanted = f"must be an address that starts with one of {', '.join(sorted(known))}"
    try:
        parts = urlsplit(value)
    except ValueError:
        raise ValueError(wanted) from None
    if parts.scheme not in known:
        raise ValueError(wanted)
    if "%00" in value:
        raise ValueError("must hold no %00: no name and no password has it")
    try:
        port = parts.port
    except ValueError:
        raise ValueError(PORT) from None
    if port is not None and port not in PORTS:
        raise ValueError(PORT)
    return parts


def database(parts: SplitResult) -> None:
    """A database that other processes find too."""
    try:
        found = dj_database_url.parse(_whole(parts))
    except (ValueError, KeyError):
        raise ValueError("must be an address such as postgres://user@host/database") from None
    name, options = str(found.get("NAME") or ""), found.get("OPTIONS", {})
    if parts.scheme == "sqlite":
        _sqlite(name, options)
    else:
        _postgresql(name, options)


def _postgresql(name: str, options: dict[str, Any]) -> None:
    # Read only where it is used, as every start would wait for it. No message may repeat an
    # option: behind a "?" in a password that nobody quoted, it is a part of the password.
    libpq = import_module("psycopg.pq")
    known = {each.keyword.decode() for each in libpq.Conninfo.get_defaults()}
    if not name:
        raise ValueError("must name a database, such as postgres://user@host/database")
    if len(name) > DATABASE_NAME:
        raise ValueError(f"must name a database of at most {DATABASE_NAME} characters")
    if not options.keys() <= known or any(isinstance(each, list) for each in options.values()):
        raise ValueError(
            "must hold after ? only options of libpq, each once, as in ?sslmode=require"
        )
    for counted in sorted(options.keys() & LIBPQ_NUMBERS):
        if type(options[counted]) is not int:
            raise ValueError(f"must have a whole number as its {counted}")
    if options.get("port", PORTS[0]) not in PORTS:
        raise ValueError(PORT)


def _sqlite(name: str, options: dict[str, Any]) -> None:
    if not options.keys() <= {"timeout", "transaction_mode"}:
        raise ValueError("must hold after ? no option but the seconds to wait, as in ?timeout=30")
    seconds = options.get("timeout", 0)
    if type(seconds) is not int or seconds not in BUSY_SECONDS:
        raise ValueError(f"must have a whole number from 0 to {BUSY_SECONDS[-1]} as its timeout")
    mode = options.get("transaction_mode", "IMMEDIATE")
    if str(mode).upper() not in DatabaseWrapper.transaction_modes:
        raise ValueError("must leave its transaction_mode at IMMEDIATE")
    if not name or ":memory:" in name or "mode=memory" in name:
        raise ValueError("must name a file: each process would have a database in memory alone")
    if Path(name).is_dir() or not Path(name).parent.is_dir():
        raise ValueError("must name a file in a folder that exists")


def _whole(parts: SplitResult) -> str:
    """As it was written: ``geturl`` loses the slashes before an empty host."""
    if parts.netloc:
        return parts.geturl()
    query = f"?{parts.query}" if parts.query else ""
    return f"{parts.scheme}://{parts.path}{query}"


_OBJECTS = {"retry", "credential_provider", "event_dispatcher", "socket_type", "cache_config"}
"""Options of redis-py that no text can be."""


def redis(parts: SplitResult) -> None:
    """A server of which a client can be made; it is not asked."""
    if parts.scheme == "unix" and not parts.path:
        raise ValueError("must name a socket, such as unix:///run/redis.sock")
    client = import_module("redis")  # only where it is used, as every start would wait for it
    given = {name for name, _ in parse_qsl(parts.query, keep_blank_values=True)}
    wrong = "must hold after ? only options of redis-py, as in ?db=1"
    if given & _OBJECTS:
        raise ValueError(wrong)
    try:
        client.ConnectionPool.from_url(_whole(parts)).make_connection()
    except (ValueError, TypeError, AttributeError, client.RedisError):
        raise ValueError(wrong) from None


def mail(parts: SplitResult) -> None:
    """A server to send mail through, where mail is sent."""
    if parts.scheme.startswith("smtp") and not parts.hostname:
        raise ValueError("must name a mail server, such as smtp://mail.example.org")


def host(name: str) -> None:
    """A name that the Host header of a request can match."""
    if not _HOST.fullmatch(name):
        raise ValueError(
            "must be host names such as publish.example.org, separated by commas, without "
            "https:// and without a port"
        )


def git_host(name: str) -> None:
    """The name of one host, as an address spells it."""
    try:
        is_one = sound(f"https://{name}/").hostname == name.lower()
    except Unsound:
        is_one = False
    if not is_one or "*" in name:
        raise ValueError(
            "must be host names such as git.example.org, separated by commas, each in full, without "
            "https:// and without a port"
        )


def file(path: Path) -> Path:
    """The absolute path of a file that can be read."""
    try:
        if path.is_dir():
            raise ValueError("must name a file, not a folder")
        if not path.is_file():
            raise ValueError("must name a file that exists")
        with path.open("rb"):
            return path.absolute()
    except OSError as error:
        raise ValueError(f"must name a file that can be read ({error.strerror})") from error


def certificates(path: Path) -> None:
    """A file of certificates that can be trusted."""
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(path)
    except (ssl.SSLError, OSError):
        raise ValueError("must name a file of certificates in PEM form") from None


def secret(path: Path, *, least: int = 1, is_line: bool = False) -> str:
    """What stands in a file that holds a secret and nothing else."""
    try:
        text = path.read_text(encoding="utf-8").strip()
    except UnicodeDecodeError:
        raise ValueError("must name a file of text") from None
    if not text:
        raise ValueError("must name a file that is not empty")
    if not "".join(text.split()).isprintable():
        raise ValueError("must name a file of text")
    if is_line and not text.isprintable():
        raise ValueError("must name a file of one line")
    if len(text) < least:
        raise ValueError(f"must name a file of at least {least} characters")
    return text
