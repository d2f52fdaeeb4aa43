"""Inspection: try everything that delivery needs, and say in plain words what would not work."""

import os
import re
import shutil
from collections.abc import Mapping
from pathlib import Path

from publisher.adapters.git import outcomes
from publisher.adapters.git.clone import Clone
from publisher.adapters.git.delivery import Delivery
from publisher.adapters.git.runner import Runner
from publisher.domain.errors import BranchGone, ImprimaturError, InvalidInput, RepositoryError
from publisher.domain.remotes import protocol_of, shown
from publisher.ports import CheckFact, SiteSpec

OLDEST_GIT = (2, 38)
LEAST_FREE = 1 << 30
_LETS_MOVE = frozenset({"ignore", "warn", "updateinstead", "false", "no", "off", "0"})
"""Values of receive.denyCurrentBranch with which a branch is moved that is checked out."""


def inspect(spec: SiteSpec, runner: Runner, clone: Clone, delivery: Delivery) -> list[CheckFact]:
    """The facts in the order of cause: what follows from a failure is not reported again."""
    facts = [_storage(runner.folder)]
    try:
        facts.append(_git(runner))
        facts.append(_address(delivery))
    except RepositoryError as trouble:
        facts.append(CheckFact("git", ok=False, message=trouble.message))
    if all(fact.ok for fact in facts):
        facts += _remote(spec, runner, clone, delivery)
    return facts


def default_branch(head: str, branches: Mapping[str, str]) -> str:
    """The branch to publish to when none was named; BranchGone says what to do without one."""
    if head in branches:
        return head
    if not branches:
        raise BranchGone(
            "The remote is empty: it has no branch yet. Push a first commit to it, such as a "
            "README, and connect it again."
        )
    known = ", ".join(sorted(branches)[:10])
    raise BranchGone(
        f"The remote's HEAD names no branch that is there. Choose one with --branch: {known}."
    )


def _storage(folder: Path) -> CheckFact:
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        free = shutil.disk_usage(folder).free
    except OSError as trouble:
        return CheckFact(
            "storage", ok=False, message=f"{folder} cannot be used: {trouble.strerror}."
        )
    if not os.access(folder, os.W_OK | os.X_OK):
        return CheckFact("storage", ok=False, message=f"{folder} cannot be written to.")
    enough = free >= LEAST_FREE
    return CheckFact(
        "storage", ok=enough, message=f"{free / (1 << 30):.1f} GiB are free for the clone."
    )


def _git(runner: Runner) -> CheckFact:
    said = runner.run("version").out.decode("utf-8", "replace").strip()
    numbers = re.search(r"(\d+)\.(\d+)", said)
    version = (int(numbers[1]), int(numbers[2])) if numbers else (0, 0)
    oldest = ".".join(map(str, OLDEST_GIT))
    if version < OLDEST_GIT:
        return CheckFact("git", ok=False, message=f"{said} is too old. Install {oldest} or later.")
    return CheckFact("git", ok=True, message=said)


def _address(delivery: Delivery) -> CheckFact:
    try:
        address = delivery.address()
    except InvalidInput as refusal:
        return CheckFact("address", ok=False, message=refusal.message)
    return CheckFact("address", ok=True, message=f"{shown(address)} is an allowed address.")


def _remote(spec: SiteSpec, runner: Runner, clone: Clone, delivery: Delivery) -> list[CheckFact]:
    try:
        head, branches = delivery.heads()
    except ImprimaturError as trouble:
        return [CheckFact("read", ok=False, message=trouble.message)]
    facts = [CheckFact("read", ok=True, message="The remote can be read.")]
    if _is_shallow(spec.remote):
        message = outcomes.shallow_remote().message
        return [*facts, CheckFact("history", ok=False, message=message)]
    if spec.branch not in branches:
        known = ", ".join(sorted(branches)[:10]) or "none yet"
        words = f'The remote has no branch "{spec.branch}". It has: {known}.'
        return [*facts, CheckFact("branch", ok=False, message=words)]
    note = "" if head in ("", spec.branch) else f' (the remote\'s default is "{head}")'
    facts.append(CheckFact("branch", ok=True, message=f'"{spec.branch}" is there{note}.'))
    return [*facts, _write(spec, runner, clone, delivery)]


def _is_shallow(remote: str) -> bool:
    """Of a remote on this machine it can be seen; any other tells it only when it is fetched."""
    return protocol_of(remote) == "file" and (_inside(Path(remote)) / "shallow").exists()


def _inside(remote: Path) -> Path:
    return remote / ".git" if (remote / ".git").exists() else remote


def _write(spec: SiteSpec, runner: Runner, clone: Clone, delivery: Delivery) -> CheckFact:
    if protocol_of(spec.remote) == "file":
        if not _is_writable(Path(spec.remote)):
            return CheckFact("write", ok=False, message="This account may not write to the remote.")
        if _is_held_by_checkout(spec, runner):
            words = (
                f'"{spec.branch}" is checked out in the remote, so git refuses a push to it. Check '
                "out another branch there, connect a bare repository, or run there: git config "
                "receive.denyCurrentBranch updateInstead"
            )
            return CheckFact("write", ok=False, message=words)
    failure: ImprimaturError | None
    try:
        clone.make()
        failure = delivery.try_push()
    except ImprimaturError as trouble:
        failure = trouble
    if failure is not None:
        return CheckFact("write", ok=False, message=failure.message)
    return CheckFact("write", ok=True, message="The remote would take a push (nothing was sent).")


def _is_writable(remote: Path) -> bool:
    inside = _inside(remote)
    return all(os.access(inside / part, os.W_OK | os.X_OK) for part in ("objects", "refs"))


def _is_held_by_checkout(spec: SiteSpec, runner: Runner) -> bool:
    """Whether git refuses to move the branch under a work tree; a dry run of a push never tells."""
    there = {"GIT_DIR": str(_inside(Path(spec.remote)))}
    listed = runner.run("worktree", "list", "--porcelain", variables=there, ok=None)
    if f"branch refs/heads/{spec.branch}" not in listed.out.decode(errors="replace").splitlines():
        return False
    setting = runner.run(
        "config", "--get", operands=["receive.denyCurrentBranch"], variables=there, ok=None
    )
    return setting.out.decode(errors="replace").strip().lower() not in _LETS_MOVE
