"""Line: what is read from objects is what git's own log says, and what is not straight is left to it."""

import os
import subprocess
from pathlib import Path

import pytest

from publisher.adapters.git import line
from publisher.adapters.git.repository import GitRepository
from tests.support.git import git, second_person

ODD = [
    "Ünal Ö'Brien <unal@example.org>",
    "陈 奶奶 <chen@example.org>",
    "A. <>",
]
MESSAGES = [
    "One line",
    "Subject\n\nBody.\n\nBlog-Job-Id: job-1\nBlog-Manifest-Sha256: abc\n",
    "\n\nBlank lines first\n\n\nand between\n\n",
    "",
    "标题\n\n正文\n",
]


def commit(remote: Path, *, who: str = ODD[0], message: str = "m", extra: str = "") -> str:
    """A commit on the branch, written as an object with just these bytes."""
    parent, tree = (
        git(remote, "rev-parse", name).decode().strip() for name in ("main", "main^{tree}")
    )
    data = (
        f"tree {tree}\nparent {parent}\nauthor {who} 1767225600 +0100\n"
        f"committer C <c@example.org> 1767225601 -0330\n{extra}\n{message}"
    ).encode()
    made = (
        subprocess.run(
            ["git", "hash-object", "-t", "commit", "-w", "--stdin", "--literally"],
            cwd=remote,
            input=data,
            capture_output=True,
            check=True,
            env={**os.environ, "GIT_DIR": str(remote)},
        )
        .stdout.decode()
        .strip()
    )
    git(remote, "update-ref", "refs/heads/main", made)
    return made


def said_by_git(
    repository: GitRepository, base: str, tip: str, monkeypatch: pytest.MonkeyPatch
) -> object:
    with monkeypatch.context() as patched:
        patched.setattr(line, "LONGEST", 0)
        repository._history._commits._answers.clear()
        found = repository.commits(base, tip)
        repository._history._commits._answers.clear()
    return found


@pytest.mark.parametrize("who", ODD)
@pytest.mark.parametrize("message", MESSAGES)
def test_it_says_what_git_says(
    repository: GitRepository, remote: Path, monkeypatch: pytest.MonkeyPatch, who: str, message: str
) -> None:
    base = repository.fetch()
    commit(remote, who=who, message=message)
    signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n iQ==\n -----END PGP SIGNATURE-----\n"
    commit(remote, who=who, message=message, extra=signature)
    tip = repository.fetch()
    expected = said_by_git(repository, base, tip, monkeypatch)
    before = repository.runner.started
    assert repository.commits(base, tip) == expected
    assert repository.runner.started == before


def test_nothing_between_is_nothing(repository: GitRepository) -> None:
    tip = repository.fetch()
    assert repository.commits(tip, tip) == []


KINDS = ["merge", "encoding", "spaces", "long", "rewritten"]


def grown(remote: Path, base: str, kind: str) -> None:
    """Move the branch on from its first commit by something that is no plain line."""
    if kind == "merge":
        second_person(remote, {"README.md": b"x"}, "one side")
        side = git(remote, "rev-parse", "main").decode().strip()
        tree = git(remote, "rev-parse", "main^{tree}").decode().strip()
        merged = git(remote, "commit-tree", tree, "-p", side, "-p", base, "-m", "merge")
        git(remote, "update-ref", "refs/heads/main", merged.decode().strip())
    elif kind == "encoding":
        commit(remote, extra="encoding ISO-8859-1\n")
    elif kind == "spaces":
        commit(remote, who="Trailing   <  y@example.org  >")
    elif kind == "long":
        for number in range(line.LONGEST + 1):
            commit(remote, message=str(number))
    else:
        second_person(remote, {"README.md": b"x"}, "anew", rewrite=True)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_not_plain_is_left_to_git(
    repository: GitRepository, remote: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    base = repository.fetch()
    grown(remote, base, kind)
    tip = repository.fetch()
    expected = said_by_git(repository, base, tip, monkeypatch)
    before = repository.runner.started
    assert repository.commits(base, tip) == expected
    assert repository.runner.started == before + 1


def test_who_came_first_is_read_from_a_line_either_way(
    repository: GitRepository, remote: Path
) -> None:
    base = repository.fetch()
    for message in MESSAGES:
        commit(remote, message=message)
    tip = repository.fetch()
    before = repository.runner.started
    assert repository.is_ancestor(base, tip)
    assert not repository.is_ancestor(tip, base)
    assert repository.is_ancestor(tip, tip)
    assert repository.runner.started == before


@pytest.mark.parametrize("kind", KINDS)
def test_who_came_first_in_other_histories_is_asked_of_git(
    repository: GitRepository, remote: Path, kind: str
) -> None:
    base = repository.fetch()
    grown(remote, base, kind)
    tip = repository.fetch()
    before = repository.runner.started
    assert repository.is_ancestor(base, tip) is (kind != "rewritten")
    assert not repository.is_ancestor(tip, base)
    assert repository.runner.started == before + 2


def test_a_history_that_was_cut_off_is_left_to_git(repository: GitRepository, remote: Path) -> None:
    clone = repository.runner.git_dir
    known = set(clone.glob("objects/pack/*"))
    commit(remote)
    repository.fetch()
    its_files = set(clone.glob("objects/pack/*")) - known
    last = commit(remote)
    repository.fetch()
    stranger = second_person(remote, {"README.md": b"x"}, "anew", rewrite=True)
    repository.fetch()
    for path in its_files:
        path.unlink()
    (clone / "shallow").write_text(f"{last}\n")
    repository.close()
    assert not repository.is_ancestor(stranger, last)
