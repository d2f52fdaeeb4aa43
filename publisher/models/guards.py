"""Guards: creates triggers, and tells whether those that are there do what was created."""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper

_TRIGGER = re.compile(r"TRIGGER\s+(?:IF NOT EXISTS\s+)?(\w+)")
_FUNCTION = re.compile(r"FUNCTION (\w+)\(\) RETURNS trigger .*?\$\$(.*?)\$\$", re.DOTALL)
_WORD = re.compile(r"""'(?:[^']|'')*'|"[^"]*"|::text|\w+|[^\w\s]""")
_HOW = re.compile(r"CREATE\s+(?:OR\s+REPLACE\s+)?(TRIGGER|FUNCTION)\s+(?:IF\s+NOT\s+EXISTS\s+)?")
_SQLITE = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND name LIKE 'guard_%'"
_POSTGRES = """
SELECT DISTINCT ON (tgname) tgname,
    pg_get_triggerdef(t.oid, true) || CASE WHEN tgenabled IN ('O', 'A') THEN '' ELSE ' off' END
FROM pg_trigger t JOIN pg_class c ON t.tgrelid = c.oid
WHERE NOT tgisinternal AND tgname LIKE 'guard_%%' AND pg_table_is_visible(c.oid)
"""
_BODIES = (
    "SELECT proname, prosrc FROM pg_proc WHERE pg_function_is_visible(oid) AND proname = ANY(%s)"
)


def create(connection: BaseDatabaseWrapper, statements: Iterable[str]) -> None:
    """Run these statements, so that each guard is what they say; one that was exchanged goes first."""
    wanted = list(statements)
    is_sqlite = connection.vendor == "sqlite"  # PostgreSQL's statements replace by themselves
    exchanged = changed(connection, wanted) if is_sqlite else set()
    with connection.cursor() as cursor:
        for name in exchanged:
            cursor.execute(f"DROP TRIGGER {name}")
        for statement in wanted:
            cursor.execute(statement)


def changed(connection: BaseDatabaseWrapper, statements: Iterable[str]) -> set[str]:
    """Triggers that are there under the names which these statements create, and do something else."""
    wanted = list(statements)
    triggers = {found[1]: text for text in wanted if (found := _TRIGGER.search(text))}
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute(_SQLITE)
        else:
            cursor.execute(_POSTGRES, [])
        present = dict(cursor.fetchall())
        spoiled = set() if connection.vendor == "sqlite" else _other_bodies(cursor, wanted)
    return {
        name
        for name, text in triggers.items()
        if name in present
        and (_plain(present[name]) != _plain(text) or any(f"{one}(" in text for one in spoiled))
    }


def _other_bodies(cursor: Any, statements: list[str]) -> set[str]:
    """The functions of these statements whose body is another one."""
    bodies = {name: body for text in statements for name, body in _FUNCTION.findall(text)}
    cursor.execute(_BODIES, [list(bodies)])
    found = dict(cursor.fetchall())
    return {name for name, body in bodies.items() if _plain(found.get(name, "")) != _plain(body)}


@lru_cache(maxsize=512)
def _plain(text: str) -> tuple[str, ...]:
    """The words of a statement: databases keep it without what says how to create it.

    Case counts in what is quoted alone, and brackets count everywhere.
    """
    words = _WORD.findall(_HOW.sub(r"CREATE \1 ", text, count=1))
    return tuple(word if word[0] in "'\"" else word.lower() for word in words if word != "::text")
