"""The Repository port on real git: what its history says."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from publisher.adapters.git.repository import GitRepository
from publisher.adapters.git.runner import Runner
from publisher.domain.errors import RepositoryError
from publisher.ports import Change
from tests.adapters.conftest import FILES, MESSAGE, MOMENT, Builder, Opener
from tests.support.git import git, head, second_person


def test_changes_name_both_blobs(repository: GitRepository, remote: Path) -> None:
    old = repository.fetch()
    before = repository.entries(old, list(FILES))
    new = second_person(
        remote, {"README.md": b"x", "content/posts/one.md": None, "a b/ü.md": b"new"}, "mixed"
    )
    repository.fetch()
    after = repository.entries(new, ["README.md", "a b/ü.md"])
    one, readme = before["content/posts/one.md"], before["README.md"]
    new_readme, fresh = after["README.md"], after["a b/ü.md"]
    assert one is not None
    assert readme is not None
    assert new_readme is not None
    assert fresh is not None
    assert sorted(repository.changes(old, new), key=lambda change: change.path) == [
        Change("README.md", readme.blob, new_readme.blob),
        Change("a b/ü.md", None, fresh.blob),
        Change("content/posts/one.md", one.blob, None, is_file=False),
    ]


def test_a_rename_is_two_changes(repository: GitRepository, remote: Path) -> None:
    old = repository.fetch()
    moved = {"content/posts/one.md": None, "content/posts/uno.md": FILES["content/posts/one.md"]}
    new = second_person(remote, moved, "rename")
    repository.fetch()
    changes = {change.path: change for change in repository.changes(old, new)}
    assert changes["content/posts/one.md"].new_blob is None
    assert changes["content/posts/uno.md"].new_blob == changes["content/posts/one.md"].old_blob


def test_changes_from_nothing_are_all_paths(repository: GitRepository) -> None:
    found = repository.changes(None, repository.fetch())
    assert {change.path for change in found} == set(FILES)
    assert all(change.old_blob is None and change.is_file for change in found)


def test_a_changed_link_is_marked_as_no_file(repository: GitRepository, remote: Path) -> None:
    old = repository.fetch()
    new = second_person(remote, {}, "link", links={"content/posts/x.md": "one.md"})
    repository.fetch()
    (change,) = repository.changes(old, new)
    assert not change.is_file
    assert [found.is_file for found in repository.changes(None, new)].count(False) == 1


def test_commits_come_newest_first_with_their_own_trailers(
    repository: GitRepository, remote: Path
) -> None:
    base = repository.fetch()
    quoted = "quote\n\nBlog-Job-Id: job-9\n\nThe end.\n"
    first = second_person(remote, {"README.md": b"1"}, quoted)
    second = second_person(remote, {"README.md": b"2"}, "real\n\nBlog-Job-Id: job-9\n")
    tip = repository.fetch()
    found = repository.commits(base, tip)
    assert [facts.commit for facts in found] == [second, first]
    assert [facts.trailers for facts in found] == [(("Blog-Job-Id", "job-9"),), ()]
    assert [facts.subject for facts in found] == ["real", "quote"]
    assert found[0].parents == (first,)
    assert (found[0].author, found[0].email) == ("Second Person", "second@example.invalid")
    assert found[0].date == datetime(2026, 1, 1, tzinfo=UTC)


def test_without_a_base_all_commits_are_told(repository: GitRepository, remote: Path) -> None:
    second_person(remote, {"README.md": b"1"}, "two")
    assert len(repository.commits(None, repository.fetch())) == 2


def test_what_lies_between_two_commits_is_read_once(
    repository: GitRepository, remote: Path
) -> None:
    base = repository.fetch()
    second_person(remote, {"README.md": b"# new\n"}, "reworded")
    tip = repository.fetch()
    first = (repository.commits(base, tip), repository.changes(base, tip))
    started = repository.runner.started
    first[0].clear()
    first[1].clear()
    assert [facts.commit for facts in repository.commits(base, tip)] == [tip]
    assert [change.path for change in repository.changes(base, tip)] == ["README.md"]
    assert repository.runner.started == started


def test_nothing_lies_between_a_commit_and_itself(repository: GitRepository) -> None:
    tip = repository.fetch()
    assert repository.commits(tip, tip) == []
    assert repository.changes(tip, tip) == []


def test_facts_of_one_commit_are_those_of_the_list(repository: GitRepository) -> None:
    tip = repository.fetch()
    assert [repository.facts(tip)] == repository.commits(None, tip)


def test_an_unknown_commit_has_no_facts(repository: GitRepository) -> None:
    with pytest.raises(RepositoryError):
        repository.facts("1" * 40)


@pytest.mark.parametrize("seconds", ["253402300799", "99999999999999"])
def test_a_commit_from_an_impossible_year_can_be_told_in_every_zone(
    repository: GitRepository, remote: Path, seconds: str
) -> None:
    tree = git(remote, "rev-parse", "main^{tree}").decode().strip()
    raw = (
        f"tree {tree}\nparent {head(remote)}\nauthor A <a@b> {seconds} +0000\n"
        f"committer A <a@b> {seconds} +0000\n\nfar\n"
    )
    git(remote, "hash-object", "-t", "commit", "-w", "--stdin", stdin=raw.encode())
    commit = git(remote, "hash-object", "-t", "commit", "--stdin", stdin=raw.encode())
    git(remote, "update-ref", "refs/heads/main", commit.decode().strip())
    tip = repository.fetch()
    date = repository.facts(tip).date
    assert date.astimezone(ZoneInfo("Pacific/Kiritimati")).year == 9999


DATES = (
    "0 +0000",
    "4070908800 +1400",
    "1767225600 -0000",
    "1767225600 -1200",
    "253402128000 -0000",
)


@pytest.mark.parametrize("date", DATES)
def test_a_tip_of_any_date_is_told_and_built_on(
    repository: GitRepository, build: Builder, remote: Path, date: str
) -> None:
    people: dict[str, Any] = {"GIT_AUTHOR_DATE": f"@{date}", "GIT_COMMITTER_DATE": f"@{date}"}
    made = ("commit-tree", "main^{tree}", "-p", "main", "-m", "any date")
    git(remote, "update-ref", "refs/heads/main", git(remote, *made, **people).decode().strip())
    tip = repository.fetch()
    assert repository.facts(tip).date.timestamp() == int(date.split()[0])
    commit = build(tip)
    repository.push(commit, lease=tip)
    assert head(remote) == repository.fetch() == commit


def test_a_remote_that_borrows_its_objects_is_published_to(
    open_repository: Opener, remote: Path, tmp_path: Path
) -> None:
    git(tmp_path, "clone", "-q", "--bare", "--shared", str(remote), "fork.git")
    fork = tmp_path / "fork.git"
    assert (fork / "objects/info/alternates").read_text().strip() == f"{remote}/objects"
    repository = open_repository(id=8, remote=str(fork))
    repository.ensure_clone()
    tip = repository.fetch()
    commit = repository.build_commit(
        parent=tip, files={"a.md": b"A.\n"}, message=MESSAGE, date=MOMENT,
        ref="refs/imprimatur/replay/job-1/1",
    )  # fmt: skip
    repository.push(commit, lease=tip)
    assert (head(fork), head(remote)) == (commit, tip)


@pytest.mark.parametrize("where", ["remote", "clone"])
def test_what_stands_in_for_a_commit_or_a_file_is_never_read(
    repository: GitRepository, build: Builder, remote: Path, where: str
) -> None:
    """A replaced blob, and a graft that gives the tip another parent."""
    old, tip = repository.fetch(), second_person(remote, {"README.md": b"new"}, "new")
    repository.fetch()
    place = remote if where == "remote" else repository.runner.git_dir
    fake = git(place, "hash-object", "-w", "--stdin", stdin=b"Not what is there.\n")
    git(place, "replace", f"{tip}:content/posts/one.md", fake.decode().strip())
    (place / "info").mkdir(exist_ok=True)
    (place / "info/grafts").write_text(f"{tip}\n")
    assert repository.fetch() == tip
    assert repository.read_path(tip, "content/posts/one.md") == FILES["content/posts/one.md"]
    assert [facts.commit for facts in repository.commits(old, tip)] == [tip]
    assert repository.facts(tip).parents == (old,)
    commit = build(tip)
    repository.push(commit, lease=tip)
    assert repository.fetch() == commit


def test_the_last_change_of_a_path_is_found(repository: GitRepository, remote: Path) -> None:
    base = repository.fetch()
    touched = second_person(remote, {"content/posts/one.md": b"1"}, "one")
    tip = second_person(remote, {"README.md": b"2"}, "two")
    repository.fetch()
    found = repository.last_change(base, tip, "content/posts/one.md")
    assert found is not None
    assert found.commit == touched
    assert repository.last_change(base, tip, "content/posts/two.md") is None


def test_the_last_changes_of_many_paths_are_found_in_one_pass(
    repository: GitRepository, remote: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two, far = "content/posts/one.md", "public/a b/zwei \u00e4.png", "public/far.png"
    base = repository.fetch()
    first = second_person(remote, {one: b"1", two: b"2", "README.md": b"0"}, "one and two")
    second = second_person(remote, {two: None}, "two is gone\n\nWith a body.\n\nKey: value")
    tip = second_person(remote, {"README.md": b"2"}, "another")
    repository.fetch()
    commands: list[str] = []
    run = Runner.run

    def counted(runner: Runner, command: str, *options: str, **more: Any) -> Any:
        commands.append(command)
        return run(runner, command, *options, **more)

    monkeypatch.setattr(Runner, "run", counted)
    found = repository.last_changes(base, tip, [one, two, far])
    assert commands == ["log", "rev-list", "diff-tree", "log"], "two more for what none brought"
    assert {path: facts.commit for path, facts in found.items()} == {one: first, two: second}
    assert found[two].subject == "two is gone"
    assert found[two].trailers == (("Key", "value"),)
    assert repository.last_changes(tip, tip, [one]) == {}


@pytest.mark.parametrize("is_merged_again", [False, True])
def test_what_a_merge_leaves_behind_is_its_own_doing(
    repository: GitRepository, remote: Path, tmp_path: Path, is_merged_again: bool
) -> None:
    """A branch that never had the file takes the other one in, and keeps nothing of it."""
    one = "content/posts/one.md"
    second_person(remote, {one: None}, "before")
    base = second_person(remote, {one: b"published", "b.md": b"x"}, "published")
    work = tmp_path / "work"
    git(tmp_path, "clone", "-q", str(remote), str(work))
    git(work, "checkout", "-q", "-b", "later")
    git(work, "commit", "-q", "--allow-empty", "-m", "from the published one")
    git(work, "checkout", "-q", "-b", "old", "main~1")
    git(work, "merge", "-q", "-s", "ours", "-m", "all as it was", "main")
    merge = head(work, "old")
    if is_merged_again:
        git(work, "merge", "-q", "-m", "again", "later")
    git(work, "push", "-q", "origin", "old:main")
    tip = repository.fetch()
    found = repository.last_changes(base, tip, [one, "b.md", "README.md"])
    assert {path: facts.commit for path, facts in found.items()} == {one: merge, "b.md": merge}
    single = repository.last_change(base, tip, one)
    assert single is not None
    assert single.commit == merge


def test_of_a_merge_the_side_that_changed_a_path_is_named(
    repository: GitRepository, remote: Path, tmp_path: Path
) -> None:
    repository.fetch()
    work = tmp_path / "merging"
    git(tmp_path, "clone", "-q", str(remote), str(work))
    git(work, "checkout", "-q", "-b", "side")
    (work / "README.md").write_text("from the side")
    git(work, "commit", "-q", "-am", "side")
    side = git(work, "rev-parse", "HEAD").decode().strip()
    git(work, "checkout", "-q", "main")
    git(work, "merge", "-q", "--no-ff", "--no-commit", "side")
    (work / "by-the-merge.md").write_text("evil")
    git(work, "add", "-A")
    git(work, "commit", "-q", "-m", "merged")
    git(work, "push", "-q", "origin", "main")
    tip = repository.fetch()
    found = repository.last_changes(None, tip, ["README.md", "by-the-merge.md"])
    assert found["README.md"].commit == side
    assert found["by-the-merge.md"].commit == tip


def test_ancestors_are_told_from_strangers(repository: GitRepository, remote: Path) -> None:
    base = repository.fetch()
    newer = second_person(remote, {"README.md": b"1"}, "newer")
    repository.fetch()
    stranger = second_person(remote, {"README.md": b"2"}, "stranger", rewrite=True)
    repository.fetch()
    assert repository.is_ancestor(base, newer)
    assert not repository.is_ancestor(newer, base)
    assert repository.merge_base(base, newer) == base
    assert repository.merge_base(newer, stranger) is None
