"""Runs the suite: everything on SQLite, then the rings with a database on PostgreSQL."""

import os
import subprocess
import sys
from pathlib import Path

from tests.support import postgres

HERE = Path(__file__).resolve().parent
DATABASE_RINGS = ["publisher", "reviews", "engine", "races", "crash", "cases", "pages", "demo"]
TRIED = "not sqlite and not postgresql and not test_busy_database"
"""What names its database ran on both in the first half; the busy one is a SQLite file."""
PARALLEL = ["-n", "3", "--dist", "loadgroup"]


def run(arguments: list[str], **variables: str) -> int:
    """Run pytest once."""
    command = [sys.executable, "-m", "pytest", *arguments]
    print("==", " ".join(["pytest", *arguments]), *variables, flush=True)
    surroundings = {**os.environ, **variables}
    # The suite starts a thousand processes: none shall compile the sources anew.
    surroundings.pop("PYTHONDONTWRITEBYTECODE", None)
    return subprocess.run(command, check=False, cwd=HERE.parent, env=surroundings).returncode


def run_on_postgresql() -> int:
    """Run the rings that touch the database on a private server; say so where there is none."""
    rings = [f"tests/{name}" for name in DATABASE_RINGS if (HERE / name).is_dir()]
    if postgres.find_binaries() is None:
        print("skipped: the PostgreSQL half (no initdb on this machine; Debian: postgresql)")
        return 1 if os.environ.get("CI") == "true" else 0
    with postgres.running_server() as dsn:
        return run([*PARALLEL, "-k", TRIED, *rings], DATABASE_URL=dsn)


def main(arguments: list[str]) -> int:
    """Run what was asked for; without arguments, everything on both databases."""
    if arguments:
        return run(arguments)
    sqlite = run(PARALLEL)
    return sqlite or run_on_postgresql()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
