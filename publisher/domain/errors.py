"""The one exception tree: each class names a situation and speaks in words fit for a page."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any


class ImprimaturError(Exception):
    """Anything that can go wrong and be told to a person; ``code`` is stable for programs."""

    code = "error"

    def __init__(self, message: str, **facts: Any) -> None:
        super().__init__(message)
        self.message = message
        self.facts: Mapping[str, Any] = facts


# --- what a caller sent ------------------------------------------------------------------------
class InvalidInput(ImprimaturError):
    """A value was refused; ``field`` names it and the message says the way out."""

    code = "invalid"

    def __init__(self, field: str, message: str, **facts: Any) -> None:
        super().__init__(message, field=field, **facts)
        self.field = field


class KeyRequired(InvalidInput):
    """A submit over HTTP came without an idempotency key."""

    code = "key_required"


class HashRequired(InvalidInput):
    """A decision came without the hash of what was reviewed."""

    code = "hash_required"


class UnsafePath(InvalidInput):
    """A repository path that no job may ever name; ``rule`` says which rule refused it."""

    code = "unsafe_path"

    def __init__(self, field: str, path: str, rule: str, message: str) -> None:
        super().__init__(field, message, path=path, rule=rule)
        self.path = path
        self.rule = rule


class TooLarge(InvalidInput):
    """A text, an asset or a request is over its limit; ``limit`` is in bytes."""

    code = "too_large"


class MarkersLeft(InvalidInput):
    """A resolution still holds conflict markers; ``lines`` names them (1-based)."""

    code = "markers_left"

    def __init__(self, path: str, lines: list[int]) -> None:
        where = ", ".join(str(line) for line in lines)
        super().__init__(
            "files", f"Conflict markers are left in {path}, line {where}.", lines=lines
        )
        self.lines = lines


# --- who may do what ---------------------------------------------------------------------------
class NotFound(ImprimaturError):
    """Not there, or outside the caller's scopes: both look the same."""

    code = "not_found"


class NotAllowed(ImprimaturError):
    """The caller lacks the right."""

    code = "not_allowed"


class OwnWork(NotAllowed):
    """The author of the content may not decide about it."""

    code = "own_work"


class PasswordNeeded(NotAllowed):
    """What is risky is approved by who gave the password lately; ``seconds`` says how lately."""

    code = "password_needed"


class TooManyTries(ImprimaturError):
    """The caller was wrong too often a moment ago; ``retry_seconds`` says when it may go on."""

    code = "too_many_requests"

    def __init__(self, message: str, *, retry_seconds: int) -> None:
        super().__init__(message, retry_seconds=retry_seconds)
        self.retry_seconds = retry_seconds


# --- the world moved on ------------------------------------------------------------------------
class Clash(ImprimaturError):
    """The request was fine for a state that is gone: 409 with a way on."""

    code = "conflict"


class KeyReused(Clash):
    """The idempotency key was used before, with another request."""

    code = "key_reused"


class StaleApproval(Clash):
    """The reviewed hash is not the current one; ``differences`` lists the envelope fields that differ."""

    code = "superseded"

    def __init__(
        self, message: str, *, seen: str, current: str, differences: list[dict[str, Any]]
    ) -> None:
        super().__init__(message, seen=seen, current=current, differences=differences)


class AlreadyDecided(Clash):
    """Somebody decided before; the facts say who and when."""

    code = "already_decided"


class NotAcknowledged(Clash):
    """Parts that cannot be shown were not acknowledged; ``parts`` names them."""

    code = "not_acknowledged"


class StaleDraft(Clash):
    """An edit started from a revision that is no longer the current one."""

    code = "stale"


class TooLate(Clash):
    """The outside write may already have happened."""

    code = "too_late"


class WrongState(Clash):
    """The act does not exist in the job's present state."""

    code = "wrong_state"


class Moved(Clash):
    """A conflict's heads moved while somebody was settling it."""

    code = "moved"


class Expired(ImprimaturError):
    """The approval's time ran out; nothing was sent."""

    code = "expired"


# --- inside the engine -------------------------------------------------------------------------
class IllegalMove(ImprimaturError):
    """A move that is not in the state table: a programming error, never a page."""

    code = "illegal_move"


class StaleWorker(ImprimaturError):
    """The row moved under a worker (lease, generation or state): stop silently."""

    code = "stale_worker"


class LockOrder(ImprimaturError):
    """Locks were taken backwards: a programming error."""

    code = "lock_order"


class NotAuthorised(ImprimaturError):
    """The fence found no approval that holds; ``why`` is one word for the event."""

    code = "not_authorised"

    def __init__(self, why: str, message: str, **facts: Any) -> None:
        super().__init__(message, why=why, **facts)
        self.why = why


class NotYet(ImprimaturError):
    """Nothing may be done for a job before a moment; no attempt is used up."""

    code = "not_yet"

    def __init__(self, message: str, *, until: datetime | None) -> None:
        super().__init__(message)
        self.until = until


class ArtifactDamaged(ImprimaturError):
    """Stored bytes are missing or differ from their name."""

    code = "artifact_damaged"


class RowUnreadable(ImprimaturError):
    """A row holds what the product never writes there, and cannot be read."""

    code = "row_unreadable"


# --- the edges (adapters translate into these) ---------------------------------------------------
class AdapterError(ImprimaturError):
    """Something outside failed; ``permanent`` says that a retry is useless."""

    code = "outside"

    def __init__(self, message: str, *, permanent: bool = False, **facts: Any) -> None:
        super().__init__(message, **facts)
        self.permanent = permanent


class RepositoryError(AdapterError):
    """Git could not do what was asked."""

    code = "repository"


class LockBusy(RepositoryError):
    """Another process held a lock for longer than one waits for it; nothing was tried."""

    code = "lock_busy"


class RepositoryUnsafe(RepositoryError):
    """The local clone is damaged or not what it should be."""

    code = "repo_unsafe"


class RemoteUnreachable(RepositoryError):
    """Network, deadline, DNS, TLS: nothing is known of the remote's answer."""

    code = "unreachable"


class CredentialsRefused(RepositoryError):
    """The remote does not let the configured credentials in."""

    code = "credentials"


class BranchGone(RepositoryError):
    """The site's branch does not exist on the remote."""

    code = "branch_gone"


class RemoteMoved(RepositoryError):
    """The push lease failed: somebody else moved the branch. The commit was surely not taken."""

    code = "remote_moved"


class RemoteRefused(RepositoryError):
    """The remote said no for good (hook, protection, quota); ``text`` keeps its words."""

    code = "remote_refused"

    def __init__(self, message: str, *, text: str, permanent: bool = True) -> None:
        super().__init__(message, permanent=permanent, text=text)
        self.text = text


class OutcomeUnknown(RepositoryError):
    """The push may or may not have happened; only looking at the remote can tell."""

    code = "outcome_unknown"


class ProviderError(AdapterError):
    """A drafting provider failed or broke its contract; ``result`` is a named outcome."""

    code = "provider"
