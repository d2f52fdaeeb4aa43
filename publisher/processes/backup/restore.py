"""restore: check a backup, stage it beside the data folder's files, decide, and move it into place."""

import shutil
import uuid
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from django.conf import settings
from django.db import connection, connections
from django.db.migrations.loader import MigrationLoader

from publisher import databases, nodes
from publisher.models import Site
from publisher.models.site import CloneState
from publisher.processes import holds
from publisher.processes.backup import files, moves, postgres, record, sqlite
from publisher.processes.backup.moves import Move
from publisher.processes.backup.record import BackupRefused, Record
from publisher.processes.doctor import place

SCRATCH = ("git", "cache", "qstat", "first-start")
"""What belongs to the data that goes and is made anew: clones, caches, an unfinished first start."""


@dataclass(frozen=True, slots=True)
class Restored:
    """What was put back, and where what was there before is now."""

    folder: Path
    record: Record
    aside: list[Path]
    key_differs: bool


def restore(source: Path, *, replace: bool, now: datetime) -> Restored:
    """Put a backup back, whole or not at all; BackupRefused says why not."""
    folder = record.find(source.absolute())
    found = record.read(folder)
    _check_program(found)
    _check_files(folder, found)
    connections.close_all()
    with holds.alone(settings.DATA_DIR / "processes"):
        _check_target(found, replace=replace)
        _check_mounts(found)
        _check_room(found)
        if found.vendor == "sqlite":
            moves.decide(settings.DATA_DIR, _stage_sqlite(folder, found, now))
        else:
            _load_postgres(folder, found, now)
        aside = moves.finish(settings.DATA_DIR)
    return Restored(folder, found, aside, _key_differs(found))


def finish() -> list[Path]:
    """Go on with a restore that was cut short."""
    connections.close_all()
    with holds.alone(settings.DATA_DIR / "processes"):
        return moves.finish(settings.DATA_DIR)


def _check_program(found: Record) -> None:
    wanted = "sqlite" if _sqlite_path() else "postgresql"
    if found.vendor != wanted:
        raise BackupRefused(
            f"The backup is of {found.vendor}, and DATABASE_URL names {wanted}. Set it to match."
        )
    known = set(MigrationLoader(None, ignore_no_migrations=True).disk_migrations)
    ours = {app for app, _name in known}
    later = [f"{app}.{name}" for app, name in found.migrations
             if app in ours and (app, name) not in known]  # fmt: skip
    if later:
        raise BackupRefused(
            f"The backup is of a later release, with {', '.join(later)}. Install that release."
        )


def _check_files(folder: Path, found: Record) -> None:
    """Every file is there with its hash, and every artifact is what its name says."""
    wrong = [name for name, wanted in found.files.items() if not files.holds(folder / name, wanted)]
    if record.ARTIFACTS not in wrong:
        wrong += [
            name
            for name, size in record.artifacts_of(folder)
            if not files.is_whole(record.place_of(folder, name), name, size)
        ]
    if wrong:
        shown = ", ".join(wrong[:5]) + (f" and {len(wrong) - 5} more" if len(wrong) > 5 else "")
        raise BackupRefused(f"The backup is damaged, nothing was changed: {shown}.")


def _sqlite_path() -> Path | None:
    database = settings.DATABASES["default"]
    return Path(database["NAME"]) if database["ENGINE"] == databases.SQLITE else None


def _check_target(found: Record, *, replace: bool) -> None:
    path = _sqlite_path()
    if path is None:
        full = bool(connection.introspection.table_names())
        busy = replace and postgres.others() > 0
        where = "The database"
    else:
        full, busy = path.exists(), path.exists() and sqlite.is_in_use(path)
        where = str(path)
    artifacts = settings.DATA_DIR / "artifacts"
    full = full or (found.vendor == "sqlite" and artifacts.is_dir() and any(artifacts.iterdir()))
    if full and not replace and not moves.pending(settings.DATA_DIR):
        raise BackupRefused(
            f"{where} is in use already. Name an empty data folder, or put the backup in its place "
            "with --replace."
        )
    if busy:
        raise BackupRefused(f"{where} is open in another program. Stop everything first.")


def _check_mounts(found: Record) -> None:
    """What is to be moved aside can be: a mount stays where it is, also once all is decided."""
    moved = [settings.DATA_DIR / name for name in (record.SECRET_KEY, record.SEALS)
             if name in found.files or name == record.SEALS]  # fmt: skip
    if path := _sqlite_path():
        moved += [path, settings.DATA_DIR / "artifacts"]
    for each in moved:
        if place.is_mount(each):
            raise BackupRefused(
                f"{each} is a mount, which cannot be moved aside; nothing was changed. Unmount it, "
                "restore, move what then lies there onto it, and mount it again."
            )


