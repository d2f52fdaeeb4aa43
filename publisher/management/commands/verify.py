"""``manage.py verify``: the installation's promises, checked."""

import sys
from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandParser

from publisher import wiring
from publisher.engine.audit.verify import verify
from publisher.management.console import ConsoleCommand


class Command(ConsoleCommand):
    """Exit 0 when every promise holds, 1 with a list when one does not."""

    help = "Check the whole installation's promises anew."

    def add_arguments(self, parser: CommandParser) -> None:
        """How much."""
        super().add_arguments(parser)
        parser.add_argument("--site", default="")
        parser.add_argument("--deep", action="store_true", help="hash every artifact again")

    def handle(self, *args: Any, **options: Any) -> None:
        """Check and print."""
        found = verify(wiring.ports(), site=options["site"], deep=options["deep"])
        lines = [f"{breach.rule}: {breach.subject}: {breach.message}" for breach in found]
        document = {"passed": not found, "breaches": [asdict(breach) for breach in found]}
        self.show(options, document, *(lines or ["Every checked promise holds."]))
        if found:
            sys.exit(1)
