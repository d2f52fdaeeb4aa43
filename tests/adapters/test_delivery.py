"""Pushing: each answer of a remote means one thing, and none is taken for another."""

from pathlib import Path

import pytest

from publisher.adapters.git import outcomes
from publisher.adapters.git.repository import GitRepository
from publisher.adapters.git.runner import Deadlines, Result
from publisher.domain.errors import (
    BranchGone,
    CredentialsRefused,
    InvalidInput,
    OutcomeUnknown,
    RemoteMoved,
    RemoteRefused,
    RemoteUnreachable,
    RepositoryError,
    RepositoryUnsafe,
)
from publisher.ports import CheckFact
from tests.adapters.conftest import FILES, Builder, Opener
from tests.support.git import add_hook, git, head, make_remote, second_person

REF = "refs/heads/main"


def test_a_push_behind_somebody_elses_is_refused_as_moved(
    repository: GitRepository, build: Builder, remote: Path
) -> None:
    tip = repository.fetch()
    commit = build(tip)
    theirs = second_person(remote, {"README.md": b"x"}, "first")
    with pytest.raises(RemoteMoved):
        repository.push(commit, lease=tip)
    assert head(remote) == theirs


def test_a_rewritten_branch_is_not_written_over(
    repository: GitRepository, build: Builder, remote: Path
) -> None:
    tip = repository.fetch()
    commit = build(tip)
    theirs = second_person(remote, {"README.md": b"x"}, "anew", rewrite=True)
    with pytest.raises(RemoteMoved):
        repository.push(commit, lease=tip)
    assert head(remote) == theirs


def test_a_vanished_branch_is_not_made_again(
    repository: GitRepository, build: Builder, remote: Path
) -> None:
    tip = repository.fetch()
    git(remote, "update-ref", "-d", REF)
    with pytest.raises(RemoteMoved):
        repository.push(build(tip), lease=tip)
    assert git(remote, "for-each-ref") == b""


def test_a_commit_beside_the_observed_tip_is_never_sent(
    repository: GitRepository, build: Builder, remote: Path
) -> None:
    base = repository.fetch()
    beside = build(base)
    tip = second_person(remote, {"README.md": b"x"}, "newer")
    repository.fetch()
    with pytest.raises(RepositoryError, match="not built on"):
        repository.push(beside, lease=tip)
    assert head(remote) == tip


def test_several_commits_go_in_one_push(
    repository: GitRepository, build: Builder, remote: Path
) -> None:
    tip = repository.fetch()
    second = build(build(tip), files={"content/posts/four.md": b"4"})
    repository.push(second, lease=tip)
    assert head(remote) == second


def test_a_push_that_is_already_there_is_taken(
    repository: GitRepository, build: Builder, remote: Path
) -> None:
    tip = repository.fetch()
    commit = build(tip)
    repository.push(commit, lease=tip)
    repository.push(commit, lease=tip)
    assert head(remote) == commit


def test_a_hooks_refusal_is_for_good_and_keeps_its_words(
    repository: GitRepository, build: Builder, remote: Path
) -> None:
    add_hook(remote, "pre-receive", "echo 'main is protected by policy 7' >&2; exit 1")
    tip = repository.fetch()
    with pytest.raises(RemoteRefused) as refusal:
        repository.push(build(tip), lease=tip)
    assert refusal.value.permanent
    assert "main is protected by policy 7" in refusal.value.text
    assert head(remote) == tip


def test_a_hooks_passing_trouble_may_be_tried_again(
    repository: GitRepository, build: Builder, remote: Path
) -> None:
    add_hook(remote, "update", "echo 'service temporarily unavailable, try again' >&2; exit 1")
    tip = repository.fetch()
    with pytest.raises(RemoteRefused) as refusal:
        repository.push(build(tip), lease=tip)
    assert not refusal.value.permanent


