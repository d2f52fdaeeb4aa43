"""Replacing: triggers against SQLite's REPLACE, which takes rows away without telling DELETE triggers.

PostgreSQL has no such thing: its ON CONFLICT is an update, and is refused as one.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Key:
    """Columns that no two rows have in common; ``only``, with ``{row}`` in it, says of which rows."""

    columns: tuple[str, ...]
    only: str = ""
    of: str = ""
    """The further column that ``only`` asks about."""

    def is_taken(self) -> str:
        """The SQL for: a row of the table has the new row's values here."""
        same = " AND ".join(f"{column} = NEW.{column}" for column in self.columns)
        if not self.only:
            return same
        return f"{same} AND {self.only.format(row='old_one')} AND {self.only.format(row='NEW')}"


_ON_INSERT = """
CREATE TRIGGER IF NOT EXISTS {name} BEFORE INSERT ON {table}
WHEN {taken}
BEGIN SELECT RAISE(ABORT, '{table} has this row, and does not allow REPLACE'); END
"""
_ON_UPDATE = """
CREATE TRIGGER IF NOT EXISTS {name} BEFORE UPDATE OF {columns} ON {table}
WHEN {taken}
BEGIN SELECT RAISE(ABORT, '{table} has this row, and does not allow REPLACE'); END
"""


def names(stem: str) -> tuple[str, str]:
    """The triggers of a table whose guards are named after the stem."""
    return f"{stem}_insert", f"{stem}_replace"


def statements(stem: str, table: str, keys: tuple[Key, ...]) -> list[str]:
    """What creates them: a row whose key is there is neither inserted nor made of another."""
    on_insert, on_update = names(stem)
    look = f"EXISTS (SELECT 1 FROM {table} AS old_one WHERE "  # noqa: S608 (names of ours)
    taken = " OR ".join(f"{look}{key.is_taken()})" for key in keys)
    other = " OR ".join(f"{look}{key.is_taken()} AND old_one.rowid <> OLD.rowid)" for key in keys)
    columns = sorted({name for key in keys for name in (*key.columns, key.of) if name})
    return [
        _ON_INSERT.format(name=on_insert, table=table, taken=taken),
        _ON_UPDATE.format(name=on_update, table=table, taken=other, columns=", ".join(columns)),
    ]
