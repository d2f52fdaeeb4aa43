"""take: write a backup beside the others, and give it its name once it is whole."""

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from django.conf import settings
from django.core.files.storage import storages
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from publisher import artifacts, databases
from publisher.domain.errors import ArtifactDamaged
from publisher.models import Artifact, Job
from publisher.processes.backup import files, postgres, record, sqlite
from publisher.processes.backup.record import BackupRefused, Record

DRAFT = ".part-"


@dataclass(frozen=True, slots=True)
class Taken:
    """Where the backup is, and how many artifacts had to be copied for it."""

    folder: Path
    record: Record
    copied: int
    keeps_key: bool


def take(place: Path, now: datetime) -> Taken:
    """Back up the installation into ``place``; a crash leaves the older backups as they were.

    The seals are copied before the database, since they may not know more than it does, and the
    artifacts after it, since a row is only written once its bytes are there.
    """
    place.mkdir(parents=True, exist_ok=True, mode=0o700)
    with _alone(place):
        for left in place.glob(f"{DRAFT}*"):
            shutil.rmtree(left)
        before = record.newest(place)
        draft = place / f"{DRAFT}{os.getpid()}"
        draft.mkdir(mode=0o700)
        kept = _keep_files(draft)
        wanted = _keep_database(draft, kept)
        copied, damaged = _keep_artifacts(draft, wanted, before)
        lines = (f"{name} {size}\n".encode() for name, size in wanted if name not in damaged)
        kept[record.ARTIFACTS] = files.write(lines, draft / record.ARTIFACTS)
        found = _record(draft, kept, wanted, damaged, now)
        found.write(draft)
        files.flush_all(draft)
        final = _name(place, now)
        draft.rename(final)
        files.flush(place)
    return Taken(final, found, copied, record.SECRET_KEY in kept)


@contextmanager
def _alone(place: Path) -> Iterator[None]:
    handle = os.open(place / ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        raise BackupRefused(f"Another backup is being written into {place}.") from error
    else:
        yield
    finally:
        os.close(handle)


def _name(place: Path, now: datetime) -> Path:
    stamp = now.strftime("%Y%m%dT%H%M%S.%fZ")
    if (place / stamp).exists():
        raise BackupRefused(f"There is a backup of this very moment already: {place / stamp}.")
    return place / stamp


def _keep_files(draft: Path) -> dict[str, str]:
    kept = {}
    if record.keeps_own_key():
        kept[record.SECRET_KEY] = files.copy(
            settings.DATA_DIR / record.SECRET_KEY, draft / record.SECRET_KEY
        )
    seals = settings.DATA_DIR / record.SEALS
    if seals.exists():
        whole = seals.read_bytes().rpartition(b"\n")  # the last line may be half written
        kept[record.SEALS] = files.write([whole[0], whole[1]], draft / record.SEALS)
    return kept


def _keep_database(draft: Path, kept: dict[str, str]) -> list[tuple[str, int]]:
    """Copy the database; the artifacts that its rows name."""
    database = settings.DATABASES["default"]
    if database["ENGINE"] == databases.SQLITE:
        copy = draft / record.SQLITE_COPY
        sqlite.copy(Path(database["NAME"]), copy)
        kept[record.SQLITE_COPY] = files.sha256(copy)
        return sqlite.artifacts(copy)
    dump = draft / record.POSTGRES_DUMP
    postgres.dump(dump)
    kept[record.POSTGRES_DUMP] = files.sha256(dump)
    return list(Artifact.objects.order_by("pk").values_list("pk", "size").iterator())


def _keep_artifacts(
    draft: Path, wanted: list[tuple[str, int]], before: Path | None
) -> tuple[int, list[str]]:
    """Link what the backup before has whole, copy the rest; how many were copied, what is damaged."""
    copied, damaged = 0, []
    for name, size in wanted:
        target = record.place_of(draft, name)
        if before is not None and _link(record.place_of(before, name), target, name, size):
            continue
        if _copy(name, target):
            copied += 1
        else:
            target.unlink(missing_ok=True)
            damaged.append(name)
    return copied, damaged


def _link(source: Path, target: Path, name: str, size: int) -> bool:
    if not files.is_whole(source, name, size):
        return False
    target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    try:
        target.hardlink_to(source)
    except OSError:
        return False  # a disk without links: it is copied
    return True


def _copy(name: str, target: Path) -> bool:
    try:
        return "sha256:" + files.write(_pieces(name), target) == name
    except ArtifactDamaged:
        return False


def _pieces(name: str) -> Iterator[bytes]:
    """The stored bytes; a generator of its own, so that what fails in writing is no damage of them."""
    with artifacts.reading(name), storages["artifacts"].open(artifacts.place_of(name)) as stored:
        yield from stored.chunks()


def _record(
    draft: Path,
    kept: dict[str, str],
    wanted: list[tuple[str, int]],
    damaged: list[str],
    now: datetime,
) -> Record:
    copy = draft / record.SQLITE_COPY
    if copy.exists():
        jobs, migrations = sqlite.jobs(copy), sqlite.migrations(copy)
    else:
        jobs = Job.objects.count()
        applied = MigrationRecorder(connection).applied_migrations()
        migrations = sorted([app, name] for app, name in applied)
    return Record(
        taken_at=now.isoformat(),
        vendor="sqlite" if copy.exists() else "postgresql",
        key_fingerprint=record.key_fingerprint(),
        files=kept,
        artifacts=len(wanted) - len(damaged),
        bytes=sum(each.stat().st_size for each in draft.rglob("*") if each.is_file()),
        jobs=jobs,
        migrations=migrations,
        damaged=damaged,
    )