def test_a_hook_cannot_put_a_credential_into_an_error(
    repository: GitRepository, build: Builder, remote: Path
) -> None:
    token = "ghp_" + "a1B2c3D4e5" * 4
    add_hook(remote, "pre-receive", f"echo 'no: https://bot:{token}@host/x {token}' >&2; exit 1")
    tip = repository.fetch()
    with pytest.raises(RemoteRefused) as refusal:
        repository.push(build(tip), lease=tip)
    assert token not in refusal.value.text + refusal.value.message + str(refusal.value.facts)
    assert "no: https://" in refusal.value.text


def test_a_push_that_lands_without_an_answer_is_unknown(
    open_repository: Opener, repository: GitRepository, build: Builder, remote: Path
) -> None:
    tip = repository.fetch()
    commit = build(tip)
    (remote / "stall").touch()
    add_hook(remote, "post-receive", "while [ -e stall ]; do sleep 0.05; done")
    hasty = open_repository(deadlines=Deadlines(network=2))
    with pytest.raises(OutcomeUnknown):
        hasty.push(commit, lease=tip)
    (remote / "stall").unlink()
    assert repository.fetch() == commit


def test_a_push_whose_client_is_killed_is_unknown() -> None:
    failure = outcomes.push_failure(Result(-9, b"", ""), ref=REF)
    assert isinstance(failure, OutcomeUnknown)


def test_a_remote_that_is_gone_was_surely_not_written(
    repository: GitRepository, build: Builder, remote: Path
) -> None:
    tip = repository.fetch()
    commit = build(tip)
    remote.rename(remote.with_name("moved.git"))
    with pytest.raises(RemoteUnreachable):
        repository.push(commit, lease=tip)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("fatal: unable to access 'https://h/x/': Could not resolve host: h", RemoteUnreachable),
        ("fatal: unable to access 'https://h/x/': Failed to connect to h", RemoteUnreachable),
        (
            "port 22: Connection refused\nfatal: Could not read from remote repository.",
            RemoteUnreachable,
        ),
        (
            "git@h: Permission denied (publickey).\nfatal: Could not read from remote repository.",
            CredentialsRefused,
        ),
        ("Host key verification failed.", CredentialsRefused),
        ("fatal: Authentication failed for 'https://h/x/'", CredentialsRefused),
        ("fatal: could not read Username for 'https://h': terminal prompts disabled",
         CredentialsRefused),
        ("The requested URL returned error: 403", CredentialsRefused),
        ("error: RPC failed; curl 56 Recv failure\nfatal: the remote end hung up unexpectedly",
         OutcomeUnknown),
        ("send-pack: unexpected disconnect while reading sideband packet", OutcomeUnknown),
        ("something that nobody has seen before", OutcomeUnknown),
        ("remote: permission denied by a hook", OutcomeUnknown),
        ("ERROR: Permission to a/b.git denied to u.\nfatal: Could not read from remote repository.",
         CredentialsRefused),
    ],
)  # fmt: skip
def test_a_push_without_a_status_is_judged_by_what_was_sent(
    text: str, kind: type[RepositoryError]
) -> None:
    failure = outcomes.push_failure(Result(128, b"", text), ref=REF)
    assert type(failure) is kind


@pytest.mark.parametrize(
    ("why", "text", "kind"),
    [
        ("[rejected] (stale info)", "", RemoteMoved),
        ("[rejected] (fetch first)", "", RemoteMoved),
        ("[rejected] (non-fast-forward)", "", RemoteMoved),
        ("[remote rejected] (failed to update ref)",
         "remote: error: cannot lock ref 'refs/heads/main': is at a but expected b", RemoteMoved),
        ("[remote rejected] (protected branch hook declined)", "", RemoteRefused),
        ("[remote rejected] (pre-receive hook declined)", "remote: fetch first", RemoteRefused),
        ("[remote failure] (remote failed to report status)", "", OutcomeUnknown),
    ],
)  # fmt: skip
def test_a_status_line_is_judged_by_its_reason(
    why: str, text: str, kind: type[RepositoryError]
) -> None:
    line = f"To x\n!\tabc:{REF}\t{why}\nDone\n".encode()
    assert type(outcomes.push_failure(Result(1, line, text), ref=REF)) is kind


