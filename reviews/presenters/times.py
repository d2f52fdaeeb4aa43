"""Times: a moment in full, as the reader's clock has it."""

from datetime import datetime

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import pgettext


def in_full(moment: datetime) -> str:
    """Date, time and zone, as the reader's clock has them."""
    local = timezone.localtime(moment)
    pattern = pgettext("date and time", "j M Y, H:i")
    return f"{date_format(local, pattern)} {local.tzname()}"
