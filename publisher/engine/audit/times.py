"""Times: rows that hold a time which no program can read, as somebody could write past the guards."""

from collections.abc import Iterator

from django.db import connection

from publisher.engine.audit.breach import Breach
from publisher.models import moments


def check() -> Iterator[Breach]:
    """One question a table; the histories' own times are compared with their chains."""
    for table, key in moments.odd(connection):
        message = "It holds a time that cannot be read, and is left out of lists and work."
        yield Breach("row_unreadable", f"{table} {key}", message)
