"""The Repository port on real git: what every call promises."""

import os
import signal
from pathlib import Path

import pytest

from publisher.adapters.git.repository import GitRepository
from publisher.domain.errors import BranchGone, RemoteUnreachable, RepositoryError
from publisher.ports import Repository, TreeEntry
from tests.adapters.conftest import FILES, MESSAGE, Builder, Opener
from tests.support.git import blob, git, head, make_remote, second_person


def as_port(repository: GitRepository) -> Repository:
    """The type checker compares the signatures with the port."""
    return repository


# --- looking ---------------------------------------------------------------------------------


def test_a_fetch_returns_the_tip_and_keeps_it(repository: GitRepository, remote: Path) -> None:
    assert as_port(repository).fetch() == head(remote) == repository.tip()


def test_a_site_that_was_never_fetched_has_no_tip(open_repository: Opener) -> None:
    assert open_repository().tip() is None


def test_a_fetch_brings_what_somebody_else_pushed(repository: GitRepository, remote: Path) -> None:
    theirs = second_person(remote, {"README.md": b"# new\n"}, "reworded")
    assert repository.fetch() == theirs
    assert repository.read_path(theirs, "README.md") == b"# new\n"


def test_a_fetch_makes_the_clone_that_went_missing(open_repository: Opener, remote: Path) -> None:
    assert open_repository().fetch() == head(remote)


def test_a_fetch_follows_a_rewritten_history(repository: GitRepository, remote: Path) -> None:
    theirs = second_person(remote, {"README.md": b"anew\n"}, "anew", rewrite=True)
    assert repository.fetch() == theirs


def test_a_vanished_branch_is_named(repository: GitRepository, remote: Path) -> None:
    git(remote, "update-ref", "-d", "refs/heads/main")
    with pytest.raises(BranchGone):
        repository.fetch()


def test_a_missing_remote_is_unreachable(open_repository: Opener, tmp_path: Path) -> None:
    with pytest.raises(RemoteUnreachable, match="does not appear to be a git repository"):
        open_repository(remote=str(tmp_path / "nowhere.git")).fetch()


def test_the_default_branch_is_the_one_that_head_names(
    open_repository: Opener, tmp_path: Path
) -> None:
    trunk = make_remote(tmp_path / "trunk.git", FILES, branch="trunk")
    assert open_repository(remote=str(trunk)).default_branch() == "trunk"


def test_an_empty_remote_has_no_default_branch(open_repository: Opener, tmp_path: Path) -> None:
    empty = make_remote(tmp_path / "empty.git", {})
    with pytest.raises(BranchGone, match="no branch yet"):
        open_repository(remote=str(empty)).default_branch()


def test_a_clone_reports_its_progress(open_repository: Opener) -> None:
    told: list[str] = []
    open_repository().ensure_clone(told.append)
    assert told


def test_a_clone_can_be_completed_again(repository: GitRepository, remote: Path) -> None:
    repository.ensure_clone()
    assert repository.tip() == head(remote)


# --- reading ---------------------------------------------------------------------------------


def test_entries_have_modes_and_blobs(repository: GitRepository, remote: Path) -> None:
    tip = repository.fetch()
    found = repository.entries(tip, ["README.md", "content", "content/none.md", "README.md/x"])
    assert found["README.md"] == TreeEntry(
        "README.md", "100644", git(remote, "rev-parse", "main:README.md").decode().strip()
    )
    folder = found["content"]
    assert folder is not None
    assert folder.mode == "040000"
    assert found["content/none.md"] is None
    assert found["README.md/x"] is None


def test_names_lists_the_direct_entries_of_a_folder(repository: GitRepository) -> None:
    tip = repository.fetch()
    assert [entry.path for entry in repository.names(tip, "")] == ["README.md", "content", "public"]
    assert [entry.path for entry in repository.names(tip, "content/posts")] == [
        "content/posts/one.md",
        "content/posts/two.md",
    ]
    assert repository.names(tip, "absent") == []
    assert repository.names(tip, "README.md") == []


def test_bytes_are_read_as_they_are(repository: GitRepository) -> None:
    tip = repository.fetch()
    for path, data in FILES.items():
        assert repository.read_path(tip, path) == data
    assert repository.read_path(tip, "content") is None
    assert repository.read_path(tip, "absent.md") is None