@pytest.mark.parametrize(
    "why",
    ["unpacker error", "failed to update ref", "cannot lock ref", "unable to migrate objects"],
)
def test_trouble_of_the_remotes_disk_may_pass(why: str) -> None:
    line = f"!\tabc:{REF}\t[remote rejected] ({why})\n".encode()
    failure = outcomes.push_failure(Result(1, line, ""), ref=REF)
    assert isinstance(failure, RemoteRefused)
    assert not failure.permanent


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("fatal: couldn't find remote ref refs/heads/main", BranchGone),
        ("fatal: Authentication failed for 'https://h/'", CredentialsRefused),
        ("fatal: unable to access 'https://h/': SSL certificate problem", RemoteUnreachable),
        ("error: object file /x/objects/aa/bb is empty\nfatal: loose object aabb is corrupt",
         RepositoryUnsafe),
    ],
)  # fmt: skip
def test_a_failed_fetch_is_named_for_its_situation(text: str, kind: type[RepositoryError]) -> None:
    assert type(outcomes.fetch_failure(Result(128, b"", text))) is kind


OTHER_OWNER = (
    "fatal: detected dubious ownership in repository at '/srv/r.git'\n"
    "To add an exception for this directory, call:\n"
    "git config --global --add safe.directory /srv/r.git\n"
    "fatal: Could not read from remote repository."
)


@pytest.mark.parametrize(
    "failure",
    [
        outcomes.fetch_failure(Result(128, b"", OTHER_OWNER)),
        outcomes.push_failure(Result(128, b"", OTHER_OWNER), ref=REF),
    ],
)
def test_a_folder_of_another_account_is_told_with_the_ways_in(failure: RepositoryError) -> None:
    """The remote may be on this machine, or one that is over ssh already; git says the same of both."""
    assert type(failure) is RemoteUnreachable
    assert "belongs to another account" in failure.message
    assert "over ssh as its owner" in failure.message
    assert "if it lies on this machine" in failure.message


@pytest.mark.parametrize(
    "address",
    ["ext::sh -c x", "http://host/x.git", "https://bot:token@host/x.git", "relative/x.git",
     "--upload-pack=x", "file:///x.git", "git://host/x.git"],
)  # fmt: skip
def test_an_address_that_is_not_allowed_is_never_contacted(
    open_repository: Opener, address: str
) -> None:
    repository = open_repository(remote=address)
    for act in (repository.fetch, repository.default_branch):
        with pytest.raises(InvalidInput):
            act()


def test_a_branch_that_begins_with_a_dash_is_refused(open_repository: Opener) -> None:
    with pytest.raises(RepositoryError, match="name of a branch"):
        open_repository(branch="--upload-pack=touch x").fetch()


def test_a_shallow_clone_is_deepened(open_repository: Opener, remote: Path, tmp_path: Path) -> None:
    for number in range(3):
        second_person(remote, {"README.md": str(number).encode()}, str(number))
    repository = open_repository()
    folder = tmp_path / "git" / "7"
    folder.mkdir(parents=True)
    git(folder, "clone", "-q", "--bare", "--depth=1", f"file://{remote}", "clone.git")
    assert (folder / "clone.git" / "shallow").exists()
    tip = repository.fetch()
    assert len(repository.commits(None, tip)) == 4


def test_a_shallow_remote_is_told_from_a_whole_one(
    open_repository: Opener, remote: Path, tmp_path: Path
) -> None:
    second_person(remote, {"README.md": b"1"}, "1")
    cut = tmp_path / "cut.git"
    git(tmp_path, "clone", "-q", "--bare", "--depth=1", f"file://{remote}", str(cut))
    with pytest.raises(RepositoryError, match="itself a shallow clone"):
        open_repository(remote=str(cut)).fetch()


