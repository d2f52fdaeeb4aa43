"""Https remotes: a real TLS host, a token from a file, and every way in which it goes wrong."""

import re
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from publisher.adapters.git.environment import Network
from publisher.adapters.git.repository import GitRepository
from publisher.adapters.git.runner import Deadlines
from publisher.domain.errors import (
    CredentialsRefused,
    OutcomeUnknown,
    RemoteUnreachable,
    RepositoryError,
)
from tests.adapters.conftest import MESSAGE, MOMENT, Opener
from tests.support.git import head
from tests.support.git_server import TOKEN, GitHost, make_authority, make_certificate, serve

Connect = Callable[..., GitRepository]


@pytest.fixture(scope="session")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture(scope="session")
def certificate(authority: Path) -> tuple[Path, Path]:
    return make_certificate(authority.parent)


@pytest.fixture
def host(remote: Path, certificate: tuple[Path, Path]) -> Iterator[GitHost]:
    with serve(GitHost(remote.parent), certificate) as running:
        yield running


@pytest.fixture
def token_file(tmp_path: Path) -> Path:
    path = tmp_path / "token"
    path.write_text(TOKEN + "\n")
    path.chmod(0o600)
    return path


@pytest.fixture
def connect(open_repository: Opener, host: GitHost, token_file: Path, authority: Path) -> Connect:
    def connecting(**changes: object) -> GitRepository:
        given = {
            "remote": host.address(),
            "token_file": str(token_file),
            "network": Network(ca_file=str(authority)),
            **changes,
        }
        return open_repository(**given)

    return connecting


@pytest.fixture
def cloned(connect: Connect) -> GitRepository:
    repository = connect()
    repository.ensure_clone()
    return repository


def commit_on(repository: GitRepository) -> tuple[str, str]:
    tip = repository.fetch()
    commit = repository.build_commit(
        parent=tip, files={"content/posts/three.md": b"Third.\n"}, message=MESSAGE, date=MOMENT,
        ref="refs/imprimatur/replay/job-1/1",
    )  # fmt: skip
    return commit, tip


def test_it_clones_pushes_and_reads_back(cloned: GitRepository, remote: Path) -> None:
    commit, tip = commit_on(cloned)
    cloned.push(commit, lease=tip)
    assert head(remote) == commit
    assert cloned.fetch() == commit


def test_a_check_finds_nothing_wrong(connect: Connect) -> None:
    assert [fact.name for fact in connect().check() if not fact.ok] == []


@pytest.mark.parametrize(
    "content",
    [TOKEN, f"{TOKEN}\n\n\n", f"{TOKEN}\r\n", f"somebody\r\n{TOKEN}\r\n\r\n", f"  {TOKEN} \n"],
)
def test_the_token_is_read_from_a_file_as_any_editor_writes_it(
    connect: Connect, token_file: Path, content: str
) -> None:
    token_file.write_bytes(content.encode())
    assert connect().default_branch() == "main"


def test_a_file_without_a_token_is_named(connect: Connect, token_file: Path) -> None:
    token_file.write_text("\r\n\n")
    with pytest.raises(CredentialsRefused, match="holds no token"):
        connect().default_branch()


def test_a_wrong_token_is_refused(connect: Connect, token_file: Path) -> None:
    token_file.write_text("another-token-entirely\n")
    with pytest.raises(CredentialsRefused, match="refuses the token"):
        connect().default_branch()


def test_without_a_token_the_way_to_name_one_is_told(connect: Connect) -> None:
    with pytest.raises(CredentialsRefused, match="--https-token-file"):
        connect(token_file="").default_branch()


def test_an_authority_that_nobody_named_is_not_trusted(connect: Connect, host: GitHost) -> None:
    with pytest.raises(RemoteUnreachable, match="IMPRIMATUR_GIT_CA_FILE"):
        connect(network=Network()).default_branch()
    assert host.seen == []


def test_an_expired_certificate_is_not_trusted(
    connect: Connect, remote: Path, tmp_path: Path
) -> None:
    trusted = make_authority(tmp_path / "old")
    with (
        serve(GitHost(remote.parent), make_certificate(tmp_path / "old", days=-1)) as old,
        pytest.raises(RemoteUnreachable, match=r"certificate .*expired"),
    ):
        connect(remote=old.address(), network=Network(ca_file=str(trusted))).default_branch()
    assert old.seen == []


def test_a_certificate_for_another_name_is_not_trusted(connect: Connect, host: GitHost) -> None:
    # 0.0.0.0 leads to this machine, too, and the certificate does not name it.
    with pytest.raises(RemoteUnreachable, match="certificate"):
        connect(remote=host.address().replace("127.0.0.1", "0.0.0.0")).default_branch()
    assert host.seen == []


