"""Search: the words of each job, beside it, with the index that each kind of database has for them.

The index is no table of Django's. SQLite fills it by triggers, which a later migration of the table
would drop silently, so that they are installed at every ``post_migrate``; PostgreSQL computes a column.
"""

import uuid
from typing import Any

from django.apps import AppConfig
from django.db import connections, models
from django.db.models.signals import post_migrate

from publisher.models.job import Job

INDEX = "publisher_searchwords"
ASIDE = 1000
"""How far from its own place a text is kept at most where others of its millisecond lie there."""
_SQLITE = """
CREATE TRIGGER IF NOT EXISTS search_added AFTER INSERT ON publisher_searchtext BEGIN
    INSERT INTO publisher_searchwords (rowid, words) VALUES (NEW.id, NEW.words);
END
--
CREATE TRIGGER IF NOT EXISTS search_changed AFTER UPDATE OF id, words ON publisher_searchtext BEGIN
    INSERT INTO publisher_searchwords (publisher_searchwords, rowid, words)
        VALUES ('delete', OLD.id, OLD.words);
    INSERT INTO publisher_searchwords (rowid, words) VALUES (NEW.id, NEW.words);
END
--
CREATE TRIGGER IF NOT EXISTS search_removed AFTER DELETE ON publisher_searchtext BEGIN
    INSERT INTO publisher_searchwords (publisher_searchwords, rowid, words)
        VALUES ('delete', OLD.id, OLD.words);
END
"""


class SearchText(models.Model):
    """What a job says: ``text`` for people to see where it fits, ``words`` to be found by.

    The key follows the job's, so that the newest job has the greatest one in the index too.
    """

    id = models.BigAutoField(primary_key=True)
    job = models.OneToOneField(Job, on_delete=models.PROTECT, related_name="search_text")
    text = models.TextField()
    words = models.TextField()

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return self.job_id


def place_of(job_id: str) -> int:
    """A key in the order of the jobs' ids: the millisecond, and what tells its jobs apart."""
    try:
        number = uuid.UUID(job_id).int
    except ValueError:
        return int.from_bytes(job_id.encode()[:7].ljust(7, b"\0"), "big")
    millisecond, apart = number >> 80, number >> 64 & 0xFFF  # between them stands the version
    further = number >> 58 & 0xF  # before it the variant
    return millisecond << 16 | apart << 4 | further


def last_place_of(job_id: str) -> int:
    """The greatest key that the job can have, where its own was taken."""
    return place_of(job_id) + ASIDE


def _on_post_migrate(sender: AppConfig, *, using: str, **_: Any) -> None:
    connection = connections[using]
    if sender.label != "publisher" or connection.vendor != "sqlite":
        return
    with connection.cursor() as cursor:
        if INDEX in connection.introspection.table_names(cursor):  # not yet, half the way
            for statement in _SQLITE.split("--"):
                cursor.execute(statement)


post_migrate.connect(_on_post_migrate, dispatch_uid="publisher.models.search")
