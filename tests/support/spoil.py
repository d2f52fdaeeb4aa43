"""Spoil: leaves a time in a row that a statement past the product may leave, and no program can read."""

from django.db import connection

from tests.support.planted import write


def spoil(table: str, column: str, key: object) -> None:
    """One column of one row."""
    junk = "2026-02-30 00:00:00" if connection.vendor == "sqlite" else "-infinity"
    write(f"UPDATE {table} SET {column} = %s WHERE id = %s", junk, key)