def test_a_redirect_to_another_host_is_not_followed_and_gets_no_token(
    connect: Connect, host: GitHost, remote: Path, certificate: tuple[Path, Path]
) -> None:
    with serve(GitHost(remote.parent), certificate) as other:
        host.redirect = f"https://localhost:{other.port}"
        with pytest.raises(RemoteUnreachable, match="repository moved"):
            connect().default_branch()
    assert other.seen == []


@pytest.mark.parametrize(
    ("status", "kind", "words"),
    [
        (403, CredentialsRefused, "forbids this"),
        (404, CredentialsRefused, "no repository at this address"),
        (500, RemoteUnreachable, "trouble of its own .500."),
        (503, RemoteUnreachable, "trouble of its own .503."),
        (429, RemoteUnreachable, "trouble of its own .429."),
    ],
)
def test_what_the_host_answers_is_told_in_plain_words(
    connect: Connect, host: GitHost, status: int, kind: type[RepositoryError], words: str
) -> None:
    host.status = status
    with pytest.raises(kind, match=words):
        connect().default_branch()


def test_a_refused_connection_is_named(connect: Connect) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound and not listening: nobody else gets it either
        address = f"https://127.0.0.1:{taken.getsockname()[1]}/remote.git"
        with pytest.raises(RemoteUnreachable, match="connection was refused"):
            connect(remote=address).default_branch()


def test_a_host_that_hangs_is_left_at_the_deadline(connect: Connect, host: GitHost) -> None:
    host.hang = True
    with pytest.raises(RemoteUnreachable, match="did not answer in time"):
        connect(deadlines=Deadlines(network=1.0)).default_branch()


def test_a_pack_that_is_cut_off_is_named_and_the_next_try_completes_it(
    connect: Connect, host: GitHost, remote: Path
) -> None:
    host.cut, host.only = True, "git-upload-pack"
    repository = connect()
    with pytest.raises(RemoteUnreachable, match="broke off"):
        repository.ensure_clone()
    host.well()
    repository.ensure_clone()
    assert repository.tip() == head(remote)


@pytest.mark.parametrize("fault", ["status", "cut", "hang"])
def test_a_push_without_an_answer_is_neither_done_nor_failed(
    cloned: GitRepository, host: GitHost, fault: str
) -> None:
    commit, tip = commit_on(cloned)
    cloned.runner.deadlines = Deadlines(network=2.0)
    setattr(host, fault, 500 if fault == "status" else True)
    host.only = "/git-receive-pack"
    with pytest.raises(OutcomeUnknown):
        cloned.push(commit, lease=tip)


def test_a_push_with_a_token_that_was_withdrawn_was_not_sent(
    cloned: GitRepository, host: GitHost, remote: Path
) -> None:
    commit, tip = commit_on(cloned)
    host.token = "a-new-one-altogether"
    with pytest.raises(CredentialsRefused, match="refuses the token"):
        cloned.push(commit, lease=tip)
    assert head(remote) == tip


def test_the_token_stands_in_no_file_of_the_clone_and_in_no_error(
    cloned: GitRepository, host: GitHost, tmp_path: Path
) -> None:
    commit, tip = commit_on(cloned)
    cloned.push(commit, lease=tip)
    host.status = 500
    with pytest.raises(RemoteUnreachable) as caught:
        cloned.fetch()
    assert TOKEN not in f"{caught.value.message}{caught.value.facts}"
    holders = [
        path for path in (tmp_path / "git").rglob("*")
        if path.is_file() and TOKEN.encode() in path.read_bytes()
    ]  # fmt: skip
    assert holders == []


def test_a_proxy_is_used_and_named_when_it_fails(connect: Connect, host: GitHost) -> None:
    with socket.create_server(("127.0.0.1", 0)) as proxy:
        proxy.settimeout(20)
        address = f"http://127.0.0.1:{proxy.getsockname()[1]}"
        repository = connect(network=Network(proxy=address), deadlines=Deadlines(network=1.0))
        with pytest.raises(RemoteUnreachable):
            repository.default_branch()
        asked, _ = proxy.accept()
        with asked:
            asked.settimeout(20)
            first = asked.recv(200)
    assert re.match(rb"CONNECT 127\.0\.0\.1:\d+ HTTP/1\.1\r\n", first)
    assert host.seen == []


def test_the_account_s_own_proxy_is_not_asked(
    connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("https_proxy", "HTTPS_PROXY", "ALL_PROXY", "GIT_SSL_NO_VERIFY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert connect().default_branch() == "main"
