"""Runs the suite: everything on SQLite, then what uses a database on PostgreSQL."""

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support import postgres

HERE = Path(__file__).resolve().parent
SECOND_HALF = ["-m", "on_both", "-k", "not sqlite and not postgresql"]
"""What uses its half's database; a test that names one ran on both in the first half."""
LEFT_OUT = {
    "architecture": "Reads the sources.",
    "domain": "Pure functions.",
    "prepare": "Text and files, no rows.",
    "browser": "How pages look and are used in Chromium; the journey by browser runs on both.",
    "cases/test_busy_database.py": "Many writers of one SQLite file.",
    "engine/test_verify_remote.py": "A file that is no database; all that has rows runs on both.",
    "processes/test_backup.py": "The copy of a SQLite file; a test of its own has the dump.",
    "processes/test_cores.py": "Shares of work in processes, without a row.",
    "processes/test_doctor.py": "A file that is no database; all that has rows runs on both.",
    "processes/test_drill.py": "Drills make SQLite installations, whatever the product runs on.",
    "processes/test_first_start.py": "Commands that refuse before they look at a database.",
    "publisher/test_turns.py": "The order of writers in a SQLite file.",
    "processes/test_sqlite_file.py": "The locks of a SQLite file.",
    "publisher/test_logs.py": "Lines of the log, without a row.",
    "publisher/test_terminal.py": "What a command loads, and the settings of a SQLite file.",
    "publisher/test_without_reviews.py": "What commands say where an app is missing.",
}
"""What the second half has nothing of, or of a file not all, and why."""
ONCE = (
    "cases/test_base_gone.py", "cases/test_clashes.py", "cases/test_formats.py",
    "cases/test_keys_set.py", "cases/test_live_checkout.py", "cases/test_lost_answer.py",
    "cases/test_lost_files.py", "cases/test_names.py", "cases/test_other_repository.py",
    "cases/test_placing.py", "cases/test_remote_never_answers.py", "cases/test_remotes.py",
    "cases/test_shown.py", "cases/test_titles.py", "cases/test_worker_died_in_git.py",
    "demo/test_demo.py", "engine/test_duplicates.py", "engine/test_external_sync.py",
    "engine/test_fonts_union.py", "engine/test_group.py", "engine/test_group_fonts.py",
    "engine/test_live_sending.py", "engine/test_not_taken.py", "engine/test_record_published.py",
    "engine/test_relay.py",
    "engine/test_restored.py", "engine/test_revert.py", "engine/test_visibility.py",
    "journey/test_material.py", "journey/test_naming.py", "pages/test_conflict_page.py",
    "pages/test_cutting.py", "pages/test_every_page.py", "pages/test_reading.py",
    "pages/test_live_page.py", "pages/test_serializer.py", "pages/test_since_last_look.py",
    "pages/test_submit_page.py", "pages/test_taken_back.py", "pages/test_ways_on.py",
    "processes/test_bootstrap.py", "processes/test_first_sweep.py",
    "processes/test_run_ends.py", "processes/test_start_stopped.py", "processes/test_survival.py",
    "reviews/test_admin.py", "reviews/test_route_matrix.py", "reviews/test_wrong_hashes.py",
)  # fmt: skip
"""Also left out there, since half an hour has no room for all twice: what is about git, fonts, text,
pages and the start and end of processes, and writes the rows that all other tests write as well.
Run one by its name on either; ``make both`` runs all of it on PostgreSQL too."""
AT_ONCE = min(6, len(os.sched_getaffinity(0)) + 2)
"""Many tests wait for processes and not for a core; beyond six, the services they share are the limit."""
PARALLEL = ["-n", str(AT_ONCE), "--dist", "loadgroup"]
MEMORY = Path("/dev/shm")
ENOUGH_BYTES = 3 * 1024**3
"""A half leaves some hundred MB of folders, and the log of its PostgreSQL grows to one GB."""


def run(arguments: list[str], **variables: str) -> int:
    """Run pytest once."""
    command = [sys.executable, "-m", "pytest", *arguments]
    print("==", " ".join(["pytest", *arguments]), *variables, flush=True)
    surroundings = {**os.environ, **variables}
    # The suite starts a thousand processes: none shall compile the sources anew.
    surroundings.pop("PYTHONDONTWRITEBYTECODE", None)
    return subprocess.run(command, check=False, cwd=HERE.parent, env=surroundings).returncode


def run_on_postgresql() -> int:
    """Run what uses a database on a private server; say so where there is none."""
    if postgres.find_binaries() is None:
        print("skipped: the PostgreSQL half (no initdb on this machine; Debian: postgresql)")
        return 1 if os.environ.get("CI") == "true" else 0
    with postgres.running_server() as dsn:
        rings = [name for name in LEFT_OUT if (HERE / name).is_dir()]
        once = () if os.environ.get("SUITE_TWICE") else ONCE
        unused = [f"--ignore=tests/{name}" for name in (*rings, *once)]
        return run([*PARALLEL, *SECOND_HALF, *unused], DATABASE_URL=dsn)


def is_room_in(memory: Path, root: Path = Path("/")) -> bool:
    """Whether the suite's folders fit into it, and the hooks that tests write there may run."""
    if not os.access(memory, os.W_OK | os.X_OK):
        return False
    there = os.statvfs(memory)
    left = [there.f_bavail * there.f_frsize, *_memory_left(root)]
    return min(left) >= ENOUGH_BYTES and not there.f_flag & os.ST_NOEXEC


def _memory_left(root: Path) -> Iterator[int]:
    """Bytes that the machine has, and each group of processes that this one is in; files there take them."""
    yield 1024 * _number("MemAvailable:", root / "proc/meminfo")
    groups = root / "sys/fs/cgroup"
    named = re.search(r"^0::/(.*)$", _text(root / "proc/self/cgroup"), re.MULTILINE)
    own = groups / (named[1] if named else "")
    for group in (own, *own.parents):
        limit = _text(group / "memory.max").strip()
        if limit.isdecimal():
            # What it holds of files on a disk goes when there is need.
            spare = _number("inactive_file", group / "memory.stat")
            yield int(limit) - int(_text(group / "memory.current")) + spare


def _number(name: str, file: Path) -> int:
    found = re.search(rf"^{name} +(\d+)", _text(file), re.MULTILINE)
    return int(found[1]) if found else 0


def _text(file: Path) -> str:
    return file.read_text() if file.is_file() else ""


@contextmanager
def folders_in_memory() -> Iterator[None]:
    """Let the suite's folders lie in memory, where there is room, until it has ended.

    The product waits for the disk before it says that something is kept, some ten thousand times
    in the suite. What is asked of the disk, and in which order, is the same in memory.
    """
    if not is_room_in(MEMORY):
        yield
        return
    # What a process that ends late writes while all is removed makes no suite fail.
    with tempfile.TemporaryDirectory(
        prefix="imprimatur-suite-", dir=MEMORY, ignore_cleanup_errors=True
    ) as folder:
        Path(folder).chmod(0o711)  # PostgreSQL runs as a user of its own.
        os.environ["TMPDIR"] = tempfile.tempdir = folder
        yield


def main(arguments: list[str]) -> int:
    """Run what was asked for; without arguments, everything on both databases."""
    if arguments:
        return run(arguments)
    with folders_in_memory():
        sqlite = run(PARALLEL)
        return sqlite or run_on_postgresql()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
