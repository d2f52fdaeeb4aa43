"""History: commits by the hundred thousand in a bare repository, by git's fast-import."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from bench.git_floor import BRANCH, WHO, git


@dataclass(frozen=True, slots=True)
class Commit:
    """One that writes one file."""

    path: str
    data: bytes
    message: str


def append(remote: Path, commits: Iterable[Commit]) -> list[str]:
    """Put them on the branch, made where it is missing; their ids in the same order."""
    if not remote.exists():
        remote.mkdir(parents=True)
        git(remote, "init", "-q", "--bare", "--initial-branch=main")
    marks = remote / "bench-marks"
    follows = bool(git(remote, "for-each-ref", BRANCH))
    stream = b"".join(_stream(commits, follows=follows))
    git(remote, "fast-import", "--quiet", f"--export-marks={marks}", stdin=stream)
    found = [line.split() for line in marks.read_text().splitlines()]
    return [commit for _, commit in sorted((int(mark[1:]), commit) for mark, commit in found)]


def _stream(commits: Iterable[Commit], *, follows: bool) -> Iterator[bytes]:
    for number, commit in enumerate(commits, 1):
        yield f"commit {BRANCH}\nmark :{number}\ncommitter {WHO}\n".encode()
        yield _data(commit.message.encode())
        if number == 1 and follows:
            yield f"from {BRANCH}^0\n".encode()
        yield f"M 100644 inline {commit.path}\n".encode() + _data(commit.data)


def _data(data: bytes) -> bytes:
    return b"data %d\n%b\n" % (len(data), data)
