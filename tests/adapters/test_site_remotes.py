"""Remotes that are not as they should be: empty, without a head, of an old tool, renamed branches."""

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from pytest_django import Settings

from publisher import env
from publisher.adapters.git import outcomes
from publisher.adapters.git.environment import Network
from publisher.domain.errors import BranchGone, InvalidInput, RepositoryError
from publisher.models import Outbox, Site
from tests.adapters.conftest import Opener
from tests.support.git import git, head, make_remote

EMPTY_BLOB = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"


def old_history(path: Path) -> Path:
    """A remote whose tree was written by a tool that padded modes with a zero."""
    make_remote(path, {"a.md": b"a"})
    blob = git(path, "rev-parse", "main:a.md").decode().strip()
    inner = _tree(path, b"100644 b.md\x00" + bytes.fromhex(blob))
    tree = _tree(path, b"040000 docs\x00" + bytes.fromhex(inner))
    commit = git(path, "commit-tree", tree, "-m", "old").decode().strip()
    git(path, "update-ref", "refs/heads/main", commit)
    return path


def _tree(remote: Path, data: bytes) -> str:
    arguments = ("hash-object", "-t", "tree", "-w", "--literally", "--stdin")
    return git(remote, *arguments, stdin=data).decode().strip()


def test_an_empty_remote_is_told_what_to_push(open_repository: Opener, tmp_path: Path) -> None:
    empty = make_remote(tmp_path / "empty.git", {})
    with pytest.raises(BranchGone, match=r"empty.*first commit"):
        open_repository(remote=str(empty)).default_branch()


def test_a_remote_that_was_taken_off_the_list_of_hosts_is_not_talked_to(
    open_repository: Opener,
) -> None:
    listed = Network(hosts=("git.example.org",))
    opened = open_repository(remote="https://git.invalid/r.git", network=listed)
    for ask in (opened.default_branch, opened.fetch):
        with pytest.raises(InvalidInput, match="No site may be on this host"):
            ask()


def test_a_head_without_its_branch_names_the_branches_there_are(
    open_repository: Opener, remote: Path
) -> None:
    git(remote, "branch", "second", "main")
    git(remote, "symbolic-ref", "HEAD", "refs/heads/gone")
    with pytest.raises(BranchGone, match="--branch: main, second"):
        open_repository().default_branch()


@pytest.mark.parametrize(("before", "after"), [("rel", "rel/main"), ("rel/main", "rel")])
def test_a_site_may_follow_a_branch_below_or_above_the_one_before(
    open_repository: Opener, remote: Path, before: str, after: str
) -> None:
    git(remote, "branch", before, "main")
    open_repository(branch=before).ensure_clone()
    git(remote, "branch", "-D", before)
    git(remote, "branch", after, "main")
    assert open_repository(branch=after).fetch() == head(remote, after)


def test_an_old_history_is_refused_with_the_way_to_let_it_pass(
    open_repository: Opener, tmp_path: Path
) -> None:
    old = old_history(tmp_path / "old.git")
    with pytest.raises(RepositoryError, match='IMPRIMATUR_GIT_TOLERATE="zeroPaddedFilemode"'):
        open_repository(remote=str(old)).ensure_clone()


def test_an_old_history_passes_when_the_operator_lets_it(
    open_repository: Opener, tmp_path: Path
) -> None:
    old = old_history(tmp_path / "old.git")
    network = Network(tolerated=("zeroPaddedFilemode",))
    repository = open_repository(remote=str(old), network=network)
    repository.ensure_clone()
    assert repository.read_path(head(old), "docs/b.md") == b"a"


def test_what_is_let_pass_lets_nothing_else_pass(open_repository: Opener, tmp_path: Path) -> None:
    evil = make_remote(tmp_path / "evil.git", {"a.md": b"a"})
    tree = _tree(evil, b"100644 .git\x00" + bytes.fromhex(EMPTY_BLOB))
    git(evil, "hash-object", "-w", "--stdin", stdin=b"")
    commit = git(evil, "commit-tree", tree, "-m", "evil").decode().strip()
    git(evil, "update-ref", "refs/heads/main", commit)
    network = Network(tolerated=tuple(sorted(env.GIT_TOLERABLE)))
    with pytest.raises(RepositoryError, match="hasDotgit"):
        open_repository(remote=str(evil), network=network).ensure_clone()


def test_the_way_is_told_for_every_check_that_the_environment_lets_pass() -> None:
    assert outcomes.TOLERABLE == env.GIT_TOLERABLE


@pytest.mark.django_db
def test_a_refused_site_leaves_nothing_behind(tmp_path: Path, settings: Settings) -> None:
    settings.IMPRIMATUR_DATA_DIR = tmp_path / "data"
    remote = make_remote(tmp_path / "remote.git", {})
    with pytest.raises(SystemExit) as left:
        call_command("site", "add", "paper", "--remote", str(remote), stdout=StringIO())
    assert left.value.code == 2
    assert not Site.objects.exists()
    assert not Outbox.objects.exists()
    assert list((tmp_path / "data" / "git").glob("*")) == []


@pytest.mark.django_db
def test_a_remote_without_a_head_is_connected_by_naming_the_branch(
    tmp_path: Path, settings: Settings
) -> None:
    settings.IMPRIMATUR_DATA_DIR = tmp_path / "data"
    remote = make_remote(tmp_path / "remote.git", {"a.md": b"a"})
    git(remote, "symbolic-ref", "HEAD", "refs/heads/gone")
    arguments = ["site", "add", "paper", "--remote", str(remote), "--branch", "main"]
    call_command(*arguments, stdout=StringIO())
    assert Site.objects.get().branch == "main"