def _check_room(found: Record) -> None:
    free = shutil.disk_usage(settings.DATA_DIR).free
    if free < found.bytes:
        raise BackupRefused(
            f"The backup takes {found.bytes} bytes, and {free} are free in {settings.DATA_DIR}."
        )


def _stage_sqlite(folder: Path, found: Record, now: datetime) -> list[Move]:
    path = _sqlite_path() or Path()
    staged = path.with_name(path.name + moves.STAGED)
    staged.unlink(missing_ok=True)
    files.copy(folder / record.SQLITE_COPY, staged)
    sqlite.check(staged)
    sqlite.note_restore(staged, found.taken_at, now, str(uuid.uuid4()))
    artifacts = settings.DATA_DIR / "artifacts"
    beside = artifacts.with_name(artifacts.name + moves.STAGED)
    shutil.rmtree(beside, ignore_errors=True)
    beside.mkdir(mode=0o700)
    for name, _size in record.artifacts_of(folder):
        plain = name.removeprefix("sha256:")
        _copy_artifact(folder, name, beside / plain[:2] / plain[2:4] / plain)
    files.flush_all(beside)
    stamp = now.strftime("%Y%m%dT%H%M%S%f")
    rows = [_move(beside, artifacts, stamp), _move(staged, path, stamp)]
    return [*rows, *_stage_rest(folder, found, stamp)]


def _stage_rest(folder: Path, found: Record, stamp: str) -> list[Move]:
    """The key, the seals, and what is made anew."""
    rows = []
    for name in (record.SECRET_KEY, record.SEALS):
        final = settings.DATA_DIR / name
        staged = final.with_name(name + moves.STAGED)
        staged.unlink(missing_ok=True)
        if name in found.files:
            files.copy(folder / name, staged)
            rows.append(_move(staged, final, stamp))
        elif name == record.SEALS:
            rows.append(Move("", str(final), f"{final}.replaced-{stamp}"))
    return [*rows, *(Move("", str(settings.DATA_DIR / name), "") for name in SCRATCH)]


def _move(staged: Path, final: Path, stamp: str) -> Move:
    return Move(str(staged), str(final), f"{final}.replaced-{stamp}")


def _copy_artifact(folder: Path, name: str, target: Path) -> None:
    if "sha256:" + files.copy(record.place_of(folder, name), target) != name:
        raise BackupRefused(f"The backup changed while it was read: {name}.")


def _load_postgres(folder: Path, found: Record, now: datetime) -> None:
    """Artifacts first (more of them harm nobody), then the database in one transaction."""
    postgres.check(folder / record.POSTGRES_DUMP)
    root = settings.DATA_DIR / "artifacts"
    for name, size in record.artifacts_of(folder):
        target = record.place_of(settings.DATA_DIR, name)
        if not files.is_whole(target, name, size):
            staged = target.with_name(target.name + moves.STAGED)
            _copy_artifact(folder, name, staged)
            staged.replace(target)
    if root.is_dir():
        files.flush_all(root)
    rows = _stage_rest(folder, found, now.strftime("%Y%m%dT%H%M%S%f"))
    was_decided, before = moves.pending(settings.DATA_DIR), postgres.making()
    moves.decide(settings.DATA_DIR, rows, again=str(folder))
    try:
        postgres.load(folder / record.POSTGRES_DUMP)
    except BackupRefused:
        # One that was cut short may have loaded all, and so may one whose end did not arrive:
        # these stay decided, as nothing of it is noted in the database yet.
        if not was_decided and postgres.is_still(before):
            moves.withdraw(settings.DATA_DIR)
        raise
    note(found.taken_at, now)


def note(taken_at: str, now: datetime) -> None:
    """Write into the database that it was put back; by whatever means that was done."""
    nodes.note_restore(datetime.fromisoformat(taken_at), now)
    Site.objects.filter(clone_state=CloneState.READY.value).update(
        clone_state=CloneState.PENDING.value, fetched_at=None
    )


def accept(now: datetime) -> list[Path]:
    """Take an older database that came by other means for the right one."""
    note(now.isoformat(), now)
    seals = settings.DATA_DIR / record.SEALS
    if not seals.exists():
        return []
    aside = seals.with_name(f"{seals.name}.replaced-{now.astimezone(UTC):%Y%m%dT%H%M%S%f}")
    seals.replace(aside)
    return [aside]


def _key_differs(found: Record) -> bool:
    own = record.SECRET_KEY in found.files and record.keeps_own_key()
    secrets = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    return not own and found.key_fingerprint not in map(record.key_fingerprint, secrets)
