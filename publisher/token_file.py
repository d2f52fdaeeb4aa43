"""Token file: whether the file that holds a site's token can be used, for git and for who names it."""

import stat
from pathlib import Path

from publisher.domain.errors import CredentialsRefused


def check(name: str) -> None:
    """Raise CredentialsRefused for a file that is not there, is empty, or that others can read."""
    try:
        mode = Path(name).stat().st_mode
        is_empty = not Path(name).read_bytes().strip()
    except OSError as trouble:
        raise refusal(f"The token file {name} cannot be read: {trouble.strerror}.") from trouble
    if stat.S_IMODE(mode) & 0o077:
        raise refusal(f"Others can read the token file {name}. Run: chmod 600 on it.")
    if is_empty:
        raise refusal(f"The token file {name} holds no token.")


def refusal(message: str) -> CredentialsRefused:
    """About the file itself, not about what the remote says to its token."""
    return CredentialsRefused(message, field="token_file")
