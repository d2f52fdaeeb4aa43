"""Silence: the health page calls a part silent when it missed its time, and not before."""

from datetime import timedelta

import pytest
from django.test import Client

from publisher import clock
from publisher.models import Node
from publisher.settings import IMPRIMATUR_RECONCILE_SECONDS
from tests.pages.conftest import Login
from tests.support.page_rows import Rows


def _node(name: str, role: str, *, age: int) -> None:
    seen = clock.now() - timedelta(seconds=age)
    Node.objects.create(installation="i", name=name, role=role, heartbeat_at=seen)


def _health(client: Client) -> str:
    return client.get("/health/").content.decode()


def test_a_sweep_is_not_silent_between_two_rounds(rows: Rows, at: Login) -> None:
    _node("one", "worker", age=1)
    _node("one", "sweep", age=IMPRIMATUR_RECONCILE_SECONDS)
    assert "silent" not in _health(at("omar"))


@pytest.mark.parametrize(
    ("role", "age"),
    [("sweep", IMPRIMATUR_RECONCILE_SECONDS + 61), ("worker", 61), ("worker", -3600)],
)
def test_a_part_that_missed_its_time_is_silent(rows: Rows, at: Login, role: str, age: int) -> None:
    _node("one", role, age=age)
    assert "silent" in _health(at("omar"))


@pytest.mark.parametrize("age", [9000, -9000])
def test_of_the_sweeps_of_several_machines_the_last_round_counts(
    rows: Rows, at: Login, age: int
) -> None:
    _node("one", "sweep", age=age)
    _node("two", "sweep", age=1)
    page = _health(at("omar"))
    assert "silent" not in page
    assert '<th scope="row">one</th>' not in page
