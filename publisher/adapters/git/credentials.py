"""Credentials: hand a token from its file to git, never by argument, variable or address."""

import tempfile
from dataclasses import dataclass
from pathlib import Path

from publisher import token_file

_HELPER = """#!/bin/sh
# The last line of the file is the token; a line above it, if any, is the user name. Blank lines
# and the line ends of other systems do not count.
lines() { tr -d '\\r' < "$IMPRIMATUR_TOKEN_FILE" | sed 's/^[[:space:]]*//; s/[[:space:]]*$//; /^$/d'; }
case "$1" in
Username*)
    if [ "$(lines | grep -c "")" -gt 1 ]; then lines | head -n 1
    else printf '%s\\n' x-access-token; fi ;;
*) lines | tail -n 1 ;;
esac
"""


@dataclass(frozen=True, slots=True)
class Credentials:
    """Where a site's token lies ("" for none), and the folder where the helper may be written."""

    token_file: str
    folder: Path

    def environment(self) -> dict[str, str]:
        """What git needs to ask for the token. Raises CredentialsRefused for a file that leaks."""
        if not self.token_file:
            return {}
        token_file.check(self.token_file)
        return {"GIT_ASKPASS": str(self._helper()), "IMPRIMATUR_TOKEN_FILE": self.token_file}

    def secrets(self) -> tuple[str, ...]:
        """The token's text, to be taken out of whatever a remote echoes."""
        if not self.token_file:
            return ()
        try:
            lines = Path(self.token_file).read_text("utf-8", "replace").split()
        except OSError:
            return ()
        return tuple(line for line in lines[-1:] if len(line) >= 8)

    def _helper(self) -> Path:
        path = self.folder / "askpass"
        if not path.exists() or path.read_text() != _HELPER:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            # Renamed into place, because a neighbour may run it at this moment.
            with tempfile.NamedTemporaryFile("w", dir=self.folder, delete=False) as fresh:
                fresh.write(_HELPER)
            Path(fresh.name).chmod(0o700)
            Path(fresh.name).replace(path)
        return path
