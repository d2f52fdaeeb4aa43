"""Times: a moment in full, as the reader's clock has it."""

from datetime import UTC, datetime

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import pgettext


def in_full(moment: datetime) -> str:
    """Date, time and zone, as the reader's clock has them."""
    local = on_their_clock(moment)
    pattern = pgettext("date and time", "j M Y, H:i")
    return f"{date_format(local, pattern)} {local.tzname()}"


def on_their_clock(moment: datetime) -> datetime:
    """The moment in the reader's zone; in UTC on the calendar's first and last day, if theirs has none."""
    try:
        return timezone.localtime(moment)
    except OverflowError:
        return moment.astimezone(UTC)
