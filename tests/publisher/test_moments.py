"""The database itself keeps out a time that no program can read, by whatever statement it comes."""

from datetime import UTC, datetime
from typing import Any

import pytest
from django.apps import apps
from django.db import IntegrityError, connection, transaction
from django.db.models import DateTimeField

from publisher.models import Node, triggers
from reviews.models import triggers as reviews_triggers
from tests.support.planted import write

pytestmark = pytest.mark.django_db
ODD: dict[str, list[Any]] = {
    "sqlite": [
        "2026-02-30 00:00:00", "-junk", "", "2026-01-01", "2026-01-01 24:00:00", "infinity", 5, 2.5,
        "2026-01-01 00:00:00.12", "2026-01-01 00:00:00.12345x", "0000-01-01 00:00:00",
        "2026-01-01 00:00:00+02:00", b"2026-01-01 00:00:00", "2026-01-01 00:00:00\0",
    ],
    "postgresql": ["infinity", "-infinity", "10000-01-01 00:00:00+00", "0044-03-15 00:00:00+00 BC"],
}  # fmt: skip
SOUND = [
    datetime(2024, 2, 29, 23, 59, 59, 999999, UTC), datetime(2026, 1, 1, tzinfo=UTC),
    datetime(2, 1, 1, tzinfo=UTC), datetime(9998, 12, 31, tzinfo=UTC),
]  # fmt: skip


def row() -> Node:
    return Node.objects.create(name="here", role="worker", heartbeat_at=SOUND[0])


def refused(statement: str, *values: Any) -> bool:
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement, values)
    except IntegrityError as error:
        return "cannot be read" in str(error)
    return False


def test_no_odd_time_is_written_into_a_row() -> None:
    key = row().pk
    change = "UPDATE publisher_node SET heartbeat_at = %s WHERE id = %s"
    let_in = [odd for odd in ODD[connection.vendor] if not refused(change, odd, key)]
    assert let_in == []


def test_no_row_with_an_odd_time_is_added() -> None:
    add = (
        "INSERT INTO publisher_node (installation, name, role, version, facts, heartbeat_at) "
        "VALUES ('', %s, '', '', '{}', %s)"
    )
    let_in = [odd for odd in ODD[connection.vendor] if not refused(add, str(odd)[:9], odd)]
    assert let_in == []


def test_every_time_of_the_product_can_be_written() -> None:
    found = row()
    for moment in SOUND:
        found.heartbeat_at = moment
        found.save()
        assert Node.objects.get(pk=found.pk).heartbeat_at == moment


def test_a_row_that_holds_an_odd_time_already_can_be_changed_otherwise() -> None:
    key = row().pk
    write(
        "UPDATE publisher_node SET heartbeat_at = %s WHERE id = %s", ODD[connection.vendor][0], key
    )
    assert Node.objects.filter(pk=key).update(version="2") == 1
    assert Node.objects.filter(pk=key).update(heartbeat_at=SOUND[0]) == 1


@pytest.mark.parametrize("label", ["publisher", "reviews"])
def test_each_table_with_times_is_guarded(label: str) -> None:
    tables = {
        model._meta.db_table
        for model in apps.get_app_config(label).get_models()
        if any(isinstance(field, DateTimeField) for field in model._meta.fields)
    }
    own = triggers if label == "publisher" else reviews_triggers
    names = own.names(connection.vendor)
    assert own.missing() == set()
    assert [
        each for each in tables if not any(f"guard_{each}_moments" in name for name in names)
    ] == []
