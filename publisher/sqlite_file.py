"""The SQLite file: whether it is whole, told from its bytes, before anything opens it as a database."""

import os
import stat
from contextlib import suppress
from pathlib import Path

MAGIC = b"SQLite format 3\x00"
HEADER = 100
FIRST_START = "first-start"
"""The file that marks a data folder whose first start is not over."""

_LARGEST_PAGE = 65_536

_kept: dict[tuple[int, int], int] = {}
"""By device and inode: descriptors that are never closed."""


def trouble(path: Path) -> str:
    """What is wrong with the file, in words; "" for a whole one, and for one that is not there.

    SQLite opens an empty file as a new, healthy database, so what was lost would not be noticed.
    """
    if not path.exists():
        return ""
    if not path.is_file():
        return f"{path} is not a file."
    size = path.stat().st_size
    if size == 0:
        return f"The database {path} is empty (0 bytes), so its content was lost."
    header = _header(path)
    if len(header) < HEADER or not header.startswith(MAGIC):
        return f"The database {path} is damaged: it does not begin as an SQLite file does."
    wanted = _whole_size(header)
    if size < wanted and not _has_log(path):
        return f"The database {path} was cut short: {size} of {wanted} bytes are left."
    return ""


def _header(path: Path) -> bytes:
    """The file's first bytes, through a descriptor that stays open as long as the process lives.

    POSIX drops all locks that a process holds on a file when it closes any descriptor of it. SQLite's
    would go, and another process's close would take the write-ahead log away under this one.
    """
    seen = path.stat()
    descriptor = _kept.get((seen.st_dev, seen.st_ino))
    if descriptor is None:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        opened = os.fstat(descriptor)
        _kept[opened.st_dev, opened.st_ino] = descriptor
    return os.pread(descriptor, HEADER, 0)


def _whole_size(header: bytes) -> int:
    """How long the file says that it is; one page at least, where it does not say."""
    page = int.from_bytes(header[16:18], "big")
    page = _LARGEST_PAGE if page == 1 else page
    says_so = header[24:28] == header[92:96]
    return page * max(int.from_bytes(header[28:32], "big") if says_so else 1, 1)


def _has_log(path: Path) -> bool:
    """Whether writes wait beside the file: then it may be shorter than it says."""
    log = path.with_name(f"{path.name}-wal")
    return log.exists() and log.stat().st_size > 0


def refusal(path: Path, data_dir: Path) -> str:
    """Why the file may not be opened; an unfinished first start may have left it empty."""
    is_new = path.exists() and path.stat().st_size == 0 and (data_dir / FIRST_START).exists()
    return "" if is_new else trouble(path) or lost(path, data_dir)


def lost(path: Path, data_dir: Path) -> str:
    """That the file is missing from a data folder that was used before; "" when it is not."""
    if path.exists() or (data_dir / FIRST_START).exists():
        return ""
    used = was_used(data_dir)
    return f"The database {path} is missing, though {data_dir} was in use." if used else ""


def files_of(path: Path) -> list[Path]:
    """The file with its log and its shared memory, whether they are there or not."""
    return [path.with_name(path.name + end) for end in ("", "-wal", "-shm")]


def keep_private(path: Path) -> None:
    """Make the file for this account alone; take everybody's rights from one of an older release.

    With sessions inside: its log and shared memory take over who may read it. Where a link leads,
    since that is where SQLite makes it. What keeps that from being done, SQLite or the doctor says.
    """
    real = Path(os.path.realpath(path))
    with suppress(OSError):
        real.touch(mode=0o600, exist_ok=False)
    for each in files_of(real):
        with suppress(OSError):
            mode = stat.S_IMODE(each.stat().st_mode)
            if mode & stat.S_IRWXO:
                each.chmod(mode & ~stat.S_IRWXO)


def was_used(data_dir: Path) -> bool:
    """Whether the data folder holds seals or stored files, wherever its database is."""
    seals, artifacts = data_dir / "seals.jsonl", data_dir / "artifacts"
    return (seals.exists() and seals.stat().st_size > 0) or (
        artifacts.is_dir() and any(artifacts.iterdir())
    )
