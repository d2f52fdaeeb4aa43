"""An older database is brought up to date with what it holds."""

from datetime import UTC, datetime
from pathlib import Path

from tests.support.crash import warmed
from tests.support.databases import rows, write

MESSAGE = (
    "INSERT INTO publisher_outbox (id, kind, payload, due_at, tries, done_at, last_error, created_at) "
    "VALUES ('site_fetch:1', 'site_fetch', '{}', '2026-05-01 10:10:00+00:00', 1, "
    "'2026-05-01 10:00:02+00:00', '', '2026-05-01 09:59:59+00:00')"
)
"""Taken at ten o'clock, which moved its due time by ten minutes."""


def test_a_message_that_is_done_is_due_again_when_it_was(tmp_path: Path, database: str) -> None:
    data = tmp_path / "live" / "var"
    with warmed(tmp_path, database) as here:
        here.migrate()
        here.command("migrate", "publisher", "0006", "--verbosity", "0")
        write(database, data, MESSAGE)
        here.command("migrate", "--verbosity", "0")
    ((due, owner),) = rows(database, data, "SELECT due_at, owner FROM publisher_outbox")
    assert (as_time(due), owner) == (datetime(2026, 5, 1, 10, tzinfo=UTC), "")


def as_time(value: datetime | str) -> datetime:
    """SQLite keeps text, in UTC and without saying so."""
    found = datetime.fromisoformat(value) if isinstance(value, str) else value
    return found if found.tzinfo else found.replace(tzinfo=UTC)
