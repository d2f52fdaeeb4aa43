"""The Repository port on real git: commits of ours, and the branches that keep them."""

from pathlib import Path

import pytest

from publisher.adapters.git.repository import GitRepository
from publisher.domain.errors import RepositoryError, UnsafePath
from publisher.ports import CommitPlan
from tests.adapters.conftest import MESSAGE, MOMENT, Builder
from tests.support.git import head, second_person


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