def test_a_repository_of_another_hash_is_told_in_words(
    open_repository: Opener, tmp_path: Path
) -> None:
    """It can be listed, and neither fetched from nor pushed to."""
    remote, work = tmp_path / "other.git", tmp_path / "other"
    for made, options in ((remote, ["--bare"]), (work, [])):
        made.mkdir()
        git(made, "init", "-q", "--object-format=sha256", "--initial-branch=main", *options)
    git(work, "commit", "-q", "--allow-empty", "-m", "base")
    git(work, "push", "-q", str(remote), "main")
    repository = open_repository(remote=str(remote))
    with pytest.raises(RepositoryUnsafe, match="by SHA-256") as refused:
        repository.fetch()
    assert refused.value.permanent
    wrong = [(fact.name, fact.message) for fact in repository.check() if not fact.ok]
    assert wrong == [("write", refused.value.message)]


# --- site check ------------------------------------------------------------------------------


def test_a_good_site_passes_its_check(open_repository: Opener) -> None:
    facts = open_repository().check()
    assert [fact.name for fact in facts] == ["storage", "git", "address", "read", "branch", "write"]
    assert all(fact.ok for fact in facts)


def test_the_check_sends_nothing(open_repository: Opener, remote: Path) -> None:
    before = git(remote, "for-each-ref")
    open_repository().check()
    assert git(remote, "for-each-ref") == before


def test_the_check_names_a_branch_that_is_not_there(
    open_repository: Opener, tmp_path: Path
) -> None:
    trunk = make_remote(tmp_path / "trunk.git", FILES, branch="trunk")
    *_, last = open_repository(remote=str(trunk)).check()
    assert (last.name, last.ok) == ("branch", False)
    assert "trunk" in last.message


def test_the_check_names_a_remote_that_cannot_be_read(
    open_repository: Opener, tmp_path: Path
) -> None:
    *_, last = open_repository(remote=str(tmp_path / "none.git")).check()
    assert (last.name, last.ok) == ("read", False)


@pytest.fixture
def checkout(remote: Path, tmp_path: Path) -> Path:
    """A remote with a work tree, in which the site's branch is checked out."""
    folder = tmp_path / "checkout"
    git(tmp_path, "clone", "-q", str(remote), str(folder))
    return folder


def _write_fact(repository: GitRepository) -> CheckFact:
    (found,) = [fact for fact in repository.check() if fact.name == "write"]
    return found


def test_the_check_tells_of_a_remote_that_has_the_branch_checked_out(
    open_repository: Opener, build: Builder, checkout: Path
) -> None:
    repository = open_repository(remote=str(checkout))
    told = _write_fact(repository)
    tip = repository.fetch()
    with pytest.raises(RemoteRefused):
        repository.push(build(tip), lease=tip)
    assert not told.ok
    assert "git config receive.denyCurrentBranch updateInstead" in told.message


@pytest.mark.parametrize(
    "way_out",
    [
        ("config", "receive.denyCurrentBranch", "updateInstead"),
        ("config", "receive.denyCurrentBranch", "False"),
        ("switch", "-q", "-c", "other"),
        ("config", "core.bare", "true"),
    ],
    ids=" ".join,
)
def test_each_way_out_of_a_checked_out_branch_is_one(
    open_repository: Opener, build: Builder, checkout: Path, way_out: tuple[str, ...]
) -> None:
    git(checkout, *way_out)
    repository = open_repository(remote=str(checkout))
    told = _write_fact(repository)
    tip = repository.fetch()
    commit = build(tip)
    repository.push(commit, lease=tip)
    assert told.ok, told.message
    assert head(checkout) == commit


def test_the_check_sees_the_branch_in_a_further_work_tree_of_the_remote(
    open_repository: Opener, remote: Path, tmp_path: Path
) -> None:
    git(remote, "worktree", "add", "-q", "--force", str(tmp_path / "tree"), "main")
    assert not _write_fact(open_repository()).ok


def test_the_check_names_an_address_with_credentials(open_repository: Opener) -> None:
    *_, last = open_repository(remote="https://bot:token@host/x.git").check()
    assert (last.name, last.ok) == ("address", False)
    assert "token@" not in last.message
