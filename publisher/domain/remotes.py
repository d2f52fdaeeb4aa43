"""Remotes: which addresses a site may have."""

import posixpath
import re
from collections.abc import Collection
from urllib.parse import unquote, urlsplit

from publisher.domain.addresses import Unsound, after_at, holds_at, place_of, sound
from publisher.domain.envelope import without_credentials
from publisher.domain.errors import InvalidInput

_SCP_LIKE = "ssh"
_PORT = re.compile(r":\d*$", re.ASCII)
_SSH_USER = re.compile(r"(?:ssh://)?(?P<user>[A-Za-z0-9._-]+)@", re.IGNORECASE)


def protocol_of(remote: str) -> str:
    """ "file" for an absolute path, the scheme of a URL, "ssh" for host:path; "" for anything else."""
    if remote.startswith("/"):
        return "file"
    if "::" in remote:
        return ""
    if "://" in remote:
        return remote.partition("://")[0].lower()
    head, colon, tail = remote.partition(":")
    if colon and tail and "/" not in head and not head.startswith("-"):
        return _SCP_LIKE
    return ""


def check_remote(remote: str, *, protocols: Collection[str], hosts: Collection[str] = ()) -> str:
    """The remote as given, or InvalidInput with the way out.

    Credentials never stand in a URL, because it is stored, shown and passed to git. With ``hosts``,
    an address on a host must be on one of these.
    """
    text = remote.strip()
    if not text or any(ord(letter) < 32 or letter == "\x7f" for letter in text):
        raise InvalidInput("remote", "Give the repository's address: an absolute path or a URL.")
    protocol = protocol_of(text)
    if protocol not in protocols:
        known = ", ".join(sorted(protocols))
        raise InvalidInput(
            "remote", f"This address is not allowed. Use one of: {known} (file = absolute path)."
        )
    if protocol == "file" and text.startswith("file:"):
        raise InvalidInput("remote", "Give a local repository as an absolute path, without file:.")
    if holds_login(text):
        raise InvalidInput(
            "remote",
            "The address holds credentials. Leave them out and connect it without; then whoever "
            "runs the server names a file there that holds the token.",
        )
    if "://" in text:
        _check_url(text)
    if hosts and protocol != "file":
        _check_host(text, hosts)
    return text


def shown(remote: str) -> str:
    """The address as people know it: an ssh user is part of it, a password or a token never is.

    Only for reading. What is bound and compared names no user (``envelope.without_credentials``).
    """
    if holds_login(remote):
        # An old one: nobody can tell where its password ends, but it is before the last "@".
        scheme = f"{remote.partition('://')[0]}://" if "://" in remote else ""
        remote = scheme + after_at(remote)
    bare = without_credentials(remote)
    named = _SSH_USER.match(remote)
    if named is None or protocol_of(remote) != "ssh":
        return bare
    whole = remote[: named.end()] + bare.removeprefix("ssh://")
    return whole if remote.startswith(whole) else bare


def whereabouts(remote: str) -> str:
    """A remote on a host in one spelling, so that two of the same repository are equal.

    Host and path alone, since the same one is there by ssh and by https, at ports of their own.
    Meant for refusing: two that differ by letter case or ".git" alone count as one.
    """
    bare = without_credentials(remote)
    if "://" in bare:
        place, _, path = bare.partition("://")[2].partition("/")
        path = unquote(path)
    elif bare.startswith("["):  # [host:port]:path
        place, _, path = bare[1:].partition("]:")
    else:
        place, _, path = bare.partition(":")
    host = _PORT.sub("", place).rstrip(".")
    path = posixpath.normpath("/" + path.lstrip("/~"))
    return f"{host}{path}".casefold().removesuffix(".git")


def holds_login(remote: str) -> bool:
    """Whether a password or a token may stand in the address, escaped or not.

    A "/" in a password ends the host for some readers and not for others, so that the "@" after it
    seems to be part of the path. An address that could be either is taken for the worse.
    """
    protocol = protocol_of(remote)
    if protocol == "file":
        return False
    if protocol != "ssh":
        return holds_at(remote)
    named = _SSH_USER.match(remote)
    if named is not None:
        rest = remote[named.end() :]
        return "@" in (place_of(f"://{rest}") if "://" in remote else rest.partition(":")[0])
    return holds_at(remote)


def _check_host(text: str, hosts: Collection[str]) -> None:
    place = place_of(text) if "://" in text else text.partition(":")[0]
    host = urlsplit(f"//{place}").hostname if "://" in text else place.rpartition("@")[2].lower()
    if host not in hosts:
        known = ", ".join(sorted(hosts))
        raise InvalidInput(
            "remote",
            f"No site may be on this host here. Use one of: {known}; or whoever runs the server adds "
            "it to IMPRIMATUR_GIT_HOSTS.",
        )


def _check_url(text: str) -> None:
    try:
        parts = sound(text)
    except Unsound as wrong:
        if wrong.part == "port":
            message = "The address names a port that is no number between 1 and 65535."
            raise InvalidInput("remote", message) from None
        raise InvalidInput("remote", "The address names no host.") from None
    if parts.query or parts.fragment:
        raise InvalidInput("remote", "The address may have neither ? nor #.")
