"""first_admin: print the one-time link by which the first admin sets a password."""

from datetime import datetime
from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser

from reviews import setup_link
from reviews.console import INVALID, ConsoleCommand
from reviews.permissions import Caller


class Command(ConsoleCommand):
    """The first admin's link. It works once, for a day, and only while there is no admin."""

    help = "Print the one-time link by which the first admin sets a password."
    refused = INVALID

    def add_arguments(self, parser: CommandParser) -> None:
        """The address at which the pages are served."""
        super().add_arguments(parser)
        parser.add_argument("--address", default="")

    def act(self, asking: Caller, now: datetime, options: dict[str, Any]) -> dict[str, Any]:
        """Make the link; the ones before end."""
        address = options["address"] or settings.PUBLIC_URL or "http://127.0.0.1:8000"
        link = f"{address.rstrip('/')}/setup/{setup_link.make(now=now)}/"
        said = f"Within a day, the first administrator sets a password once, here: {link}"
        return {"link": link, "text": said}
