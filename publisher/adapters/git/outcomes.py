"""Outcomes: what a remote's answer to a fetch or a push means."""

import re

from publisher.adapters.git import words
from publisher.adapters.git.runner import Interrupted, Result
from publisher.domain.errors import (
    BranchGone,
    CredentialsRefused,
    OutcomeUnknown,
    RemoteMoved,
    RemoteRefused,
    RemoteUnreachable,
    RepositoryError,
    RepositoryUnsafe,
)

TOLERABLE = frozenset(
    {
        "badTimezone", "missingEmail", "missingNameBeforeEmail", "missingSpaceBeforeDate",
        "missingSpaceBeforeEmail", "zeroPaddedDate", "zeroPaddedFilemode",
    }
)  # fmt: skip
"""Checks that may be let pass; tested to be those that the environment allows."""

_CASE = re.IGNORECASE | re.MULTILINE
_NO_BRANCH = re.compile(r"couldn't find remote ref|remote branch .* not found", _CASE)
_REFUSED_LOGIN = re.compile(
    r"authentication failed|could not read (?:username|password)|access denied"
    r"|permission (?:to \S+ )?denied"
    r"|host key verification failed|terminal prompts disabled|invalid (?:username|credentials)"
    r"|requested url returned error: 40[13]|repository not found|http basic: ",
    _CASE,
)
_OURS = re.compile(r"cannot lock ref|Unable to create '.*\.lock'|no space left", _CASE)
_CHECKED = re.compile(r"fsck error|error in object|fsck failed", _CASE)
_CHECK = re.compile(r"(?P<name>[a-z]+[A-Z][A-Za-z]*): [a-z][^\n]*")
_DAMAGED = re.compile(
    r"loose object .* is corrupt|object file .* is empty|not a git repository: '|bad object", _CASE
)
_OUR_REFS = re.compile(
    r"did not send all necessary objects|bad object|object file .* is empty|missing (?:commit|blob|tree)",
    _CASE,
)
_IN_THE_WAY = re.compile(r"'refs/remotes/origin/[^']+' exists; cannot create", _CASE)
_OTHER_HASH = re.compile(r"mismatched algorithms|hash algorithm", _CASE)
_NEVER_SENT = re.compile(
    r"could not read from remote repository|hung up upon initial contact|unable to access"
    r"|does not appear to be a git repository|could not resolve|unable to connect"
    r"|repository '.*' not found",
    _CASE,
)
_OTHER_OWNER = re.compile(r"detected dubious ownership", _CASE)
_MAYBE_SENT = re.compile(
    r"unexpected disconnect|hung up unexpectedly|rpc failed|early eof|failed to push all", _CASE
)
_MOVED = re.compile(
    r"stale info|fetch first|non-fast-forward|needs force|remote ref updated since checkout"
    r"|reference already exists",
    _CASE,
)
_LOST_RACE = re.compile(r"failed to update ref|cannot lock ref|failed to lock", _CASE)
_PASSING = re.compile(
    r"try again|temporar|timed? ?out|timeout|unavailable|too many|overload|rate limit|busy"
    r"|no space left|disk quota|unpack|unable to migrate|internal (?:server )?error|cannot lock"
    r"|unable to create '|failed to update ref|read-only file system",
    _CASE,
)
_STATUS = re.compile(
    r"^(?P<flag>[ +\-*=!])\t[^\t]*\t(?P<what>\[[^\]]*\]|[^\t]*?)(?: \((?P<why>.*)\))?$"
)
_GIT_ERROR = re.compile(r"(?:error|fatal): ")


def branch_gone(branch: str, text: str = "") -> BranchGone:
    """The error that names the branch which a site expects."""
    return BranchGone(f"The remote has no branch {branch or 'of this name'}.", text=text)


def no_branch_name(branch: str) -> BranchGone:
    """The error for a site whose branch is set to what can be none."""
    return BranchGone(
        f'The site\'s branch is set to "{branch}", which is no name of a branch. Set another one.'
    )


def shallow_remote() -> RepositoryUnsafe:
    """The error for a remote whose own history is cut off; no later try ends otherwise."""
    return RepositoryUnsafe(
        "The remote is itself a shallow clone: its history is cut off. Complete it with: git fetch "
        "--unshallow, or connect the repository it came from.",
        permanent=True,
    )


def _other_hash(text: str) -> RepositoryUnsafe:
    return RepositoryUnsafe(
        "The remote names its objects by SHA-256, and only a repository of SHA-1 can be published "
        "to. Connect one that was made without --object-format=sha256.",
        permanent=True, text=text,
    )  # fmt: skip


