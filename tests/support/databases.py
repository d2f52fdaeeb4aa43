"""The database of an installation that a test makes: a new one, where this half of the suite runs."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import psycopg

from tests.support import postgres
from tests.support.migrated import FILE

SUITE = os.environ.get("DATABASE_URL", "")
ON_POSTGRESQL = SUITE.startswith("postgres")


@contextmanager
def fresh() -> Iterator[str]:
    """Its address, as long as it is needed; none on SQLite, whose file lies in the data folder."""
    if not ON_POSTGRESQL:
        yield ""
        return
    url = postgres.new_database(SUITE)
    try:
        yield url
    finally:
        postgres.drop_databases(url)


def rows(url: str, data: Path, query: str) -> list[tuple[Any, ...]]:
    """What a query finds in the database of a data folder, asked beside the product."""
    if url:
        with psycopg.connect(url) as database:
            return database.execute(query.encode()).fetchall()
    with closing(sqlite3.connect(data / FILE, timeout=20)) as database:
        found: list[tuple[Any, ...]] = database.execute(query).fetchall()
        return found


def write(url: str, data: Path, statement: str) -> None:
    """Change something there, as an older release did, or nobody at all should."""
    if url:
        with psycopg.connect(url) as database:
            database.execute(statement.encode())
        return
    with closing(sqlite3.connect(data / FILE)) as file, file:
        file.execute(statement)
