"""The Repository port on real git: what every call promises."""

import os
import signal
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from publisher.adapters.git.repository import GitRepository
from publisher.adapters.git.runner import Runner
from publisher.domain.errors import BranchGone, RemoteUnreachable, RepositoryError, UnsafePath
from publisher.ports import Change, CommitPlan, Repository, TreeEntry
from tests.adapters.conftest import FILES, MESSAGE, MOMENT, Builder, Opener
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


# --- history ---------------------------------------------------------------------------------


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


def test_a_commit_from_an_impossible_year_can_be_told(
    repository: GitRepository, remote: Path
) -> None:
    tree = git(remote, "rev-parse", "main^{tree}").decode().strip()
    raw = (
        f"tree {tree}\nparent {head(remote)}\nauthor A <a@b> 99999999999999 +0000\n"
        "committer A <a@b> 99999999999999 +0000\n\nfar\n"
    )
    git(remote, "hash-object", "-t", "commit", "-w", "--stdin", stdin=raw.encode())
    commit = git(remote, "hash-object", "-t", "commit", "--stdin", stdin=raw.encode())
    git(remote, "update-ref", "refs/heads/main", commit.decode().strip())
    tip = repository.fetch()
    assert repository.facts(tip).date.year == 9999


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
    assert commands == ["log", "log"]
    assert {path: facts.commit for path, facts in found.items()} == {one: first, two: second}
    assert found[two].subject == "two is gone"
    assert found[two].trailers == (("Key", "value"),)
    assert repository.last_changes(tip, tip, [one]) == {}


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


# --- committing ------------------------------------------------------------------------------


def test_a_commit_sets_exactly_the_named_paths(repository: GitRepository, build: Builder) -> None:
    tip = repository.fetch()
    commit = build(tip, files={"content/posts/one.md": None, "new/deep/three.md": b"3"})
    assert {change.path for change in repository.changes(tip, commit)} == {
        "content/posts/one.md",
        "new/deep/three.md",
    }
    assert repository.read_path(commit, "new/deep/three.md") == b"3"
    facts = repository.facts(commit)
    assert facts.parents == (tip,)
    assert (facts.author, facts.email) == ("Imprimatur", "imprimatur@localhost")
    assert facts.date == MOMENT
    assert facts.trailers == (("Blog-Job-Id", "job-1"),)


def test_the_message_is_kept_to_the_byte(repository: GitRepository, build: Builder) -> None:
    message = "标题: 一\n\n# not a comment\nFrom here on  \n\nBlog-Job-Id: job-1\n"
    commit = build(repository.fetch(), message=message)
    assert repository._objects.get(commit, "commit").partition(b"\n\n")[2] == message.encode()


def test_the_same_arguments_give_the_same_commit(repository: GitRepository, build: Builder) -> None:
    tip = repository.fetch()
    assert build(tip) == build(tip, ref="refs/imprimatur/replay/job-1/2")


def test_a_replay_may_move_to_another_parent(
    repository: GitRepository, build: Builder, remote: Path
) -> None:
    build(repository.fetch())
    tip = second_person(remote, {"README.md": b"x"}, "moved")
    repository.fetch()
    commit = build(tip)
    assert repository.facts(commit).parents == (tip,)
    assert repository.read_path(commit, "README.md") == b"x"


@pytest.mark.parametrize(
    "path", ["content/posts/b[1].md", 'content/posts/a "q".md', "content/posts/*.md", ":(top)x.md"]
)
def test_a_name_that_is_a_pattern_is_a_plain_name(
    repository: GitRepository, build: Builder, path: str
) -> None:
    tip = repository.fetch()
    commit = build(tip, files={path: b"x"})
    assert [change.path for change in repository.changes(tip, commit)] == [path]
    found = repository.last_change(tip, commit, path)
    assert found is not None
    assert found.commit == commit


def test_an_existing_mode_is_kept_and_a_new_file_is_plain(
    repository: GitRepository, build: Builder, remote: Path
) -> None:
    second_person(remote, {"run.sh": b"1"}, "script", executable=("run.sh",))
    tip = repository.fetch()
    found = repository.entries(
        build(tip, files={"run.sh": b"2", "new.md": b"n"}), ["run.sh", "new.md"]
    )
    assert {path: entry.mode for path, entry in found.items() if entry} == {
        "run.sh": "100755",
        "new.md": "100644",
    }


def test_a_commit_refuses_to_write_over_a_link(
    repository: GitRepository, build: Builder, remote: Path
) -> None:
    tip = second_person(remote, {}, "link", links={"content/posts/x.md": "one.md", "l": "content"})
    repository.fetch()
    for path in ("content/posts/x.md", "l/three.md", "README.md/x.md", "content"):
        with pytest.raises(RepositoryError) as refusal:
            build(tip, files={path: b"x"})
        assert refusal.value.permanent


@pytest.mark.parametrize("path", [".git/config", "a/.GIT/x", "../x", "/etc/x", "-x", "a\nb"])
def test_a_commit_refuses_unsafe_paths(
    repository: GitRepository, build: Builder, path: str
) -> None:
    with pytest.raises(UnsafePath):
        build(repository.fetch(), files={path: b"x"})


