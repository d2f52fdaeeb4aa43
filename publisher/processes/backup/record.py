"""Record: what a backup holds, written into it last and checked before anything is put back."""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from django.conf import settings
from django.utils.crypto import salted_hmac

from publisher.processes.backup import files

FORMAT = 1
RECORD = "backup.json"
ARTIFACTS = "artifacts.txt"
SQLITE_COPY = "database.sqlite3"
POSTGRES_DUMP = "database.dump"
SECRET_KEY = "secret_key"  # noqa: S105 (a file's name)
SEALS = "seals.jsonl"


class BackupRefused(Exception):
    """What cannot be backed up or put back, in words for the operator."""


@dataclass(frozen=True, slots=True)
class Record:
    """``files`` maps names to SHA-256; ``damaged`` names artifacts that were not whole any more."""

    taken_at: str
    vendor: str
    key_fingerprint: str
    files: dict[str, str]
    artifacts: int
    bytes: int
    jobs: int
    migrations: list[list[str]]
    damaged: list[str] = field(default_factory=list)
    format: int = FORMAT

    def write(self, folder: Path) -> None:
        """Put the record into the backup."""
        text = json.dumps(asdict(self), indent=1, sort_keys=True) + "\n"
        files.write([text.encode()], folder / RECORD)


def read(folder: Path) -> Record:
    """The record of a backup; BackupRefused when it is none, or of a later format."""
    try:
        found: dict[str, Any] = json.loads((folder / RECORD).read_text("utf-8"))
        if found["format"] != FORMAT:
            raise BackupRefused(f"{folder} was made by another release (format {found['format']}).")
        return Record(**found)
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise BackupRefused(f"{folder} holds no readable backup.") from error


def newest(place: Path) -> Path | None:
    """The last complete backup in a folder of backups."""
    if not place.is_dir():
        return None
    found = [each for each in place.iterdir() if each.name[0] != "." and (each / RECORD).is_file()]
    return max(found, key=lambda each: each.name, default=None)


def find(place: Path) -> Path:
    """The backup that is meant: this very one, or the last one in a folder of backups."""
    if (place / RECORD).is_file():
        return place
    found = newest(place)
    if found is None:
        raise BackupRefused(f"There is no complete backup in {place}.")
    return found


def key_fingerprint(secret: str = "") -> str:
    """Tells two secret keys apart and gives neither away; the installation's own without one."""
    made = salted_hmac("imprimatur.backup", "secret key", secret=secret or None, algorithm="sha256")
    return made.hexdigest()[:16]


def keeps_own_key() -> bool:
    """Whether the secret key lies in the data folder, not in the operator's hands."""
    path = settings.DATA_DIR / SECRET_KEY
    return path.is_file() and path.read_text().strip() == settings.SECRET_KEY


def artifacts_of(folder: Path) -> Iterator[tuple[str, int]]:
    """The artifacts that a backup lists: name and size."""
    with (folder / ARTIFACTS).open(encoding="ascii") as lines:
        for line in lines:
            name, size = line.split()
            yield name, int(size)


def place_of(folder: Path, name: str) -> Path:
    """Where an artifact lies in a backup: as in the data folder."""
    plain = name.removeprefix("sha256:")
    return folder / "artifacts" / plain[:2] / plain[2:4] / plain
