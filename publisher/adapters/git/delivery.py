"""Delivery: what goes over the network: look, fetch, push."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext

from publisher.adapters.git import contact, https, outcomes
from publisher.adapters.git.history import History
from publisher.adapters.git.objects import Objects, check_id
from publisher.adapters.git.refs import Refs, refuse_busy, remove_stale_lock
from publisher.adapters.git.runner import Interrupted, Result, Runner
from publisher.domain.branches import is_branch
from publisher.domain.errors import (
    CredentialsRefused,
    OutcomeUnknown,
    RemoteMoved,
    RemoteUnreachable,
    RepositoryError,
)
from publisher.domain.remotes import check_remote, protocol_of
from publisher.ports import SiteSpec

TRACKING = "refs/remotes/origin/"
EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
_HEALINGS = 3
_FETCH = (
    "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head", "--no-auto-maintenance",
    "--force",
)  # fmt: skip


class Delivery:
    """One site's remote. Every call may take as long as the network deadline."""

    def __init__(self, spec: SiteSpec, runner: Runner, objects: Objects, history: History) -> None:
        self._spec = spec
        self._refs = Refs(runner, objects)
        self._runner = runner
        self._objects = objects
        self._history = history

    @property
    def branch(self) -> str:
        """The site's branch as a full ref on the remote."""
        return f"refs/heads/{self._branch}"

    @property
    def tracking(self) -> str:
        """Where the branch's last fetched tip is kept."""
        return TRACKING + self._branch

    @property
    def _branch(self) -> str:
        """Checked anew, as the address is; what cannot be one is the site's trouble, not a job's."""
        if not is_branch(self._spec.branch):
            raise outcomes.no_branch_name(self._spec.branch)
        return self._spec.branch

    def address(self) -> str:
        """The remote, checked anew: a stored one may be older than the rules."""
        runner = self._runner
        return check_remote(
            self._spec.remote, protocols=runner.protocols, hosts=runner.network.hosts
        )

    def tip(self) -> str | None:
        """The last fetched tip."""
        return self._objects.resolve(self.tracking)

    def fetch(self, listener: Callable[[bytes], None] | None = None) -> str:
        """Fetch the branch, whole, and return its tip; with a listener as a clone, limited by idle time."""
        shallow = self._runner.git_dir / "shallow"
        options = [*_FETCH, *(["--unshallow"] if shallow.exists() else [])]
        if listener is not None:
            options.append("--progress")
        wanted = [self.address(), f"+{self.branch}:{self.tracking}"]
        result = self._network("fetch", options, wanted, listener)
        for _ in range(_HEALINGS):
            if not result.code or not self._heal(result.text):
                break
            result = self._network("fetch", options, wanted, listener)
        if result.code:
            refuse_busy(result.text)
            raise self._failure(result, branch=self.branch.removeprefix("refs/heads/"))
        # From a shallow remote git takes nothing, says so in a warning and calls it a success.
        if shallow.exists() or "because shallow roots" in result.text:
            raise outcomes.shallow_remote()
        tip = self.tip()
        if tip is None:
            raise outcomes.branch_gone(self.branch.removeprefix("refs/heads/"))
        return tip

    def _heal(self, text: str) -> bool:
        """Whether another try may succeed: a dead lock, a job's broken ref, or a half-made worktree.

        After a fetch git walks every ref, also those of worktrees; one that is being made at that
        moment, or whose commit a power cut emptied, fails the fetch of everybody.
        """
        if remove_stale_lock(self._runner, text):
            return True
        if outcomes.blames_another_branch(text):
            # The site followed "rel" before and follows "rel/main" now: both names exclude each other.
            return self._refs.drop_tracking(TRACKING, keep=self.tracking)
        if not outcomes.blames_our_refs(text):
            return False
        self._refs.drop_broken()
        return True

    def is_silent(self, *, pushes: bool) -> bool:
        """Whether somebody on this machine waits in vain for an answer to a look, or to a push."""
        looks = ("fetch", "ls-remote")
        return contact.is_silent(self._runner.folder, (*looks, "push") if pushes else looks)

    def heads(self) -> tuple[str, dict[str, str]]:
        """The branch that the remote's HEAD names ("" for none), and all of its branches."""
        listed = self._network(
            "ls-remote", ["--symref"], [self.address(), "HEAD", "refs/heads/*"], None
        )
        if listed.code:
            raise self._failure(listed)
        head, branches = "", {}
        for line in listed.out.decode("utf-8", "replace").splitlines():
            value, _, name = line.partition("\t")
            if name == "HEAD" and value.startswith("ref: refs/heads/"):
                head = value.removeprefix("ref: refs/heads/")
            elif name.startswith("refs/heads/"):
                branches[name.removeprefix("refs/heads/")] = value
        return head, branches

    def push(self, commit: str, *, lease: str) -> None:
        """Push to the branch, only while it is at ``lease``; never makes a branch, never rewrites one."""
        check_id(lease)
        # A lease permits what is not a fast-forward, so this is checked before anything is sent.
        if not self._builds_on(check_id(commit), lease):
            raise RepositoryError("The commit is not built on the observed tip.", permanent=True)
        options = ["--porcelain", f"--force-with-lease={self.branch}:{lease}"]
        operands = [self.address(), f"{commit}:{self.branch}"]
        try:
            result = self._network("push", options, operands, None)
        except Interrupted as stop:
            raise OutcomeUnknown(
                f"The push was ended before the remote answered. {stop.message}"
            ) from stop
        failure = self._push_failure(result, self.branch)
        if failure is not None:
            raise failure

    def try_push(self) -> RepositoryError | None:
        """Ask the remote whether it would take a push, and send nothing."""
        nobody = "Imprimatur <imprimatur@localhost> 0 +0000"
        body = f"tree {EMPTY_TREE}\nauthor {nobody}\ncommitter {nobody}\n\nA test.\n"
        probe = self._runner.run(
            "hash-object", "-t", "commit", "-w", "--stdin", stdin=body.encode()
        ).out.decode().strip()  # fmt: skip
        ref = "refs/heads/imprimatur-check"
        try:
            result = self._network(
                "push", ["--porcelain", "--dry-run"], [self.address(), f"{probe}:{ref}"], None
            )
        except Interrupted as stop:
            return outcomes.interrupted_fetch(stop)
        failure = self._push_failure(result, ref)
        return None if isinstance(failure, RemoteMoved) else failure

    def _failure(self, result: Result, *, branch: str = "") -> RepositoryError:
        explained = self._explained(result)
        return explained or outcomes.fetch_failure(result, branch=branch)

    def _push_failure(self, result: Result, ref: str) -> RepositoryError | None:
        failure = outcomes.push_failure(result, ref=ref)
        if isinstance(failure, CredentialsRefused | RemoteUnreachable):
            return self._explained(result) or failure
        return failure

    def _explained(self, result: Result) -> RepositoryError | None:
        """Plain words for what https remotes answer; other transports have their own."""
        if protocol_of(self._spec.remote) != "https":
            return None
        return https.explain(result.text, has_token=bool(self._spec.token_file))

    def _builds_on(self, commit: str, lease: str) -> bool:
        header = self._objects.get(commit, "commit").partition(b"\n\n")[0].splitlines()
        # The usual case is answered by the process that is open anyway.
        return f"parent {lease}".encode() in header or self._history.is_ancestor(lease, commit)

    def _network(
        self,
        command: str,
        options: Sequence[str],
        operands: Sequence[str],
        listener: Callable[[bytes], None] | None,
    ) -> Result:
        deadlines = self._runner.deadlines
        # A clone takes its time, and its progress is shown.
        told = nullcontext() if listener else self._contact(command)
        try:
            with told:
                return self._runner.run(
                    command,
                    *options,
                    operands=operands,
                    variables=self._runner.credentials.environment(),
                    ok=None,
                    deadline=deadlines.network,
                    idle=deadlines.idle if listener else None,
                    listener=listener,
                )
        except Interrupted as stop:
            if command == "push":
                raise
            raise outcomes.interrupted_fetch(stop) from stop

    def _contact(self, command: str) -> AbstractContextManager[None]:
        # Of pushes there is one at a time, and one that is to be sent is never refused from here.
        begin = contact.waiting if command == "push" else contact.in_turn
        return begin(self._runner.folder, command)
