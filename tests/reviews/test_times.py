"""Times: each moment that can be stored can be shown to every reader."""

from datetime import UTC, datetime

import pytest
from django.utils import timezone

from reviews.presenters.times import in_full
from reviews.templatetags.pages import spoken


@pytest.mark.parametrize(
    ("at", "zone"),
    [
        (datetime.max.replace(tzinfo=UTC), "Asia/Shanghai"),
        (datetime.min.replace(tzinfo=UTC), "America/Lima"),
    ],
)
def test_the_ends_of_the_calendar_are_shown_in_every_zone(at: datetime, zone: str) -> None:
    with timezone.override(zone):
        assert in_full(at).endswith("UTC")
        assert str(at.year) in spoken(at, datetime(2026, 5, 3, tzinfo=UTC))


@pytest.mark.parametrize(
    ("zone", "first", "second"),
    [
        ("Europe/Berlin", "25 Oct 2026, 02:30 CEST", "25 Oct 2026, 02:30 CET"),
        ("Europe/London", "25 Oct 2026, 01:30 BST", "25 Oct 2026, 01:30 GMT"),
        ("Asia/Shanghai", "25 Oct 2026, 08:30 CST", "25 Oct 2026, 09:30 CST"),
    ],
)
def test_an_hour_that_comes_twice_is_told_apart_by_its_zone(
    zone: str, first: str, second: str
) -> None:
    with timezone.override(zone):
        assert in_full(datetime(2026, 10, 25, 0, 30, tzinfo=UTC)) == first
        assert in_full(datetime(2026, 10, 25, 1, 30, tzinfo=UTC)) == second


def test_an_hour_that_is_skipped_is_no_readers() -> None:
    with timezone.override("Europe/Berlin"):
        assert in_full(datetime(2026, 3, 29, 0, 59, tzinfo=UTC)) == "29 Mar 2026, 01:59 CET"
        assert in_full(datetime(2026, 3, 29, 1, 0, tzinfo=UTC)) == "29 Mar 2026, 03:00 CEST"
