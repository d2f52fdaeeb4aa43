"""The runner: nothing of the account, nothing without end, nothing secret."""

import os
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from publisher.adapters.git.credentials import Credentials
from publisher.adapters.git.repository import GitRepository
from publisher.adapters.git.runner import ENDS_OPTIONS, Deadlines, Interrupted, Runner, arguments
from publisher.domain.errors import CredentialsRefused, RemoteUnreachable, RepositoryError
from tests.adapters.conftest import PROTOCOLS, Builder, Opener
from tests.support.git import head
from tests.support.waiting import until

TOKEN = "ghp_" + "Zz9" * 12


@pytest.fixture
def runner(repository: GitRepository) -> Runner:
    return repository.runner


@pytest.fixture
def silent_port() -> Iterator[int]:
    """A host that accepts every connection and never says a word."""
    server = socket.create_server(("127.0.0.1", 0))
    kept: list[socket.socket] = []

    def accept() -> None:
        try:
            while True:
                kept.append(server.accept()[0])
        except OSError:
            return

    thread = threading.Thread(target=accept, daemon=True)
    thread.start()
    yield server.getsockname()[1]
    server.shutdown(socket.SHUT_RDWR)
    server.close()
    thread.join(10)
    for connection in kept:
        connection.close()


def processes_with(text: str) -> list[str]:
    """Command lines of living processes that hold a text."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            line = (
                (folder / "cmdline").read_bytes().replace(b"\x00", b" ").decode("utf-8", "replace")
            )
        except OSError:
            continue
        if text in line:
            found.append(line)
    return found


# --- the environment -------------------------------------------------------------------------

HOSTILE = """
[user]
    useConfigOnly = true
[commit]
    gpgsign = true
[core]
    hooksPath = {hooks}
    autocrlf = true
    quotePath = true
    attributesFile = {hooks}/attributes
[color]
    ui = always
[diff]
    noprefix = true
    external = /bin/false
[push]
    default = nothing
[log]
    showSignature = true
    date = relative
[i18n]
    commitEncoding = latin1
    logOutputEncoding = latin1
[url "/nowhere/"]
    insteadOf = /
[fetch]
    prune = true
"""


@pytest.fixture
def hostile_account(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An account whose configuration, hooks and variables are legal and get in the way."""
    home = tmp_path / "account"
    hooks = home / "hooks"
    hooks.mkdir(parents=True)
    for name in ("pre-push", "reference-transaction", "post-checkout", "pre-commit"):
        (hooks / name).write_text(f"#!/bin/sh\ntouch {home}/ran\nexit 1\n")
        (hooks / name).chmod(0o755)
    (hooks / "attributes").write_text("* filter=lfs text\n")
    config = home / ".gitconfig"
    config.write_text(HOSTILE.format(hooks=hooks))
    for name, value in {
        "HOME": str(home),
        "GIT_CONFIG_GLOBAL": str(config),
        "GIT_DIR": "/nowhere",
        "GIT_AUTHOR_NAME": "Somebody",
        "GIT_TRACE": str(home / "trace"),
        "GIT_EXTERNAL_DIFF": "/bin/false",
        "GIT_INDEX_FILE": "/nowhere/index",
        "LC_ALL": "C",
        "TZ": "Asia/Shanghai",
    }.items():
        monkeypatch.setenv(name, value)
    return home


def test_a_hostile_account_changes_no_byte(
    repository: GitRepository,
    build: Builder,
    remote: Path,
    hostile_account: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    files = {"content/posts/标题.md": "甲\r\n".encode(), "content/posts/one.md": b"1\r\n"}
    tip = repository.fetch()
    beneath = build(tip, files=files, message="题\n\nBlog-Job-Id: 1\n")
    monkeypatch.undo()
    assert beneath == build(tip, files=files, message="题\n\nBlog-Job-Id: 1\n")
    monkeypatch.setenv("HOME", str(hostile_account))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(hostile_account / ".gitconfig"))
    repository.push(beneath, lease=tip)
    repository.make_workspace("job-1", tip)
    assert head(remote) == beneath
    assert repository.fetch() == beneath
    assert repository.facts(beneath).subject == "题"
    assert repository.diff(b"a\n", b"b\n") == "@@ -1 +1 @@\n-a\n+b\n"
    assert repository.lfs_paths(tip, ["content/a.md"]) == set()
    assert not (hostile_account / "ran").exists()
    assert not (hostile_account / "trace").exists()


