"""Looking at the file of a database in use takes no lock away from those who use it."""

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

from publisher import sqlite_file

COME_AND_GO = """import sqlite3, sys
user = sqlite3.connect(sys.argv[1])
print(user.execute("SELECT count(*) FROM t").fetchone()[0])
user.close()"""


def rows_seen_by_another_process(path: Path) -> int:
    said = subprocess.run(
        [sys.executable, "-c", COME_AND_GO, str(path)], check=True, capture_output=True, text=True
    )
    return int(said.stdout)


def test_what_is_written_after_a_look_is_there_for_others(tmp_path: Path) -> None:
    path = tmp_path / "used.sqlite3"
    with closing(sqlite3.connect(path, isolation_level=None)) as user:
        user.execute("PRAGMA journal_mode=WAL")
        user.execute("CREATE TABLE t (n)")
        assert sqlite_file.trouble(path) == ""
        assert rows_seen_by_another_process(path) == 0
        user.execute("INSERT INTO t VALUES (1)")
        assert rows_seen_by_another_process(path) == 1


def test_a_file_that_was_put_in_its_place_is_looked_at_anew(tmp_path: Path) -> None:
    path, other = tmp_path / "one.sqlite3", tmp_path / "two.sqlite3"
    with closing(sqlite3.connect(path)) as made:
        made.execute("CREATE TABLE t (n)")
    assert sqlite_file.trouble(path) == ""
    other.write_bytes(b"no database at all" * 10)
    other.replace(path)
    assert "does not begin as an SQLite file does" in sqlite_file.trouble(path)
