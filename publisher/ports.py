"""Ports: what the engine needs from outside, as Protocols; adapters implement them, fakes stand beside."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class SiteSpec:
    """All that an adapter needs to know of a site; holds no secrets, only where they lie."""

    id: int
    name: str
    remote: str
    branch: str
    trailer_prefix: str = "Blog"
    token_file: str = ""


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """One entry of a tree: octal mode as text ("100644", "120000", "160000"), blob id, path."""

    path: str
    mode: str
    blob: str


@dataclass(frozen=True, slots=True)
class Change:
    """One path that differs between two commits; ids are None where the path is absent.

    ``is_file`` says whether the new side is a regular file; the id of anything else is a link's
    target or another repository's commit and is not to be read as an article.
    """

    path: str
    old_blob: str | None
    new_blob: str | None
    is_file: bool = True


@dataclass(frozen=True, slots=True)
class CommitFacts:
    """What a commit says of itself; ``trailers`` are those of the last paragraph only, as written."""

    commit: str
    parents: tuple[str, ...]
    author: str
    email: str
    date: datetime
    subject: str
    trailers: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class CommitPlan:
    """One commit to build: it sets (or removes, on None) these paths; two refs keep it."""

    files: Mapping[str, bytes | None]
    message: str
    date: datetime
    ref: str
    job_id: str | None = None
    modes: Mapping[str, str] = field(default_factory=dict)
    author: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class CheckFact:
    """One line of ``site check``: a stable name, whether it is fine, words for a person."""

    name: str
    ok: bool
    message: str


class Repository(Protocol):
    """One site's git repository on this node. Every call may raise RepositoryError.

    Commit and blob ids are full hex. Paths are repository paths with "/" and real characters.
    Nothing here runs hooks, filters or anything else that the repository brings along.
    """

    def ensure_clone(self, progress: Callable[[str], None] | None = None) -> None:
        """Make or complete the bare clone with full history. Idempotent, resumable."""

    def check(self) -> list[CheckFact]:
        """Try everything that delivery needs, and say what would not work."""

    def default_branch(self) -> str:
        """The branch that the remote's HEAD names. Network."""

    def fetch(self) -> str:
        """Fetch the site's branch and return its tip. Network.

        Raises RemoteUnreachable, CredentialsRefused, BranchGone.
        """

    def is_silent(self, *, pushes: bool) -> bool:
        """Whether somebody on this machine waits in vain for the remote; with ``pushes``, for a push too."""

    def tip(self) -> str | None:
        """The last fetched tip; no network."""

    def entries(self, commit: str, paths: Iterable[str]) -> dict[str, TreeEntry | None]:
        """The tree entries at these paths; None where absent. Costs per path, not per repository."""

    def names(self, commit: str, folder: str) -> list[TreeEntry]:
        """The direct entries of one folder ("" = root); empty when it is absent. Trees have mode "040000"."""

    def read(self, blob: str) -> bytes:
        """The bytes of one blob."""

    def read_path(self, commit: str, path: str) -> bytes | None:
        """The bytes at a path, None where absent or not a regular file."""

    def changes(self, old: str | None, new: str) -> list[Change]:
        """Paths that differ between two commits; from None, every path of ``new``."""

    def commits(self, base: str | None, tip: str) -> list[CommitFacts]:
        """Commits of base..tip (all of tip's history when base is None), newest first, parsed one by one."""

    def each_commit(self, tip: str, visit: Callable[[CommitFacts], None]) -> None:
        """Hand all of the tip's history to ``visit``, newest first, without keeping it."""

    def changed_paths(self, commits: Sequence[str]) -> dict[str, set[str]]:
        """The paths that each of these commits changed against its first parent."""

    def root(self, tip: str) -> str:
        """The first commit of the tip's own line (first parents): what tells repositories apart."""

    def facts(self, commit: str) -> CommitFacts: ...
    def last_change(self, base: str | None, tip: str, path: str) -> CommitFacts | None:
        """The newest commit of base..tip that touched the path."""

    def last_changes(self, base: str | None, tip: str, paths: list[str]) -> dict[str, CommitFacts]:
        """For each path the newest commit of base..tip that touched it; one pass for all paths."""

    def resolves(self, commit: str) -> bool: ...
    def is_ancestor(self, older: str, newer: str) -> bool: ...
    def merge_base(self, one: str, other: str) -> str | None: ...
    def lfs_paths(self, commit: str, paths: Iterable[str]) -> set[str]:
        """Those of the paths that .gitattributes at this commit gives to LFS."""

    def build_commit(
        self,
        *,
        parent: str,
        files: Mapping[str, bytes | None],
        message: str,
        date: datetime,
        ref: str,
        job_id: str | None = None,
    ) -> str:
        """One commit on ``parent``; the arguments are those of a CommitPlan."""

    def build_commits(self, parent: str, plans: Sequence[CommitPlan]) -> list[str]:
        """One commit for each plan, the first on ``parent`` and each on the one before.

        The ids follow from the arguments. An existing regular file keeps its mode, a new one gets
        100644. Several may write one path; none may remove another's, nor lie below a path of it.
        """

    def job_branch(self, job_id: str) -> str | None: ...
    def jobs_with_refs(self) -> list[str]:
        """Ids of the jobs that have a branch or a replay here."""

    def drop_job_refs(self, job_ids: Collection[str]) -> None:
        """Remove the branches and replays of these jobs, in one go."""

    def push(self, commit: str, *, lease: str) -> None:
        """Push to the site's branch, only if it still is at ``lease``. Network. Returns when the remote
        took it; raises RemoteMoved, RemoteRefused, RemoteUnreachable (surely not sent) or OutcomeUnknown."""

    def make_workspace(self, job_id: str, base: str) -> Path:
        """A linked worktree without checkout on the job's branch; recreated from whatever a crash left."""

    def remove_workspace(self, job_id: str) -> None: ...
    def workspaces(self) -> list[str]:
        """Job ids that have a workspace here."""

    def tend(self) -> bool:
        """Pack what piled up, when it is much; whether it was. Loses no object, reachable or not."""

    def discard(self) -> None:
        """Remove the clone and all that lies beside it; for a site that was never connected."""

    def close(self) -> None:
        """End the processes that answer reads."""

    def diff(self, old: bytes, new: bytes, *, context: int = 3) -> str:
        """Unified diff text of two contents (no header lines, "" when equal), by git's histogram."""


