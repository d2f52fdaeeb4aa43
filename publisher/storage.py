"""Storage of artifacts on a local disk: complete and on the disk, or not there at all."""

import errno
import os
import tempfile
from pathlib import Path

from django.core.files.base import File
from django.core.files.storage import FileSystemStorage


def is_full(trouble: Exception) -> bool:
    """Whether the disk has no room, as the system or as SQLite says it."""
    if isinstance(trouble, OSError):
        return trouble.errno in (errno.ENOSPC, errno.EDQUOT)
    return "disk is full" in str(trouble)


class DurableFileSystemStorage(FileSystemStorage):
    """Writes beside the final name, flushes to the disk, then renames.

    The name of an artifact is the hash of its bytes, so a file of that name is either whole or
    was damaged later; half of one never gets the name.
    """

    def _save(self, name: str, content: "File[bytes]") -> str:
        final = Path(self.path(name))
        final.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle, scratch = tempfile.mkstemp(dir=final.parent, prefix=".part-")
        try:
            with os.fdopen(handle, "wb") as out:
                for chunk in content.chunks():
                    out.write(chunk)
                    out.flush()
                os.fsync(out.fileno())
            Path(scratch).replace(final)
        except BaseException:
            Path(scratch).unlink(missing_ok=True)
            raise
        folder = os.open(final.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
        return name

    def renew(self, name: str) -> None:
        """A file that is there counts as new, and nobody prunes it meanwhile; else FileNotFoundError."""
        os.utime(self.path(name))

    def get_available_name(self, name: str, max_length: int | None = None) -> str:
        """The same name: equal names are equal bytes."""
        return name
