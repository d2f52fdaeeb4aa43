"""The environment's variables."""

import os
import subprocess
import sys
from pathlib import Path

import pytest


def start_with(folder: Path, **variables: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-c", "import publisher.settings"],
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
        ("DEBUG", "perhaps"),
        ("LOG_FORMAT", "xml"),
        ("SECRET_KEY", "short-hunter2secret"),
        ("SECRET_KEY_FILE", "/nowhere/at/all"),
        ("IMPRIMATUR_GIT_PROTOCOLS", "https,ext"),
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
        ("EMAIL_URL", "imap://host"),
        ("EMAIL_URL", "smtp://host:many"),
        ("IMPRIMATUR_NODE", "a b"),
    ],
)
def test_a_wrong_value_stops_the_start_with_its_name_only(
    tmp_path: Path, name: str, value: str
) -> None:
    result = start_with(tmp_path, **{name: value})
    assert result.returncode == 2
    assert result.stderr.startswith(f"imprimatur: {name} cannot be used: ")
    assert len(result.stderr.splitlines()) == 1
    assert "hunter2secret" not in result.stderr


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


def test_the_secret_key_is_made_once_and_readable_by_its_owner_alone(tmp_path: Path) -> None:
    start_with(tmp_path)
    key = tmp_path / "secret_key"
    first = key.read_text()
    start_with(tmp_path)
    assert key.read_text() == first
    assert len(first) > 60
    assert key.stat().st_mode & 0o777 == 0o600
