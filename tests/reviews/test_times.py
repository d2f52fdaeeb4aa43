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
