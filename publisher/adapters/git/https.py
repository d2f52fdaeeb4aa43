"""Https: what git's words about an https remote mean, and what an operator does about it."""

import re

from publisher.adapters.git import words
from publisher.domain.errors import CredentialsRefused, RemoteUnreachable, RepositoryError

_CASE = re.IGNORECASE
_STATUS = re.compile(r"requested url returned error: (?P<status>\d{3})", _CASE)
_NO_TOKEN = re.compile(r"could not read (?:username|password)|terminal prompts disabled", _CASE)
_TOKEN = re.compile(r"authentication failed|invalid (?:username|credentials)|http basic: ", _CASE)
_NOT_THERE = re.compile(r"repository '[^']*' not found|repository not found", _CASE)
_EXPIRED = re.compile(r"certificate has expired|certificate is not yet valid", _CASE)
_OTHER_NAME = re.compile(
    r"does not match (?:target )?host ?name|no alternative certificate subject name", _CASE
)
_CERTIFICATE = re.compile(r"certificate|ssl_|tls handshake|gnutls_handshake", _CASE)
_CA_FILE = re.compile(
    r"error setting certificate (?:verify locations|file)|reading ca cert file", _CASE
)
_PROXY = re.compile(r"proxy", _CASE)
_REFUSED = re.compile(r"connection refused|failed to connect|couldn't connect", _CASE)
_NO_HOST = re.compile(r"could not resolve", _CASE)
_BROKEN_OFF = re.compile(
    r"early eof|rpc failed|hung up unexpectedly|unexpected disconnect|empty reply|expected flush"
    r"|transfer closed|connection (?:reset|was non-properly terminated|closed)|invalid index-pack"
    r"|recv error|send failure|error in the pull function|fetch-pack: ",
    _CASE,
)
_TOO_SLOW = re.compile(r"operation too slow|operation timed out", _CASE)


def explain(text: str, *, has_token: bool) -> RepositoryError | None:
    """The situation behind git's words; None when they are not of this transport."""
    found = _login(text, has_token=has_token) or _answer(text) or _connection(text)
    if found is not None:
        found.facts = {**found.facts, "text": text}
    return found


def _login(text: str, *, has_token: bool) -> RepositoryError | None:
    status = _status(text)
    if (_NO_TOKEN.search(text) or _TOKEN.search(text) or status == 401) and not has_token:
        return CredentialsRefused(
            "The remote asks for a login, and this site has no token file. Name one with: "
            "site set NAME --https-token-file FILE"
        )
    if _TOKEN.search(text) or _NO_TOKEN.search(text) or status == 401:
        return CredentialsRefused(
            "The remote refuses the token in the site's token file. Put a valid one into the file."
        )
    if status == 403:
        return CredentialsRefused(
            "The remote knows the login and forbids this (403). Give the token the right to read "
            "and write the repository."
        )
    return None


def _answer(text: str) -> RepositoryError | None:
    status = _status(text)
    if _NOT_THERE.search(text) or status == 404:
        return CredentialsRefused(
            "The remote has no repository at this address, or the token may not see it (404)."
        )
    if 300 <= status < 400:
        return RemoteUnreachable(
            f"The remote answers that the repository moved ({status}). The token is never sent "
            "after it: connect the repository's new address."
        )
    if status == 407:
        return RemoteUnreachable("The proxy asks for a login (407), which is not supported.")
    if status >= 500 or status == 429:
        return RemoteUnreachable(
            f"The remote has trouble of its own ({status}). It is tried again."
        )
    return None


def _connection(text: str) -> RepositoryError | None:
    if _CA_FILE.search(text):
        told = "The file of trusted certificates cannot be read. Look at IMPRIMATUR_GIT_CA_FILE."
    elif _EXPIRED.search(text):
        told = "The remote's certificate has expired or is not valid yet. Look at both clocks too."
    elif _OTHER_NAME.search(text):
        told = "The remote's certificate is for another host name."
    elif _CERTIFICATE.search(text):
        told = (
            "The remote's certificate is not trusted: it has expired, or an authority that this "
            "machine does not know signed it. Name that authority with IMPRIMATUR_GIT_CA_FILE."
        )
    elif _PROXY.search(text):
        told = f"The proxy does not let us through: {words.reason(text)}"
    elif _NO_HOST.search(text):
        told = "The remote's host name is not known here. Look at the address and at the network."
    elif _REFUSED.search(text):
        told = "Nothing answers at the remote's address: the connection was refused."
    elif _TOO_SLOW.search(text):
        told = "The remote did not answer in time."
    elif _BROKEN_OFF.search(text):
        told = "The connection broke off before the remote's answer was complete."
    else:
        return None
    return RemoteUnreachable(told)


def _status(text: str) -> int:
    found = _STATUS.search(text)
    return int(found["status"]) if found else 0
