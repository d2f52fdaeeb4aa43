"""The installation's own key: given by the operator, or made once and kept in the data folder."""

import os
import secrets
from pathlib import Path


def load_or_make(path: Path) -> str:
    """Return the key in the file; the first process makes it, readable by its owner only."""
    if not path.exists():
        draft = path.with_name(f"{path.name}.{os.getpid()}")
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as handle:
            handle.write(secrets.token_urlsafe(64))
            handle.flush()
            os.fsync(handle.fileno())
        try:
            path.hardlink_to(draft)  # fails if another process was first: then its key holds
        except FileExistsError:
            return path.read_text().strip()
        finally:
            draft.unlink()
    return path.read_text().strip()
