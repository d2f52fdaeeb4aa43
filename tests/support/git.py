"""Real remotes for tests: make one, and let a second person work on it."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

SECOND = ("Second Person", "second@example.invalid")
_CLOCK = 1_767_225_600  # the first second of 2026


def git(folder: Path, *arguments: str, stdin: bytes = b"", **variables: str) -> bytes:
    """Run git as a person would, without the account's own configuration."""
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "LC_ALL": "C.UTF-8",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_AUTHOR_NAME": SECOND[0],
        "GIT_AUTHOR_EMAIL": SECOND[1],
        "GIT_COMMITTER_NAME": SECOND[0],
        "GIT_COMMITTER_EMAIL": SECOND[1],
        "GIT_AUTHOR_DATE": f"{_CLOCK} +0000",
        "GIT_COMMITTER_DATE": f"{_CLOCK} +0000",
        **variables,
    }
    done = subprocess.run(
        ["git", "-c", "core.hooksPath=/dev/null", "-c", "protocol.file.allow=always", *arguments],
        cwd=folder, env=environment, input=stdin, capture_output=True, check=False, timeout=60,
    )  # fmt: skip
    assert done.returncode == 0, (arguments, done.stderr.decode("utf-8", "replace"))
    return done.stdout


def head(remote: Path, branch: str = "main") -> str:
    """The tip of a branch on the remote."""
    return git(remote, "rev-parse", "--verify", f"refs/heads/{branch}").decode().strip()


def blob(remote: Path, path: str, branch: str = "main") -> bytes:
    """The bytes at a path of a branch's tip, as any reader of the remote gets them."""
    return git(remote, "cat-file", "blob", f"refs/heads/{branch}:{path}")


def make_remote(path: Path, files: Mapping[str, bytes], branch: str = "main") -> Path:
    """A bare remote whose branch holds these files; its default branch is this one."""
    shutil.copytree(_remote_of(tuple(files.items()), branch), path)
    return path


@lru_cache(maxsize=32)
def _remote_of(files: tuple[tuple[str, bytes], ...], branch: str) -> Path:
    """One to copy: most tests begin with the same files, and making it is a dozen git processes."""
    run = os.environ.get("IMPRIMATUR_TEST_DATA")
    made = Path(tempfile.mkdtemp(prefix="remote-", dir=run)) / "remote.git"
    made.mkdir()
    git(made, "init", "-q", "--bare", f"--initial-branch={branch}")
    if files:
        second_person(made, dict(files), "base", branch=branch)
    return made


def second_person(
    remote: Path,
    changes: Mapping[str, bytes | None],
    message: str,
    *,
    branch: str = "main",
    links: Mapping[str, str] | None = None,
    executable: tuple[str, ...] = (),
    rewrite: bool = False,
) -> str:
    """Somebody else commits and pushes: bytes set a file, None removes it, ``links`` are symlinks.

    ``rewrite`` starts a new history and forces it onto the branch.
    """
    work = Path(tempfile.mkdtemp(prefix="second-person-"))
    try:
        git(work, "init", "-q", f"--initial-branch={branch}", "w")
        tree = work / "w"
        git(tree, "config", "core.autocrlf", "false")
        known = git(remote, "for-each-ref", f"refs/heads/{branch}")
        if known and not rewrite:
            git(tree, "pull", "-q", str(remote), branch)
        _apply(tree, changes, links or {}, executable)
        git(tree, "add", "-A")
        git(tree, "commit", "-q", "--allow-empty", "-F", "-", stdin=message.encode())
        git(tree, "push", "-q", "--force", str(remote), f"HEAD:refs/heads/{branch}")
        return git(tree, "rev-parse", "HEAD").decode().strip()
    finally:
        shutil.rmtree(work)


def _apply(
    tree: Path,
    changes: Mapping[str, bytes | None],
    links: Mapping[str, str],
    executable: tuple[str, ...],
) -> None:
    removed = [name for name, data in changes.items() if data is None]
    if removed:
        git(tree, "--literal-pathspecs", "rm", "-q", "--", *removed)  # takes empty folders along
    for name, data in changes.items():
        if data is not None:
            target = tree / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
    for name, where in links.items():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).symlink_to(where)
    for name in executable:
        (tree / name).chmod(0o755)


def add_hook(remote: Path, name: str, script: str) -> None:
    """Give the remote a hook; ``script`` is the body of a shell script."""
    hook = remote / "hooks" / name
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\n{script}\n")
    hook.chmod(0o755)