def test_git_sees_no_variable_of_the_service(
    runner: Runner, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("IMPRIMATUR_SECRET_KEY", "the-secret-key")
    child = runner.start("cat-file", "--batch-command")
    try:
        until(
            lambda: Path(f"/proc/{child.pid}/comm").read_text().strip() == "git",
            seconds=60,
            what="env to become git",
        )
        assert b"the-secret-key" not in Path(f"/proc/{child.pid}/environ").read_bytes()
    finally:
        child.end()


OPERANDS = {
    "merge-base": ["--no-such-option", "--no-such-option"],
    "update-ref": ["--no-such-option", "1" * 40, "0" * 40],
}


@pytest.mark.parametrize("command", sorted(ENDS_OPTIONS))
def test_a_command_in_the_table_takes_no_operand_for_an_option(
    runner: Runner, command: str
) -> None:
    operands = OPERANDS.get(command, ["--no-such-option"])
    answer = runner.run(command, operands=operands, ok=None)
    assert "unknown option" not in answer.text
    assert "usage:" not in answer.text
    assert runner.run(command, "--no-such-option", ok=None).code != 0


@pytest.mark.parametrize("command", ["check-attr", "worktree"])
def test_other_commands_are_given_no_operand_with_a_dash(command: str) -> None:
    with pytest.raises(RepositoryError):
        arguments(command, (), ["x", "--all"], None)


# --- deadlines -------------------------------------------------------------------------------


def test_a_silent_remote_is_left_at_the_deadline_with_all_its_kin(
    open_repository: Opener, silent_port: int
) -> None:
    address = f"https://127.0.0.1:{silent_port}/x.git"
    repository = open_repository(remote=address, deadlines=Deadlines(network=1, idle=1))
    with pytest.raises(RemoteUnreachable, match="did not answer in time"):
        repository.default_branch()
    assert processes_with(f":{silent_port}/x.git") == []


def test_a_clone_is_left_after_silence(open_repository: Opener, silent_port: int) -> None:
    address = f"https://127.0.0.1:{silent_port}/y.git"
    repository = open_repository(remote=address, deadlines=Deadlines(network=60, idle=1))
    with pytest.raises(RemoteUnreachable):
        repository.ensure_clone(lambda _: None)
    assert processes_with(f":{silent_port}/y.git") == []


def test_a_cancel_ends_a_wait_at_once(open_repository: Opener, silent_port: int) -> None:
    stop = threading.Event()
    address = f"https://127.0.0.1:{silent_port}/z.git"
    repository = open_repository(remote=address, cancelled=stop.is_set)
    raised: list[RepositoryError] = []

    def wait() -> None:
        try:
            repository.default_branch()
        except RepositoryError as trouble:
            raised.append(trouble)

    thread = threading.Thread(target=wait)
    thread.start()
    until(lambda: processes_with(f":{silent_port}/z.git"), seconds=20, what="git to start")
    stop.set()
    thread.join(20)
    assert [type(trouble) for trouble in raised] == [Interrupted]
    assert processes_with(f":{silent_port}/z.git") == []


def test_output_over_the_cap_is_refused(runner: Runner) -> None:
    with pytest.raises(Interrupted) as refusal:
        runner.run("version", cap=3)
    assert refusal.value.permanent


def test_long_output_arrives_whole(repository: GitRepository, build: Builder) -> None:
    data = os.urandom(1 << 20) * 5
    commit = build(repository.fetch(), files={"big.bin": data})
    assert repository.read_path(commit, "big.bin") == data


# --- credentials -----------------------------------------------------------------------------


@pytest.fixture
def token_file(tmp_path: Path) -> Path:
    path = tmp_path / "token"
    path.write_text(f"{TOKEN}\n")
    path.chmod(0o600)
    return path


def answers(runner: Runner, prompt: str) -> str:
    """What git would be told at a prompt."""
    variables = runner.credentials.environment()
    answer = runner.run("-c", 'alias.ask=!"$GIT_ASKPASS"', "ask", prompt, variables=variables)
    return answer.out.decode().strip()


def test_the_helper_gives_the_token_and_a_name(open_repository: Opener, token_file: Path) -> None:
    runner = open_repository(token_file=str(token_file)).runner
    assert answers(runner, "Password for 'https://x@host': ") == TOKEN
    assert answers(runner, "Username for 'https://host': ") == "x-access-token"


def test_a_file_of_two_lines_names_the_user_first(
    open_repository: Opener, token_file: Path
) -> None:
    token_file.write_text(f"bot\n{TOKEN}")
    runner = open_repository(token_file=str(token_file)).runner
    assert answers(runner, "Username for 'https://host': ") == "bot"
    assert answers(runner, "Password for 'https://bot@host': ") == TOKEN


def test_the_token_stands_in_no_variable_and_no_argument(
    open_repository: Opener, token_file: Path
) -> None:
    runner = open_repository(token_file=str(token_file)).runner
    assert TOKEN not in str(runner.credentials.environment())


def test_a_token_file_that_others_can_read_is_refused(
    open_repository: Opener, token_file: Path
) -> None:
    token_file.chmod(0o644)
    with pytest.raises(CredentialsRefused, match="chmod 600"):
        open_repository(token_file=str(token_file)).fetch()


def test_a_missing_token_file_is_named(open_repository: Opener, tmp_path: Path) -> None:
    with pytest.raises(CredentialsRefused, match="cannot be read"):
        open_repository(token_file=str(tmp_path / "none")).fetch()


def test_without_a_token_file_nothing_is_asked(tmp_path: Path) -> None:
    assert Credentials("", tmp_path).environment() == {}


def test_a_token_that_git_repeats_is_taken_out(open_repository: Opener, token_file: Path) -> None:
    runner = open_repository(token_file=str(token_file)).runner
    answer = runner.run(TOKEN, ok=None)
    assert TOKEN not in answer.text
    assert "is not a git command" in answer.text


def test_user_info_in_an_address_is_taken_out_of_words(runner: Runner) -> None:
    answer = runner.run("https://bot:hunter2hunter2@host/x", ok=None)
    assert "hunter2" not in answer.text
    assert PROTOCOLS == ("https", "ssh", "file")
