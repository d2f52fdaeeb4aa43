"""Planted breaches: what somebody with the database's password, or with a shell, could have done."""

from pathlib import Path
from typing import Any

from django.core.files.storage import storages
from django.db import connection

from publisher import artifacts
from publisher.engine.audit.verify import verify
from publisher.journal import event_hash
from publisher.models import Job, JobEvent, triggers
from reviews.models import triggers as reviews_triggers
from tests.support.journey import Journey


def found(journey: Journey, **options: Any) -> set[tuple[str, str]]:
    """(rule, subject) of everything that verify finds."""
    return {(breach.rule, breach.subject) for breach in verify(journey.ports, **options)}


def write(statement: str, *values: Any) -> None:
    """One statement past the product, its guards and the checks of the columns; guards come back."""
    triggers.lift()
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("PRAGMA ignore_check_constraints = ON")
        cursor.execute(statement, values)
        if connection.vendor == "sqlite":
            cursor.execute("PRAGMA ignore_check_constraints = OFF")
    restore_guards()


def drop_constraints(table: str, kind: str) -> None:
    """Drop a table's checks ("c") or unique constraints ("u") on PostgreSQL; the test rolls it back."""
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute(
            "SELECT conname FROM pg_constraint WHERE conrelid = %s::regclass AND contype = %s",
            [table, kind],
        )
        for (name,) in cursor.fetchall():
            cursor.execute(f'ALTER TABLE {table} DROP CONSTRAINT "{name}"')


def restore_guards() -> None:
    """Both apps' guards, as a migration would leave them."""
    triggers.install()
    reviews_triggers.install()


def chain_anew(job: Job) -> None:
    """Hash a job's events anew, as somebody would who knows how that is done."""
    previous, last = "", 0
    for event in JobEvent.objects.filter(job=job).order_by("seq"):
        event.previous_hash = previous
        event.hash = event_hash(event)
        write(
            "UPDATE publisher_jobevent SET previous_hash = %s, hash = %s WHERE id = %s",
            event.previous_hash, event.hash, event.pk,
        )  # fmt: skip
        previous, last = event.hash, event.seq
    write(
        "UPDATE publisher_job SET event_seq = %s, event_hash = %s WHERE id = %s",
        last, previous, job.pk,
    )  # fmt: skip


def stored_file(name: str) -> Path:
    """Where the bytes of an artifact lie."""
    return Path(storages["artifacts"].path(artifacts.place_of(name)))