@pytest.mark.parametrize("ref", ["refs/heads/main", "refs/imprimatur/../heads/main", "HEAD"])
def test_a_commit_is_kept_below_our_own_refs_only(
    repository: GitRepository, build: Builder, ref: str
) -> None:
    with pytest.raises(RepositoryError):
        build(repository.fetch(), ref=ref)


# --- job branches ----------------------------------------------------------------------------


def test_a_job_branch_comes_along_with_its_commits(
    repository: GitRepository, build: Builder
) -> None:
    tip = repository.fetch()
    assert repository.job_branch("job-1") is None
    first = build(tip, job_id="job-1")
    assert repository.job_branch("job-1") == first
    second = build(tip, job_id="job-1", files={"content/posts/three.md": b"Other.\n"})
    assert repository.job_branch("job-1") == second != first
    with pytest.raises(RepositoryError):
        build(tip, job_id="../x")


def chain(*sets_of_files: dict[str, bytes | None]) -> list[CommitPlan]:
    """A plan for each set of files, each of a job of its own."""
    return [
        CommitPlan(
            files, MESSAGE, MOMENT, f"refs/imprimatur/replay/job-{number}/1", f"job-{number}"
        )
        for number, files in enumerate(sets_of_files)
    ]


def test_commits_of_one_chain_stand_on_each_other(repository: GitRepository) -> None:
    tip = repository.fetch()
    started = repository.runner.started
    first, second = repository.build_commits(tip, chain({"a.md": b"A\n"}, {"b.md": b"B\n"}))
    assert repository.runner.started == started + 1
    assert [repository.facts(commit).parents for commit in (first, second)] == [(tip,), (first,)]
    assert [change.path for change in repository.changes(tip, first)] == ["a.md"]
    assert [change.path for change in repository.changes(first, second)] == ["b.md"]
    assert (repository.job_branch("job-0"), repository.job_branch("job-1")) == (first, second)


def test_the_same_chain_has_the_same_ids_and_its_first_is_the_commit_alone(
    repository: GitRepository,
) -> None:
    tip, plans = repository.fetch(), chain({"a.md": b"A\n"}, {"b.md": b"B\n"})
    built = repository.build_commits(tip, plans)
    assert repository.build_commits(tip, plans) == built
    assert repository.build_commits(tip, plans[:1]) == built[:1]


@pytest.mark.parametrize(
    "other",
    [{"docs/a/b.md": b"below"}, {"docs": b"above"}, {"docs/a": None}],
)
def test_commits_of_one_chain_are_not_in_each_others_way(
    repository: GitRepository, other: dict[str, bytes | None]
) -> None:
    tip = repository.fetch()
    with pytest.raises(RepositoryError):
        repository.build_commits(tip, chain({"docs/a": b"A\n"}, other))
    assert repository.job_branch("job-0") is None


def test_a_path_that_is_removed_is_not_written_again_in_one_chain(
    repository: GitRepository,
) -> None:
    tip = repository.fetch()
    with pytest.raises(RepositoryError):
        repository.build_commits(tip, chain({"README.md": None}, {"README.md": b"again"}))


def test_a_path_that_several_write_has_each_ones_bytes_in_turn(
    repository: GitRepository, remote: Path
) -> None:
    second_person(remote, {"list.txt": b"0\n"}, "a list", executable=("list.txt",))
    tip = repository.fetch()
    built = repository.build_commits(tip, chain({"list.txt": b"1\n"}, {"list.txt": b"2\n"}))
    assert [repository.read_path(commit, "list.txt") for commit in built] == [b"1\n", b"2\n"]
    modes = {repository.entries(commit, ["list.txt"])["list.txt"].mode for commit in built}  # type: ignore[union-attr]
    assert modes == {"100755"}


def test_a_chain_is_pushed_as_a_whole(repository: GitRepository, remote: Path) -> None:
    tip = repository.fetch()
    first, second = repository.build_commits(tip, chain({"a.md": b"A\n"}, {"b.md": b"B\n"}))
    repository.push(second, lease=tip)
    assert head(remote) == second == repository.fetch()
    assert [facts.commit for facts in repository.commits(tip, second)] == [second, first]


def test_dropped_refs_are_gone_and_others_stay(repository: GitRepository, build: Builder) -> None:
    tip = repository.fetch()
    build(tip, job_id="job-1")
    commit = build(tip, job_id="job-10")
    assert repository.jobs_with_refs() == ["job-1", "job-10"]
    repository.drop_job_refs(["job-1"])
    assert repository.jobs_with_refs() == ["job-10"]
    assert repository.job_branch("job-1") is None
    assert repository.job_branch("job-10") == commit
    assert repository._objects.resolve("refs/imprimatur/replay/job-1/1") is None
    repository.drop_job_refs(["job-1"])


@pytest.mark.parametrize("job_id", ["", "../x", "a/b", "-x", "a b", "x.lock"])
def test_only_a_job_id_makes_a_ref(repository: GitRepository, job_id: str) -> None:
    with pytest.raises(RepositoryError):
        repository.job_branch(job_id)


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
