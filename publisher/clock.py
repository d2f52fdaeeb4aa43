"""The database's time: the one clock that all machines of an installation share."""

from datetime import UTC, datetime

from django.db import connection

_QUERIES = {
    "sqlite": "SELECT strftime('%Y-%m-%dT%H:%M:%f000', 'now')",
    "postgresql": "SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US')",
}


def now() -> datetime:
    """The present moment by the database, aware, in UTC."""
    with connection.cursor() as cursor:
        cursor.execute(_QUERIES[connection.vendor])
        (text,) = cursor.fetchone()
    return datetime.fromisoformat(text).replace(tzinfo=UTC)
