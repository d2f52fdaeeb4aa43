"""Repository: the Repository port on real git; each question is answered by one neighbour."""

import shutil
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from publisher.adapters.git import attributes, differences, inspection, upkeep
from publisher.adapters.git.clone import Clone
from publisher.adapters.git.commit import Commits
from publisher.adapters.git.credentials import Credentials
from publisher.adapters.git.delivery import Delivery
from publisher.adapters.git.environment import DIRECT, Network
from publisher.adapters.git.history import History, shown_path
from publisher.adapters.git.live import LiveCheckout
from publisher.adapters.git.objects import Objects, check_id, is_file
from publisher.adapters.git.readers import Readers
from publisher.adapters.git.refs import Refs, remove_empty_objects
from publisher.adapters.git.runner import Deadlines, Runner, never
from publisher.adapters.git.workspace import Workspaces
from publisher.domain.errors import RepositoryError, RepositoryUnsafe
from publisher.ports import Change, CheckFact, CommitFacts, CommitPlan, SiteSpec, TreeEntry

Answer = TypeVar("Answer")


class GitRepository:
    """One site's bare clone below ``root``/<site id>. Close it: it keeps a process for reading."""

    def __init__(
        self,
        spec: SiteSpec,
        *,
        root: Path,
        protocols: Sequence[str],
        cancelled: Callable[[], bool] | None = None,
        deadlines: Deadlines | None = None,
        network: Network = DIRECT,
        readers: Readers | None = None,
    ) -> None:
        folder = root.resolve() / str(spec.id)
        self.spec = spec
        self.runner = Runner(
            git_dir=folder / "clone.git",
            folder=folder,
            protocols=tuple(protocols),
            credentials=Credentials(spec.token_file, folder),
            cancelled=cancelled or never,
            deadlines=deadlines or Deadlines(),
            network=network,
        )
        self._is_shared = readers is not None
        self._objects = readers.of(self.runner) if readers else Objects(self.runner)
        self._history = History(self.runner, self._objects)
        self._refs = Refs(self.runner, self._objects)
        self._commits = Commits(self.runner, self._objects)
        self._workspaces = Workspaces(self.runner, self._objects)
        self._delivery = Delivery(spec, self.runner, self._objects, self._history)
        self._clone = Clone(self.runner, self._delivery)

    def ensure_clone(self, progress: Callable[[str], None] | None = None) -> None:
        """Make or complete the bare clone with full history. Idempotent; limited by idle time."""
        self._past_spoiled(lambda: self._clone.complete(progress))

    def check(self) -> list[CheckFact]:
        """Try everything that delivery needs; sends nothing."""
        return inspection.inspect(self.spec, self.runner, self._clone, self._delivery)

    def default_branch(self) -> str:
        """The branch that the remote's HEAD names. Network."""
        self.runner.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        return inspection.default_branch(*self._delivery.heads())

    def fetch(self) -> str:
        """Fetch the site's branch and return its tip; a clone that went missing is made anew."""
        if not self._clone.is_made:
            self.ensure_clone()
        return self._past_spoiled(self._delivery.fetch)

    def is_silent(self, *, pushes: bool) -> bool:
        """Whether somebody on this machine waits in vain for the remote; with ``pushes``, for a push too."""
        return self._delivery.is_silent(pushes=pushes)

    def _past_spoiled(self, act: Callable[[], Answer]) -> Answer:
        """Do it, and once more where the registration of some workspace may have failed it."""
        try:
            return act()
        except RepositoryError:
            if not self._workspaces.drop_spoiled():
                raise
        return act()

    def tip(self) -> str | None:
        """The last fetched tip; no network."""
        return self._delivery.tip() if self._clone.is_made else None

    def entries(self, commit: str, paths: Iterable[str]) -> dict[str, TreeEntry | None]:
        """The tree entries at these paths; None where absent."""
        return {path: self._objects.entry(commit, path) for path in paths}

    def names(self, commit: str, folder: str) -> list[TreeEntry]:
        """The direct entries of one folder, with whole paths, in the tree's order."""
        above = f"{folder}/" if folder else ""
        return [
            TreeEntry(above + shown_path(name), mode, blob)
            for name, (mode, blob) in self._objects.folder(commit, folder).items()
        ]

    def read(self, blob: str) -> bytes:
        """The bytes of one blob."""
        return self._objects.get(check_id(blob), "blob")

    def read_path(self, commit: str, path: str) -> bytes | None:
        """The bytes at a path, None where absent or not a regular file."""
        entry = self._objects.entry(commit, path)
        return self.read(entry.blob) if entry is not None and is_file(entry.mode) else None

    def changes(self, old: str | None, new: str) -> list[Change]:
        """Paths that differ between two commits; from None, every path of ``new``."""
        return [] if old == new else self._history.changes(old, new)

    def commits(self, base: str | None, tip: str) -> list[CommitFacts]:
        """Commits of base..tip, newest first; none is asked for when both are one."""
        return [] if base == tip else self._history.commits(base, tip)

    def each_commit(self, tip: str, visit: Callable[[CommitFacts], None]) -> None:
        """Hand over all of the tip's history, newest first, without keeping it."""
        self._history.each_commit(tip, visit)

    def changed_paths(self, commits: Sequence[str]) -> dict[str, set[str]]:
        """The paths that each of these commits changed against its first parent."""
        return self._history.changed_paths(commits) if commits else {}

    def root(self, tip: str) -> str:
        """The first commit of the tip's own line of history."""
        return self._history.root(tip)

    def facts(self, commit: str) -> CommitFacts:
        """What one commit says of itself."""
        return self._history.facts(commit)

    def last_change(self, base: str | None, tip: str, path: str) -> CommitFacts | None:
        """The newest commit of base..tip that touched the path."""
        return self._history.last_change(base, tip, path)

    def last_changes(self, base: str | None, tip: str, paths: list[str]) -> dict[str, CommitFacts]:
        """For each path the newest commit of base..tip that touched it."""
        return self._history.last_changes(base, tip, paths) if paths else {}

    def is_ancestor(self, older: str, newer: str) -> bool:
        """Whether one commit is in the other's history; what the clone does not hold is in none."""
        if older == newer:
            return True
        return self.resolves(older) and self._history.is_ancestor(older, newer)

    def resolves(self, commit: str) -> bool:
        """Whether the clone holds this commit."""
        return self._objects.resolve(check_id(commit)) is not None

    def merge_base(self, one: str, other: str) -> str | None:
        """A best common ancestor."""
        return self._history.merge_base(one, other)

    def lfs_paths(self, commit: str, paths: Iterable[str]) -> set[str]:
        """Those of the paths that .gitattributes at this commit gives to LFS."""
        return attributes.lfs_paths(self.runner, self._objects, commit, paths)

    def build_commit(
        self,
        *,
        parent: str,
        files: Mapping[str, bytes | None],
        message: str,
        date: datetime,
        ref: str,
        job_id: str | None = None,
        modes: Mapping[str, str] | None = None,
        author: tuple[str, str] | None = None,
    ) -> str:
        """One commit that sets (or removes, on None) exactly these paths; its id is deterministic."""
        plan = CommitPlan(files, message, date, ref, job_id, modes or {}, author)
        return self.build_commits(parent, [plan])[0]

    def build_commits(self, parent: str, plans: Sequence[CommitPlan]) -> list[str]:
        """One commit for each plan, each on the one before; their ids are deterministic."""
        try:
            return self._commits.build(parent, plans)
        except RepositoryUnsafe:
            # A power cut leaves empty object files, which git takes for present ones.
            if not remove_empty_objects(self.runner.git_dir):
                raise
            self._objects.close()
            return self._commits.build(parent, plans)

    def job_branch(self, job_id: str) -> str | None:
        """Where the job's branch is."""
        return self._refs.job_branch(job_id)

    def jobs_with_refs(self) -> list[str]:
        """Ids of the jobs that have a branch or a replay here."""
        return self._refs.jobs()

    def drop_job_refs(self, job_ids: Collection[str]) -> None:
        """Remove the branches and replays of these jobs."""
        self._refs.drop_of_jobs(job_ids)

    def push(self, commit: str, *, lease: str) -> None:
        """Push to the site's branch, only if it still is at ``lease``. Network."""
        self._delivery.push(commit, lease=lease)

    def make_workspace(self, job_id: str, base: str) -> Path:
        """The job's empty worktree at ``base``, recreated from whatever a crash left."""
        return self._workspaces.make(job_id, base)

    def remove_workspace(self, job_id: str) -> None:
        """Remove the job's worktree; its branch stays."""
        self._workspaces.remove(job_id)

    def workspaces(self) -> list[str]:
        """Job ids that have a workspace here."""
        return self._workspaces.list()

    def diff(self, old: bytes, new: bytes, *, context: int = 3) -> str:
        """Unified diff text of two contents, hunks only."""
        return differences.diff(self.runner, old, new, context=context)

    def tend(self) -> bool:
        """Pack what piled up, when it is much; whether it was. Nothing that is stored goes away."""
        tip = self.tip()
        if not upkeep.tend(self.runner):
            return False
        if tip is not None:
            upkeep.draw_history(self.runner, tip)
        return True

    def live(self, place: str) -> LiveCheckout:
        """The site's checkout at an absolute path."""
        return LiveCheckout(Path(place), folder=self.runner.folder)

    def discard(self) -> None:
        """Remove the clone and all that lies beside it; for a site that was never connected."""
        self._objects.close()
        shutil.rmtree(self.runner.folder, ignore_errors=True)

    def close(self) -> None:
        """End the process that answers reads, unless it is shared with the jobs that follow."""
        if not self._is_shared:
            self._objects.close()
