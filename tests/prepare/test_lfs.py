"""The LFS gate."""

import pytest

from publisher.domain.findings import Severity
from publisher.prepare.lfs import check, is_pointer

POINTER = (
    b"version https://git-lfs.github.com/spec/v1\n"
    b"oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n"
)


def test_raw_data_under_an_lfs_path_is_blocked() -> None:
    (finding,) = check("public/a.png", b"\x89PNG", lfs=True)
    assert (finding.severity, finding.rule) == (Severity.BLOCK, "lfs_path")
    assert "no LFS support" in finding.message


def test_a_pointer_that_is_there_already_passes_under_an_lfs_path() -> None:
    assert check("public/a.png", POINTER, lfs=True, is_new=False) == []


def test_a_new_pointer_under_an_lfs_path_is_told() -> None:
    (finding,) = check("public/a.png", POINTER, lfs=True)
    assert (finding.severity, finding.rule) == (Severity.WARN, "lfs_pointer")
    assert "is not sent from here" in finding.message


def test_a_pointer_elsewhere_is_told() -> None:
    assert [finding.rule for finding in check("public/a.png", POINTER, lfs=False)] == [
        "lfs_pointer"
    ]


def test_raw_data_elsewhere_passes() -> None:
    assert check("public/a.png", b"\x89PNG", lfs=False) == []


@pytest.mark.parametrize(
    "data", [b"", POINTER[:-1], b"x" + POINTER, POINTER + b"x" * 2000, b"\x00" * 50]
)
def test_other_bytes_are_no_pointer(data: bytes) -> None:
    assert not is_pointer(data)
