"""Words: what git and remotes say, made fit to be stored and shown."""

import re

from publisher.domain.errors import RepositoryError, RepositoryUnsafe
from publisher.domain.secrets import scrub_text

LIMIT = 2000

_USER_INFO = re.compile(
    r"(?P<scheme>[a-z][a-z0-9+.\-]{0,20}://)[^\s'\"]{1,500}(?:@|%40)", re.IGNORECASE
)
"""Up to the last "@" of an address, since a password may hold a "/"; bounded, to stay linear."""
_NOISE = re.compile(r"(?:hint: |warning: redirecting|[a-z ]+objects: +\d+%)", re.IGNORECASE)
_SAYS_NOTHING = re.compile(
    r"fatal: could not read from remote repository|please make sure you have the correct access"
    r"|and the repository exists",
    re.IGNORECASE,
)
"""What git adds below the line in which ssh said why."""
_ERROR = re.compile(r"(?:fatal|error|ERROR): ")
_DAMAGE = re.compile(
    r"is empty$|corrupt|inflate|unable to unpack|unable to read (?:tree|sha1|[0-9a-f]{40})"
    r"|missing (?:blob|tree|commit)|could not parse|not a git repository|index-pack died"
    r"|packfile .* (?:cannot|truncated|does not)",
    re.IGNORECASE | re.MULTILINE,
)


def clean(raw: bytes, *, secrets: tuple[str, ...] = (), keep_progress: bool = False) -> str:
    """Stderr without credentials, control characters and hints; at most LIMIT characters."""
    text = raw.decode("utf-8", "replace")
    for secret in secrets:
        text = text.replace(secret, "[REDACTED:token]")
    lines = [_visible(line) for line in re.split(r"[\r\n]+", text)]
    kept = "\n".join(line for line in lines if line and (keep_progress or not _NOISE.match(line)))
    return scrub_text(_USER_INFO.sub(r"\g<scheme>", kept))[:LIMIT]


def _visible(line: str) -> str:
    return "".join(char if char.isprintable() else " " for char in line).strip()


def reason(text: str, *, first: bool = False) -> str:
    """The line of git's words that says most: the last fatal or error line, else the last."""
    lines = [line for line in text.splitlines() if not _SAYS_NOTHING.match(line)]
    errors = [line for line in lines if _ERROR.match(line)]
    if errors:
        return _ERROR.sub("", errors[0 if first else -1])
    return lines[-1] if lines else "git gave no reason"


def local_failure(command: str, text: str) -> RepositoryError:
    """What a failed command on our own clone means."""
    if _DAMAGE.search(text):
        return RepositoryUnsafe(
            f"The local clone is damaged or incomplete: {reason(text)}", text=text
        )
    return RepositoryError(f"git {command} failed: {reason(text)}", text=text)