def test_a_link_is_not_read(repository: GitRepository, remote: Path) -> None:
    tip = second_person(remote, {}, "link", links={"content/posts/link.md": "/etc/passwd"})
    repository.fetch()
    entry = repository.entries(tip, ["content/posts/link.md"])["content/posts/link.md"]
    assert entry is not None
    assert entry.mode == "120000"
    assert repository.read_path(tip, "content/posts/link.md") is None


def test_a_path_behind_a_link_is_absent(repository: GitRepository, remote: Path) -> None:
    tip = second_person(remote, {}, "link", links={"other": "content"})
    repository.fetch()
    assert repository.entries(tip, ["other/posts/one.md"])["other/posts/one.md"] is None


def test_only_full_ids_are_taken(repository: GitRepository) -> None:
    for name in ("HEAD", "--output=x", "refs/heads/main", "a" * 39):
        with pytest.raises(RepositoryError):
            repository.read(name)
        with pytest.raises(RepositoryError):
            repository.commits(None, name)


def test_reading_starts_one_process(repository: GitRepository) -> None:
    tip = repository.fetch()
    before = repository.runner.started
    for path in FILES:
        repository.read_path(tip, path)
        repository.entries(tip, [path, "absent"])
        repository.names(tip, "content")
    assert repository.runner.started - before <= 1


def test_reading_goes_on_after_the_process_died(repository: GitRepository) -> None:
    tip = repository.fetch()
    repository.read_path(tip, "README.md")
    child = repository._objects._child
    assert child is not None
    os.kill(child.pid, signal.SIGKILL)
    assert repository.read_path(tip, "README.md") == b"# demo\n"


def test_a_closed_repository_leaves_no_process(repository: GitRepository) -> None:
    repository.read_path(repository.fetch(), "README.md")
    child = repository._objects._child
    assert child is not None
    repository.close()
    assert not Path(f"/proc/{child.pid}").exists()


# --- attributes and differences --------------------------------------------------------------


def test_lfs_paths_follow_the_attributes_of_the_commit(
    repository: GitRepository, remote: Path
) -> None:
    before = repository.fetch()
    tip = second_person(
        remote,
        {
            ".gitattributes": b"*.png filter=lfs diff=lfs merge=lfs -text\n",
            "public/plain/.gitattributes": b"*.png !filter\n",
        },
        "lfs",
    )
    repository.fetch()
    paths = ["public/covers/新.png", "public/plain/a.png", "content/a.md"]
    assert repository.lfs_paths(tip, paths) == {"public/covers/新.png"}
    assert repository.lfs_paths(before, paths) == set()


def test_a_diff_is_hunks_alone(repository: GitRepository) -> None:
    text = repository.diff(b"a\nb\nc\n", b"a\nB\nc\n")
    assert text == "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"


def test_equal_contents_have_no_diff(repository: GitRepository) -> None:
    assert repository.diff(b"same", b"same") == ""


def test_a_diff_shows_line_ends_and_a_missing_last_one(repository: GitRepository) -> None:
    text = repository.diff(b"a\r\n", b"a\n+b")
    assert text == "@@ -1 +1,2 @@\n-a\r\n+a\n++b\n\\ No newline at end of file\n"


def test_a_diff_of_a_new_file_shows_all_of_it(repository: GitRepository) -> None:
    assert repository.diff(b"", b"x\n") == "@@ -0,0 +1 @@\n+x\n"


# --- publishing ------------------------------------------------------------------------------


def test_a_push_puts_the_commit_on_the_branch(
    repository: GitRepository, build: Builder, remote: Path
) -> None:
    tip = repository.fetch()
    commit = build(tip)
    repository.push(commit, lease=tip)
    assert head(remote) == commit
    assert blob(remote, "content/posts/three.md") == b"Third.\n"
    assert repository.fetch() == commit


def test_a_whole_publication_takes_few_processes(
    repository: GitRepository, build: Builder, remote: Path
) -> None:
    base = repository.fetch()
    second_person(remote, {"README.md": b"meanwhile"}, "meanwhile")
    repository.close()
    before = repository.runner.started
    tip = repository.fetch()
    repository.commits(base, tip)
    repository.changes(base, tip)
    repository.read_path(tip, "content/posts/three.md")
    commit = build(tip, job_id="job-1")
    repository.push(commit, lease=tip)
    seen = repository.fetch()
    assert [facts.trailers for facts in repository.commits(tip, seen)] == [
        (("Blog-Job-Id", "job-1"),)
    ]
    assert repository.runner.started - before <= 8
    assert MESSAGE.startswith(repository.facts(seen).subject)
