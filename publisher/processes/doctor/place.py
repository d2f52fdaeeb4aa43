"""Place: the data folder, its disk, its file system, and who may read the secrets."""

import os
import shutil
import stat
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from django.utils.translation import gettext as _

from publisher.processes.doctor.answer import Answer, ok, trouble, warning

LEAST_BYTES = 100 << 20
GOOD_BYTES = 1 << 30
NETWORK = frozenset(
    {
        "nfs", "nfs4", "cifs", "smb3", "smbfs", "ncpfs", "afs", "ceph", "lustre", "glusterfs",
        "gfs2", "ocfs2", "beegfs", "fuse.sshfs", "fuse.glusterfs", "fuse.s3fs", "fuse.rclone",
        "fuse.ceph", "fuse.gcsfuse",
    }
)  # fmt: skip
"""File systems on which SQLite's shared memory or locks do not hold."""
MOUNTS = Path("/proc/self/mountinfo")
HANDED_IN = Path("/run/secrets")
"""Where container platforms put secrets, readable to all inside by their own choice."""
PARTS = ("artifacts", "git", "locks", "processes")


def data_folder(folder: Path) -> Answer:
    """The data folder and its parts can be read and written, and not by everybody."""
    for part in (folder, *(folder / name for name in PARTS)):
        if part != folder and not part.exists():
            continue
        if not part.is_dir():
            return trouble(_("%(path)s is not a folder.") % {"path": part})
        try:
            next(part.iterdir(), None)
            with tempfile.TemporaryFile(dir=part) as probe:
                probe.write(b"can be written")
        except OSError as error:
            message = _("%(path)s cannot be read and written by this account: %(why)s.")
            return trouble(message % {"path": part, "why": error.strerror})
    if folder.stat().st_mode & stat.S_IRWXO:
        message = _(
            "Everybody on this machine can look into %(path)s, where unpublished texts lie: chmod 700 "
            "is safer."
        )
        return warning(message % {"path": folder})
    return ok(_("%(path)s can be read and written.") % {"path": folder})


def disk(folder: Path) -> Answer:
    """There is room for what will be stored."""
    try:
        free = shutil.disk_usage(folder).free
        names = os.statvfs(folder)
    except OSError as error:
        return trouble(_("The disk cannot be looked at: %(why)s.") % {"why": error.strerror})
    said = {"free": f"{free / (1 << 30):.1f} GiB", "path": folder}
    if free < LEAST_BYTES:
        return trouble(_("The disk is nearly full: %(free)s are free at %(path)s.") % said)
    if names.f_files and names.f_favail < 1_000:
        return trouble(_("The disk can hold hardly any more files at %(path)s.") % said)
    if free < GOOD_BYTES:
        return warning(_("The disk is filling up: %(free)s are free at %(path)s.") % said)
    return ok(_("%(free)s are free.") % said)


def local_disk(database: Path, mounts: Path = MOUNTS) -> Answer:
    """SQLite's file lies on a disk of this machine: its log is shared memory, and no network has that."""
    kind = file_system(database, mounts)
    said = {"path": database, "kind": kind}
    if kind in NETWORK:
        message = _(
            "%(path)s lies on a network file system (%(kind)s), where SQLite loses data. Put the "
            "data folder on a local disk, or use PostgreSQL with DATABASE_URL."
        )
        return trouble(message % said)
    if kind == "9p":
        return warning(_("%(path)s lies on a shared folder (9p): use it from here alone.") % said)
    return ok(_("SQLite's file lies on a local disk."))


def file_system(path: Path, mounts: Path = MOUNTS) -> str:
    """The kind of file system that a path lies on; "" when nobody says."""
    best, kind, wanted = -1, "", path.resolve()
    for point, its_kind in _mounted(mounts):
        # Of two mounts at one place the later one is seen.
        if wanted.is_relative_to(point) and len(point.parts) >= best:
            best, kind = len(point.parts), its_kind
    return kind


def is_mount(path: Path, mounts: Path = MOUNTS) -> bool:
    """Whether something is mounted just here; devices do not tell two folders of one disk apart."""
    here = path.parent.resolve() / path.name
    return any(point == here for point, _kind in _mounted(mounts))


def _mounted(mounts: Path) -> Iterator[tuple[Path, str]]:
    try:
        lines = mounts.read_text("utf-8", "replace").splitlines()
    except OSError:
        return
    for line in lines:
        before, dash, after = line.partition(" - ")
        words = before.split()
        if dash and len(words) >= 5 and after.split():
            yield Path(words[4].replace("\\040", " ")), after.split()[0]


def secrets(paths: Iterable[Path]) -> Answer:
    """Only this account reads the files with keys, tokens and sessions."""
    for path in paths:
        try:
            mode = path.stat().st_mode
        except OSError:
            continue
        said = {"path": path}
        if path.is_relative_to(HANDED_IN):
            continue
        if mode & stat.S_IRWXO:
            return trouble(_("Everybody on this machine can read %(path)s: chmod 600.") % said)
        if mode & (stat.S_IWGRP | stat.S_IRGRP):
            return warning(_("A whole group can read %(path)s: chmod 600 is safer.") % said)
    return ok(_("Keys and tokens are readable by this account alone."))
