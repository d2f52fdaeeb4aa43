"""The magazine: the files that the demo's repository begins with, and the material of its jobs."""

from pathlib import Path

CONTENT = Path(__file__).resolve().parent / "content"


def repository() -> dict[str, bytes]:
    """The first commit's files by repository path."""
    folder = CONTENT / "repository"
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def material(name: str) -> bytes:
    """A file that a sample job is made from."""
    return (CONTENT / "jobs" / name).read_bytes()
