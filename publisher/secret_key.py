"""The installation's own key: given by the operator, or made once and kept in the data folder."""

import os
import secrets
import sys
from pathlib import Path
from typing import NoReturn

from publisher import databases, sqlite_file
from publisher.env import SECRET_CHARACTERS
from publisher.processes.backup.moves import STAGED


def load_or_make(path: Path) -> str:
    """Return the key in the file; the first process makes it, readable by its owner only.

    A key that cannot be read, or was lost, ends the start: with another one people have to log in
    again, and a request that a program repeats would become a second job.
    """
    try:
        key = _kept(path)
    except OSError as error:
        _end(f"{path} cannot be read or made by this account: {error.strerror}.")
    except UnicodeDecodeError:
        key = ""
    if len(key) < SECRET_CHARACTERS:
        _end(
            f"{path} holds no key of at least {SECRET_CHARACTERS} characters. Put it back from a backup."
        )
    return key


def _kept(path: Path) -> str:
    # Asked first: whoever starts at the same time makes the key before anything else.
    was_used = _was_used(path.parent)
    staged = path.with_name(path.name + STAGED)
    if not path.exists() and staged.exists():
        path = staged  # a restore was cut short between its moves
    if not path.exists():
        if was_used:
            _end(
                f"{path} is missing, though {path.parent} was in use. Put it back from a backup, or "
                "name the former key with SECRET_KEY or SECRET_KEY_FILE. Without it: write "
                f"{SECRET_CHARACTERS} random characters or more there; people have to log in again, "
                "and requests that programs repeat are taken for new ones."
            )
        _make(path)
    return path.read_text("utf-8").strip()


def _was_used(folder: Path) -> bool:
    """What this account may not look into was used; its own name is told where that matters."""
    database = folder / databases.FILE
    try:
        return sqlite_file.was_used(folder) or (database.exists() and database.stat().st_size > 0)
    except OSError:
        return True


def _make(path: Path) -> None:
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as handle:
            handle.write(secrets.token_urlsafe(64))
            handle.flush()
            os.fsync(handle.fileno())
        path.hardlink_to(draft)
    except FileExistsError:
        return  # another process was first: its key holds
    finally:
        draft.unlink(missing_ok=True)


def _end(why: str) -> NoReturn:
    sys.stderr.write(f"imprimatur: {why}\n")
    sys.exit(2)
