"""The environment's variables."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from publisher import env


def start_with(
    folder: Path, code: str = "import publisher.settings", /, **variables: str
) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-c", code],
        env={"PATH": os.environ["PATH"], "IMPRIMATUR_DATA_DIR": str(folder), **variables},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("IMPRIMATUR_LEASE_SECONDS", "0"),
        ("IMPRIMATUR_RECONCILE_SECONDS", "soon"),
        ("DATABASE_URL", "mysql://root:hunter2secret@host/db"),
        ("REDIS_URL", "http://host"),
        ("PUBLIC_URL", "publish.example.org"),
        ("TRUSTED_PROXIES", "everybody"),
        ("TRUSTED_PROXIES", "10.0.0.1/8"),
        ("DEBUG", "perhaps"),
        ("LOG_FORMAT", "xml"),
        ("SECRET_KEY", "short-hunter2secret"),
        ("SECRET_KEY_FILE", "/nowhere/at/all"),
        ("SECRET_KEY_FALLBACK_FILES", "/nowhere/at/all"),
        ("IMPRIMATUR_GIT_PROTOCOLS", "https,ext"),
        ("IMPRIMATUR_GIT_HOSTS", "https://git.example.org"),
        ("IMPRIMATUR_GIT_HOSTS", "git.example.org, git.example.net:8443"),
        ("IMPRIMATUR_GIT_HOSTS", "*.example.org"),
        ("IMPRIMATUR_GIT_CA_FILE", "/nowhere/at/all"),
        ("IMPRIMATUR_HTTPS_PROXY", "socks5://host"),
        ("IMPRIMATUR_HTTPS_PROXY", "http://me:hunter2secret@host"),
        ("IMPRIMATUR_HTTPS_PROXY", "http://me:secret/hunter2secret@host"),
        ("IMPRIMATUR_HTTPS_PROXY", "http://me:hunter2secret%40host"),
        ("IMPRIMATUR_HTTPS_PROXY", "http://host:99999"),
        ("PUBLIC_URL", "https://publish.example.org:99999"),
        ("LLM_BASE_URL", "http://host:many/v1"),
        ("IMPRIMATUR_GIT_TOLERATE", "zeroPaddedFilemode,gitmodulesUrl"),
        ("IMPRIMATUR_GIT_SECONDS", "601"),
        ("PUBLIC_URL", "https://publish.example.org/blog"),
        ("PUBLIC_URL", "https://publish.example.org?x=1"),
        ("PUBLIC_URL", "https://me:hunter2secret@publish.example.org"),
        ("ALLOWED_HOSTS", "https://publish.example.org"),
        ("ALLOWED_HOSTS", "publish.example.org www.example.org"),
        ("ALLOWED_HOSTS", "publish.example.org:8000"),
        ("ALLOWED_HOSTS", "publish.example.org,a/b"),
        ("IMPRIMATUR_DATA_DIR", "~nobody-of-this-name/x"),
        ("DATABASE_URL", "sqlite://"),
        ("DATABASE_URL", "sqlite:///"),
        ("DATABASE_URL", "sqlite://:memory:"),
        ("DATABASE_URL", "sqlite:///:memory:"),
        ("DATABASE_URL", "sqlite:////nope/x.db"),
        ("DATABASE_URL", "sqlite:////tmp"),
        ("DATABASE_URL", "postgres://"),
        ("DATABASE_URL", "postgres://me:hunter2secret@host:99999/db"),
        ("DATABASE_URL", "postgres://me:hunter2secret@host"),
        ("DATABASE_URL", "postgres://[::1/db"),
        ("IMPRIMATUR_GIT_CA_FILE", "/etc/hostname"),
        ("EMAIL_URL", "smtp://"),
        ("EMAIL_URL", "smtp+tls://me:hunter2secret@"),
        ("EMAIL_URL", "imap://host"),
        ("EMAIL_URL", "smtp://host:many"),
        ("IMPRIMATUR_NODE", "a b"),
        ("DATABASE_URL", "postgres://me:hunter2secret@host:0/db"),
        ("DATABASE_URL", "postgres://host/db?port=0"),
        ("DATABASE_URL", "postgres://host/db?conn_max_age=abc"),
        ("DATABASE_URL", "postgres://me:1/a?hunter2secret=@host/db"),
        ("DATABASE_URL", "postgres://host/db?isolation_level=9"),
        ("DATABASE_URL", "postgres://host/db?sslmode=disable&sslmode=require"),
        ("DATABASE_URL", "postgres://host/db?connect_timeout=abc"),
        ("DATABASE_URL", f"postgres://host/{'d' * 64}"),
        ("DATABASE_URL", "postgres://host/db%00"),
        ("DATABASE_URL", "sqlite:////tmp/x.db?foo=abc"),
        ("DATABASE_URL", "sqlite:////tmp/x.db?timeout=abc"),
        ("DATABASE_URL", "sqlite:////tmp/x.db?timeout=3601"),
        ("DATABASE_URL", "sqlite:////tmp/x.db?timeout=true"),
        ("DATABASE_URL", "sqlite:////tmp/x.db?transaction_mode=abc"),
        ("DATABASE_URL", "sqlite:////tmp/x%00.db"),
        ("REDIS_URL", "redis://:hunter2secret@host:0/0"),
        ("REDIS_URL", "redis://host/0?foo=abc"),
        ("REDIS_URL", "redis://host/0?socket_timeout=abc"),
        ("REDIS_URL", "redis://host/0?retry=x"),
        ("REDIS_URL", "redis://host/0?cache_config=1"),
        ("REDIS_URL", "redis://host/0?maint_notifications_config=x"),
        ("REDIS_URL", "unix://"),
        ("EMAIL_URL", "smtp://me:hunter2secret@host:0"),
        ("LLM_API_KEY", "hunter2secret\nX-Header: 1"),
        ("LLM_BASE_URL", "http://me:hunter2secret@host/v1"),
        ("LLM_BASE_URL", "http://me:1/hunter2secret@host/v1"),
    ],
)
def test_a_wrong_value_stops_the_start_with_its_name_only(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    name: str,
    value: str,
) -> None:
    for each in env.Environment.model_fields:
        monkeypatch.delenv(each.upper(), raising=False)
    monkeypatch.setenv("IMPRIMATUR_DATA_DIR", str(tmp_path))
    monkeypatch.setenv(name, value)
    with pytest.raises(SystemExit) as end:
        env.read()
    said = capsys.readouterr().err
    assert end.value.code == 2
    assert said.startswith(f"imprimatur: {name} cannot be used: ")
    assert len(said.splitlines()) == 1
    assert "hunter2secret" not in said


def test_a_wrong_value_ends_the_start_without_a_traceback(tmp_path: Path) -> None:
    result = start_with(tmp_path, DATABASE_URL="postgres://host/db?bogus=1")
    assert result.returncode == 2
    assert result.stderr.startswith("imprimatur: DATABASE_URL cannot be used: ")
    assert len(result.stderr.splitlines()) == 1


SECRET_FILES = ("SECRET_KEY_FILE", "SECRET_KEY_FALLBACK_FILES", "LLM_API_KEY_FILE")


@pytest.mark.parametrize("name", [*SECRET_FILES, "IMPRIMATUR_GIT_CA_FILE"])
def test_a_folder_is_told_from_a_file_that_is_not_there(tmp_path: Path, name: str) -> None:
    result = start_with(tmp_path, **{name: str(tmp_path)})
    assert result.stderr == f"imprimatur: {name} cannot be used: must name a file, not a folder.\n"
    assert result.returncode == 2


@pytest.mark.parametrize(
    ("content", "why"),
    [(b"", "is not empty"), (b" \n", "is not empty"), (b"\x80\xff" * 40, "of text"),
     (b"a" * 40 + b"\x00b", "of text")],
)  # fmt: skip
@pytest.mark.parametrize("name", SECRET_FILES)
def test_a_file_that_holds_no_secret_stops_the_start(
    tmp_path: Path, name: str, content: bytes, why: str
) -> None:
    (tmp_path / "secret").write_bytes(content)
    result = start_with(tmp_path, **{name: str(tmp_path / "secret")})
    assert result.returncode == 2
    assert result.stderr.startswith(f"imprimatur: {name} cannot be used: must name a file ")
    assert why in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_a_key_that_becomes_a_header_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("a key\nof two lines, as some tools write it\n")
    name = str(tmp_path / "secret")
    assert "of one line" in start_with(tmp_path, LLM_API_KEY_FILE=name).stderr
    assert start_with(tmp_path, SECRET_KEY_FILE=name).returncode == 0


def test_a_key_in_a_file_is_as_long_as_one_in_the_environment(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("hunter2secret\n")
    result = start_with(tmp_path, SECRET_KEY_FILE=str(tmp_path / "secret"))
    assert "SECRET_KEY_FILE cannot be used: must name a file of at least 32" in result.stderr
    assert "hunter2secret" not in result.stderr


def test_former_keys_still_count_each_by_its_file(tmp_path: Path) -> None:
    former = [tmp_path / "first", tmp_path / "second"]
    for path, letter in zip(former, "ab", strict=True):
        path.write_text(letter * 32 + "\n")
    names = ", ".join(map(str, former))
    told = "import publisher.settings as s; print(s.SECRET_KEY_FALLBACKS)"
    result = start_with(tmp_path, told, SECRET_KEY="k" * 32, SECRET_KEY_FALLBACK_FILES=names)
    assert (result.stdout.strip(), result.stderr) == (str(["a" * 32, "b" * 32]), "")
    former[1].write_text("hunter2secret")
    result = start_with(tmp_path, SECRET_KEY="k" * 32, SECRET_KEY_FALLBACK_FILES=names)
    assert "SECRET_KEY_FALLBACK_FILES cannot be used: must name a file of at" in result.stderr
    assert "hunter2secret" not in result.stderr


def test_values_that_can_work_are_taken(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("k" * 32 + "\n")
    result = start_with(
        tmp_path,
        SECRET_KEY_FILE=str(tmp_path / "key"),
        LLM_API_KEY_FILE=str(tmp_path / "key"),
        ALLOWED_HOSTS="publish.example.org, .example.org,*,[::1],10.0.0.1",
        PUBLIC_URL="https://[::1]:8443/",
        IMPRIMATUR_GIT_HOSTS="git.example.org, GIT.example.net,10.0.0.1",
        DATABASE_URL=f"sqlite:///{tmp_path}/own.sqlite3?timeout=30",
        REDIS_URL="rediss://me:pass%2Fword@cache.example.org:6380/1?socket_timeout=2.5",
        LLM_API_KEY="k-1\n",
        EMAIL_URL="smtp+tls://me:pass%2Fword@mail.example.org:587?from=a@example.org",
        LLM_BASE_URL="http://127.0.0.1:8000/v1/",
        IMPRIMATUR_HTTPS_PROXY="http://proxy.example.org:3128",
    )
    assert (result.returncode, result.stderr) == (0, "")


def test_addresses_that_name_sockets_and_options_are_taken(tmp_path: Path) -> None:
    options = "sslmode=require&connect_timeout=3&currentSchema=own"
    address = f"postgres://me:pass%2Fword@%2Frun%2Fpostgresql:5433/own?{options}"
    socket = "unix:///run/redis.sock?db=1"
    assert start_with(tmp_path, DATABASE_URL=address, REDIS_URL=socket).stderr == ""


@pytest.mark.parametrize(
    "value", ["before:repository.shove", "before:repository.push:0", "before_effect=burn"]
)
def test_a_fault_point_that_is_none_stops_the_start_and_says_where_the_points_are(
    tmp_path: Path, value: str
) -> None:
    result = start_with(tmp_path, IMPRIMATUR_FAULT=value)
    assert result.returncode == 2
    assert result.stderr.startswith("imprimatur: IMPRIMATUR_FAULT cannot be used: ")
    assert (value.partition("=")[2] or value) in result.stderr
    assert "`manage.py faults`" in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_a_fault_point_that_is_one_is_no_hindrance(tmp_path: Path) -> None:
    assert start_with(tmp_path, IMPRIMATUR_FAULT="before:repository.push:2=pause").returncode == 0


def test_without_variables_it_starts(tmp_path: Path) -> None:
    assert start_with(tmp_path).returncode == 0


def test_a_new_data_folder_is_this_accounts_alone_and_one_that_is_there_is_left_as_it_is(
    tmp_path: Path,
) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o750)
    for folder, mode in ((tmp_path / "below" / "new", 0o700), (shared, 0o750)):
        assert start_with(folder).returncode == 0
        assert folder.stat().st_mode & 0o777 == mode


def test_the_secret_key_is_made_once_and_readable_by_its_owner_alone(tmp_path: Path) -> None:
    start_with(tmp_path)
    key = tmp_path / "secret_key"
    first = key.read_text()
    start_with(tmp_path)
    assert key.read_text() == first
    assert len(first) > 60
    assert key.stat().st_mode & 0o777 == 0o600


def refused_for_its_key(folder: Path, why: str) -> bool:
    result = start_with(folder)
    said = result.stderr.splitlines()
    return (result.returncode, len(said)) == (2, 1) and why in said[0] and str(folder) in said[0]


@pytest.mark.parametrize(
    ("name", "content"),
    [("imprimatur.sqlite3", "SQLite format 3"), ("seals.jsonl", "{}\n"), ("artifacts/ab", "")],
)
def test_no_new_secret_key_is_made_in_a_folder_that_was_in_use(
    tmp_path: Path, name: str, content: str
) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text(content)
    assert refused_for_its_key(tmp_path, "is missing")
    assert not (tmp_path / "secret_key").exists()
    assert start_with(tmp_path, SECRET_KEY="k" * 32).returncode == 0
    (tmp_path / "secret_key").write_text("k" * 32)
    assert start_with(tmp_path).returncode == 0


def test_a_part_that_cannot_be_looked_into_hides_no_key_and_counts_as_used(tmp_path: Path) -> None:
    # Nobody can ask what so long a name is, not even root.
    (tmp_path / "artifacts").symlink_to("x" * 300)
    assert refused_for_its_key(tmp_path, "is missing")
    (tmp_path / "secret_key").write_text("k" * 32)
    assert start_with(tmp_path).returncode == 0


def test_a_secret_key_that_is_none_ends_the_start_with_one_line(tmp_path: Path) -> None:
    key = tmp_path / "secret_key"
    for content in (b"", b"hunter2secret\n", b"\x80\xff" * 40):
        key.write_bytes(content)
        assert refused_for_its_key(tmp_path, "at least 32 characters")
        assert key.read_bytes() == content
    key.unlink()
    key.mkdir()
    assert refused_for_its_key(tmp_path, "Is a directory")


def test_a_data_folder_that_takes_no_secret_key_ends_the_start_with_one_line() -> None:
    # Not even root makes files here.
    assert refused_for_its_key(Path("/proc"), "No such file")


def test_a_restore_that_was_cut_short_at_the_secret_key_goes_on_with_it(tmp_path: Path) -> None:
    (tmp_path / "seals.jsonl").write_text("{}\n")
    (tmp_path / "secret_key.restoring").write_text("k" * 32)
    assert start_with(tmp_path).returncode == 0
    assert not (tmp_path / "secret_key").exists()