class Locks(Protocol):
    """Process-safe locks per site, always in the order delivery > checkout > repository > database."""

    def hold(
        self, name: str, site: str, *, timeout_seconds: float = 15
    ) -> AbstractContextManager[None]:
        """Hold one lock; raises LockOrder when a lower one is already held, LockBusy on timeout."""


@dataclass(frozen=True, slots=True)
class Source:
    """One piece of material to draft from."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class DraftResult:
    """What a provider answered for a draft."""

    title: str
    summary: str
    tags: tuple[str, ...]
    headings: tuple[str, ...]
    body: str
    language: str


class Provider(Protocol):
    """Drafts articles from sources."""

    def draft(
        self, sources: Sequence[Source], *, topic: str | None, title: str | None
    ) -> DraftResult:
        """One article of all sources. Raises ProviderError, soon also when told to stop waiting."""


class Clock(Protocol):
    """The only one who asks the time."""

    def now(self) -> datetime:
        """The database's time, aware, UTC."""

    def monotonic(self) -> float:
        """Seconds for lengths of time."""


@dataclass(frozen=True, slots=True)
class Grant:
    """What authorise found: the approval that holds, and who gave it."""

    approval_id: int
    binding_hash: str
    approvers: tuple[str, ...]


class Authority(Protocol):
    """Who says yes. Database only; called inside the journal's transaction."""

    def open(self, job: Any, envelope: Mapping[str, Any], binding_hash: str, now: datetime) -> bool:
        """Ask for approval of this envelope (one open request per job; another hash supersedes it).
        True when an unexpired approval on this very hash already holds or the policy needs none."""

    def authorise(self, job: Any, binding_hash: str, now: datetime) -> Grant:
        """Quorum, approvers' present rights, expiry, policy; marks ``dispatching``. Raises NotAuthorised."""

    def void(self, job: Any, reason: str, now: datetime) -> None:
        """The job's open approval counts no more."""

    def release(self, job: Any, reason: str, now: datetime) -> None:
        """Back from ``dispatching`` to ``approved``: the write surely did not happen."""

    def breaches(self, jobs: tuple[str, str] | None = None, *, site: str = "") -> Iterator[Any]:
        """(rule, job or guard, what is wrong) of all approvals or a site's; by row between two ids."""

    def lapse(self, now: datetime) -> dict[str, bool]:
        """Bring jobs whose wait is over to REVIEW, each alone: silence never approves. Which moved."""

    def knows(self, name: str) -> bool:
        """Whether somebody of this name may act at all."""

    def require(self, name: str, right: str, scope: str, site: Any, *, owner: str = "") -> None:
        """NotAllowed unless this principal holds the right there. ``owner``: who asked for the job."""

    def describe(self, job: Any) -> dict[str, Any] | None:
        """The newest request, for programs: approval_id, revision, binding_hash, envelope, status."""

    def done(self, job: Any, now: datetime) -> None:
        """The approved write happened."""


@dataclass(frozen=True, slots=True)
class Ports:
    """What the engine is handed; built by wiring from settings, by tests from fakes."""

    repository: Callable[[SiteSpec, Callable[[], bool]], Repository]
    """Opens a site's repository; the second argument says when to stop waiting, as for a provider."""
    locks: Locks
    provider: Callable[[str, Callable[[], bool]], Provider]
    clock: Clock
    authority: Authority