def blames_our_refs(text: str) -> bool:
    """Whether a fetch failed of what the clone's own refs point to, not of the remote."""
    return _OUR_REFS.search(text) is not None


def blames_another_branch(text: str) -> bool:
    """Whether the tracking ref of a branch that was followed before stands in the way."""
    return _IN_THE_WAY.search(text) is not None


def fetch_failure(result: Result, *, branch: str = "") -> RepositoryError:
    """What a fetch or a look at the remote failed of."""
    text = result.text
    if _OTHER_HASH.search(text):
        return _other_hash(text)
    if _NO_BRANCH.search(text):
        return branch_gone(branch, text)
    if _REFUSED_LOGIN.search(text):
        return CredentialsRefused(f"The remote does not let us in: {words.reason(text)}", text=text)
    if _CHECKED.search(text):
        return _unclean(text)
    if _DAMAGED.search(text):
        return RepositoryUnsafe(f"The local clone is damaged: {words.reason(text)}", text=text)
    if _OURS.search(text):
        return RepositoryError(f"The fetch could not be stored: {words.reason(text)}", text=text)
    return _unreachable(text)


def _unreachable(text: str) -> RemoteUnreachable:
    if _OTHER_OWNER.search(text):
        return RemoteUnreachable(
            "The remote's folder belongs to another account than the one that git runs as there. Connect "
            "it over ssh as its owner, or, if it lies on this machine, run the server as that account.",
            text=text,
        )
    return RemoteUnreachable(
        f"The remote cannot be reached: {words.reason(text, first=True)}", text=text
    )


def _unclean(text: str) -> RepositoryError:
    """Objects that git's check refuses, with a way on for what only old tools did."""
    found = _CHECK.search(text)
    name = found["name"] if found else ""
    way = (
        f' It is harmless in an old history: set IMPRIMATUR_GIT_TOLERATE="{name}" to let it pass.'
        if name in TOLERABLE
        else ""
    )
    told = found[0] if found else words.reason(text)
    return RepositoryError(
        f"The remote's history holds objects that git's check refuses: {told}.{way}",
        permanent=True, text=text,
    )  # fmt: skip


def interrupted_fetch(stop: Interrupted) -> RepositoryError:
    """What it means that a look at the remote was ended from here."""
    if stop.why == "deadline":
        return RemoteUnreachable(f"The remote did not answer in time. {stop.message}")
    return stop


def push_failure(result: Result, *, ref: str) -> RepositoryError | None:
    """What a push came to; None when the remote took it (or had it)."""
    flag, why = _status(result.out.decode("utf-8", "replace"), ref)
    text = result.text
    if flag and flag != "!":
        return None
    if flag == "!":
        return _rejection(why, text)
    # What a hook says proves that the pack arrived, so it proves nothing about the connection.
    own = "\n".join(line for line in text.splitlines() if not line.startswith("remote:"))
    if _OTHER_HASH.search(own):
        return _other_hash(text)  # told before anything is sent
    if _REFUSED_LOGIN.search(own) and not _MAYBE_SENT.search(text):
        return CredentialsRefused(
            f"The remote does not let us write: {words.reason(text)}", text=text
        )
    if _NEVER_SENT.search(own) and not _MAYBE_SENT.search(text):
        return _unreachable(text)
    return OutcomeUnknown(
        f"The connection ended before the remote answered: {words.reason(text)}", text=text
    )


def _status(out: str, ref: str) -> tuple[str, str]:
    for line in out.splitlines():
        match = _STATUS.match(line)
        if match and f":{ref}\t" in line:
            return match["flag"], f"{match['what']} {match['why'] or ''}".strip()
    return "", ""


def _rejection(why: str, text: str) -> RepositoryError:
    said = remote_words(text)
    if _MOVED.search(why) or (_LOST_RACE.search(why) and "but expected" in text):
        return RemoteMoved(f"The remote moved meanwhile: {why}", text=text)
    if why.startswith("[remote failure]"):
        return OutcomeUnknown(f"The remote broke off: {why}", text=text)
    told = said or why
    return RemoteRefused(
        f"The remote refused the commit: {why}",
        text=told,
        permanent=not _PASSING.search(f"{why}\n{said}"),
    )


def remote_words(text: str) -> str:
    """What hooks and the host said: the "remote:" lines; a local remote's errors have no prefix."""
    kept = []
    for line in text.splitlines():
        if line.startswith("remote:"):
            kept.append(line.removeprefix("remote:").strip())
        elif _GIT_ERROR.match(line) and "failed to push some refs" not in line:
            kept.append(line)
    return "\n".join(line for line in kept if line)
